// Changes a history so that every provider accepts it. Pure.
import {
  type AssistantMessage,
  getToolCalls,
  type ModelMessage,
  type ToolCall,
  type ToolResultMessage,
  type UserMessage,
} from '../../protocol/index.ts';
import { INTERRUPTED_BY_RULE } from '../../protocol/run-progress.ts';
import { replaceUnreadableImages } from './images.ts';

type Content = ToolResultMessage['content'];

/**
 * Crashes, aborts, branches and compactions leave histories that providers refuse. The result of this function has these properties:
 * - Every tool call is directly followed by exactly one result, in call order, with a unique id. No result is without its call.
 * - No message and no text block is empty. Images are readable.
 * - The first message is a user message.
 * - Failed answers and incomplete tool calls are removed.
 * - Messages added later never change the output for earlier messages, so that provider prompt caches stay valid.
 */
export function repairHistory(messages: readonly ModelMessage[]): ModelMessage[] {
  const results = mapResultsToCalls(messages);
  const used = new Set<string>();
  const repaired: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role === 'toolResult') continue; // added together with its call
    if (message.role === 'user') {
      if (!isEmpty(message)) repaired.push(dropBlankBlocks(replaceImages(message)));
      continue;
    }
    const answer = cleanAnswer(message);
    if (answer) repaired.push(...attachResults(answer, results, used));
  }
  return ensureStartsWithUser(repaired);
}

/**
 * A result belongs to the newest call with that id before it, because some servers restart their ids in every answer.
 * A second result of a call can only come from a damaged log and is dropped.
 */
function mapResultsToCalls(messages: readonly ModelMessage[]): Map<ToolCall, ToolResultMessage> {
  const results = new Map<ToolCall, ToolResultMessage>();
  const openCalls = new Map<string, ToolCall[]>();
  for (const message of messages) {
    if (message.role === 'assistant') {
      const calls = getToolCalls(message);
      const withId = (id: string) => calls.filter((call) => call.id === id);
      for (const { id } of calls) openCalls.set(id, withId(id));
    } else if (message.role === 'toolResult') {
      const call = openCalls.get(message.toolCallId)?.shift();
      if (call) results.set(call, message);
    }
  }
  return results;
}

function attachResults(
  answer: AssistantMessage,
  results: ReadonlyMap<ToolCall, ToolResultMessage>,
  used: Set<string>,
): ModelMessage[] {
  const paired: ToolResultMessage[] = [];
  const content = answer.content.map((block) => {
    if (block.type !== 'toolCall') return block;
    const id = createUniqueId(block.id, used);
    const call = id === block.id ? block : { ...block, id };
    const result = results.get(block);
    paired.push(result ? normalizeResult(call, result) : createMissingResult(call, answer.timestamp));
    return call;
  });
  const isSame = content.every((block, index) => block === answer.content[index]);
  return [isSame ? answer : { ...answer, content }, ...paired];
}

function createUniqueId(id: string, used: Set<string>): string {
  const base = id || 'call';
  let candidate = base;
  for (let count = 2; used.has(candidate); count++) candidate = `${base}_${count}`;
  used.add(candidate);
  return candidate;
}

function normalizeResult({ id, name }: ToolCall, result: ToolResultMessage): ToolResultMessage {
  const cleaned = dropBlankBlocks(replaceImages(result));
  const content: Content = cleaned.content.length > 0 ? cleaned.content : [{ type: 'text', text: '(no output)' }];
  const isSame = content === result.content && result.toolCallId === id && result.toolName === name;
  return isSame ? result : { ...result, toolCallId: id, toolName: name, content };
}

function cleanAnswer(message: AssistantMessage): AssistantMessage | undefined {
  // A failed answer is incomplete, and the request is repeated.
  if (message.stopReason === 'error' || message.errorMessage === INTERRUPTED_BY_RULE) return undefined;
  const content = message.content.filter((block) => {
    if (block.type === 'text') return block.text.trim() !== '';
    // In an aborted answer the thinking has no valid signature and tool calls may be incomplete.
    if (message.stopReason === 'aborted') return false;
    return block.type === 'toolCall' || block.thinking !== '' || block.thinkingSignature !== undefined;
  });
  // Some providers refuse an answer whose last block is thinking.
  if (!content.some((block) => block.type !== 'thinking')) return undefined;
  return content.length === message.content.length ? message : { ...message, content };
}

function isEmpty({ content }: UserMessage): boolean {
  return typeof content === 'string' ? content.trim() === '' : content.every(isBlank);
}

function replaceImages<M extends UserMessage | ToolResultMessage>(message: M): M {
  if (typeof message.content === 'string') return message;
  const content = replaceUnreadableImages(message.content);
  return content === message.content ? message : { ...message, content };
}

/** Providers refuse an empty text block, even next to an image. */
function dropBlankBlocks<M extends UserMessage | ToolResultMessage>(message: M): M {
  const { content } = message;
  if (typeof content === 'string' || !content.some(isBlank)) return message;
  return { ...message, content: content.filter((block) => !isBlank(block)) };
}

function isBlank(block: Content[number]): boolean {
  return block.type === 'text' && block.text.trim() === '';
}

function createMissingResult(call: ToolCall, timestamp: number): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: 'text', text: 'No result: the tool did not finish.' }],
    isError: true,
    timestamp,
  };
}

/** A history can start with an answer after a branch cut or in a damaged log. */
function ensureStartsWithUser(messages: ModelMessage[]): ModelMessage[] {
  const first = messages[0];
  if (!first || first.role === 'user') return messages;
  const placeholder: UserMessage = {
    role: 'user',
    content: [{ type: 'text', text: '(The beginning of this conversation is not available.)' }],
    timestamp: first.timestamp,
  };
  return [placeholder, ...messages];
}
