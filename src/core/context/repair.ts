// First floor, core: makes any history one that every provider accepts. Pure; knows no provider.
import type {
  AssistantMessage,
  ModelMessage,
  TextContent,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from '../../protocol/index.ts';

/**
 * Crashes, aborts, branches and cuts leave histories that providers refuse for ever. The result of this function
 * always keeps these rules: every tool call is followed at once by exactly one result, in call order; no result stands
 * without its call; nothing is empty; the first message is the user's; failed answers and half-made calls are gone.
 */
export function repair(messages: readonly ModelMessage[]): ModelMessage[] {
  const results = resultsByCall(messages);
  const used = new Set<string>();
  const whole: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role === 'toolResult') continue; // placed with its call
    if (message.role === 'user') {
      if (!isEmpty(message)) whole.push(message);
      continue;
    }
    const answer = presentable(message, used);
    if (!answer) continue;
    whole.push(answer);
    for (const call of callsOf(answer)) whole.push(results.get(call.id) ?? missingResult(call, answer.timestamp));
  }
  return beginWithUser(whole);
}

/** The first result of each call wins: a second one can only come from a damaged log. */
function resultsByCall(messages: readonly ModelMessage[]): Map<string, ToolResultMessage> {
  const results = new Map<string, ToolResultMessage>();
  for (const message of messages) {
    if (message.role === 'toolResult' && !results.has(message.toolCallId)) results.set(message.toolCallId, message);
  }
  return results;
}

export function callsOf(message: AssistantMessage): ToolCall[] {
  return message.content.filter((block): block is ToolCall => block.type === 'toolCall');
}

function presentable(message: AssistantMessage, used: Set<string>): AssistantMessage | undefined {
  // What a provider said before it failed was never finished, and is asked for again.
  if (message.stopReason === 'error') return undefined;
  const content = message.content.filter((block) => {
    if (block.type === 'text') return block.text.trim() !== '';
    // Thinking of an answer that was stopped has no valid signature, and its calls may be half-made.
    if (message.stopReason === 'aborted') return false;
    if (block.type === 'thinking') return block.thinking !== '' || block.thinkingSignature !== undefined;
    if (used.has(block.id)) return false;
    used.add(block.id);
    return true;
  });
  // Thinking alone is not an answer; some providers refuse it as a last block.
  if (!content.some((block) => block.type !== 'thinking')) return undefined;
  return content.length === message.content.length ? message : { ...message, content };
}

function isEmpty(message: UserMessage): boolean {
  if (typeof message.content === 'string') return message.content.trim() === '';
  return !message.content.some((block) => block.type === 'image' || (block as TextContent).text.trim() !== '');
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
