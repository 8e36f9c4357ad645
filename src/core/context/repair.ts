// First floor, core: makes any history one that every provider accepts. Pure; knows no provider.
import {
  type AssistantMessage,
  callsOf,
  type ModelMessage,
  type ToolCall,
  type ToolResultMessage,
  type UserMessage,
} from '../../protocol/index.ts';
import { DISCARDED } from '../policy/rules.ts';
import { readableContent } from './images.ts';

type Content = ToolResultMessage['content'];

/**
 * Crashes, aborts, branches and cuts leave histories that providers refuse for ever. The result of this function
 * always keeps these rules: every tool call is followed at once by exactly one result, in call order, under an id that
 * no other call has; no result stands without its call; nothing is empty; images are
 * readable; the first message is the user's; failed
 * answers and half-made calls are gone. What comes later never changes what stands before it: provider caches hit.
 */
export function repair(messages: readonly ModelMessage[]): ModelMessage[] {
  const results = resultsByCall(messages);
  const used = new Set<string>();
  const whole: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role === 'toolResult') continue; // placed with its call
    if (message.role === 'user') {
      if (!isEmpty(message)) whole.push(withoutBlanks(withReadableImages(message)));
      continue;
    }
    const answer = presentable(message);
    if (answer) whole.push(...withResults(answer, results, used));
  }
  return beginWithUser(whole);
}

/**
 * A result belongs to the newest call of that id before it: some servers count their ids from one in every answer.
 * A second result of a call can only come from a damaged log, and is dropped.
 */
function resultsByCall(messages: readonly ModelMessage[]): Map<ToolCall, ToolResultMessage> {
  const results = new Map<ToolCall, ToolResultMessage>();
  const open = new Map<string, ToolCall[]>();
  for (const message of messages) {
    if (message.role === 'assistant') {
      const calls = callsOf(message);
      const withId = (id: string) => calls.filter((call) => call.id === id);
      for (const { id } of calls) open.set(id, withId(id));
    } else if (message.role === 'toolResult') {
      const call = open.get(message.toolCallId)?.shift();
      if (call) results.set(call, message);
    }
  }
  return results;
}

function withResults(
  answer: AssistantMessage,
  results: ReadonlyMap<ToolCall, ToolResultMessage>,
  used: Set<string>,
): ModelMessage[] {
  const paired: ToolResultMessage[] = [];
  const content = answer.content.map((block) => {
    if (block.type !== 'toolCall') return block;
    const id = unusedId(block.id, used);
    const call = id === block.id ? block : { ...block, id };
    const result = results.get(block);
    paired.push(result ? resultOf(call, result) : missingResult(call, answer.timestamp));
    return call;
  });
  const isSame = content.every((block, index) => block === answer.content[index]);
  return [isSame ? answer : { ...answer, content }, ...paired];
}

function unusedId(id: string, used: Set<string>): string {
  const base = id || 'call';
  let free = base;
  for (let count = 2; used.has(free); count++) free = `${base}_${count}`;
  used.add(free);
  return free;
}

function resultOf({ id, name }: ToolCall, result: ToolResultMessage): ToolResultMessage {
  const said = withoutBlanks(withReadableImages(result));
  const content: Content = said.content.length > 0 ? said.content : [{ type: 'text', text: '(no output)' }];
  const isSame = content === result.content && result.toolCallId === id && result.toolName === name;
  return isSame ? result : { ...result, toolCallId: id, toolName: name, content };
}

function presentable(message: AssistantMessage): AssistantMessage | undefined {
  // What a provider said before it failed was never finished, and is asked for again.
  if (message.stopReason === 'error' || message.errorMessage === DISCARDED) return undefined;
  const content = message.content.filter((block) => {
    if (block.type === 'text') return block.text.trim() !== '';
    // Thinking of an answer that was stopped has no valid signature, and its calls may be half-made.
    if (message.stopReason === 'aborted') return false;
    return block.type === 'toolCall' || block.thinking !== '' || block.thinkingSignature !== undefined;
  });
  // Thinking alone is not an answer; some providers refuse it as a last block.
  if (!content.some((block) => block.type !== 'thinking')) return undefined;
  return content.length === message.content.length ? message : { ...message, content };
}

function isEmpty({ content }: UserMessage): boolean {
  return typeof content === 'string' ? content.trim() === '' : content.every(isBlank);
}

function withReadableImages<M extends UserMessage | ToolResultMessage>(message: M): M {
  if (typeof message.content === 'string') return message;
  const content = readableContent(message.content);
  return content === message.content ? message : { ...message, content };
}

/** Providers refuse a text block without text, also beside an image. */
function withoutBlanks<M extends UserMessage | ToolResultMessage>(message: M): M {
  const { content } = message;
  if (typeof content === 'string' || !content.some(isBlank)) return message;
  return { ...message, content: content.filter((block) => !isBlank(block)) };
}

function isBlank(block: Content[number]): boolean {
  return block.type === 'text' && block.text.trim() === '';
}

function missingResult(call: ToolCall, timestamp: number): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: 'text', text: 'No result: the tool did not finish.' }],
    isError: true,
    timestamp,
  };
}

/** A history that begins with an answer has lost its question (a cut branch, a damaged log). */
function beginWithUser(messages: ModelMessage[]): ModelMessage[] {
  const first = messages[0];
  if (!first || first.role === 'user') return messages;
  const opening: UserMessage = {
    role: 'user',
    content: [{ type: 'text', text: '(The beginning of this conversation is not available.)' }],
    timestamp: first.timestamp,
  };
  return [opening, ...messages];
}
