// The strictest provider there is: what any of them refuses in a history, this one refuses.
import { readImage } from '../../src/base/image-data.ts';
import type { AssistantMessage, ModelMessage, ToolCall, ToolResultMessage } from '../../src/protocol/index.ts';

/** Why the history would be refused; nothing when every provider takes it. */
export function refusals(messages: readonly ModelMessage[]): string[] {
  if (messages.length === 0) return ['the history is empty'];
  const found: string[] = [];
  if (messages[0]?.role !== 'user') found.push('the first message is not the user’s');
  const used = new Set<string>();
  let open: ToolCall[] = [];
  messages.forEach((message, index) => {
    const say = (what: string) => found.push(`message ${index}: ${what}`);
    if (message.role === 'toolResult') {
      open = checkResult(message, open, say);
      return;
    }
    if (open.length > 0) say(`comes before the result of ${open[0]?.id}`);
    open = message.role === 'assistant' ? checkAnswer(message, used, say) : [];
    if (message.role === 'user') checkContent(message.content, say);
  });
  if (open.length > 0) found.push(`the last call ${open.at(-1)?.id} has no result`);
  return found;
}

type Say = (what: string) => void;

function checkResult(message: ToolResultMessage, open: readonly ToolCall[], say: Say): ToolCall[] {
  const [call, ...rest] = open;
  if (!call) say(`a result of ${message.toolCallId} without its call`);
  else if (call.id !== message.toolCallId) say(`a result of ${message.toolCallId} where that of ${call.id} belongs`);
  else if (call.name !== message.toolName) say(`a result of ${message.toolName} for a call of ${call.name}`);
  checkContent(message.content, say);
  return rest;
}

function checkAnswer(message: AssistantMessage, used: Set<string>, say: Say): ToolCall[] {
  const { content, stopReason } = message;
  const calls = content.filter((block): block is ToolCall => block.type === 'toolCall');
  if (stopReason === 'error') say('an answer that failed');
  if (stopReason === 'aborted' && content.some(({ type }) => type !== 'text'))
    say('half of an answer that was stopped');
  if (content.every(({ type }) => type === 'thinking')) say('an answer that says nothing');
  for (const block of content) {
    if (block.type === 'text' && block.text.trim() === '') say('a text without text');
    if (block.type === 'thinking' && block.thinking === '' && block.thinkingSignature === undefined)
      say('an empty thought');
  }
  for (const { id } of calls) {
    if (id === '' || used.has(id)) say(`a second call with the id ${JSON.stringify(id)}`);
    used.add(id);
  }
  return calls;
}

function checkContent(content: string | readonly { type: string; text?: string; data?: string }[], say: Say): void {
  const images = typeof content === 'string' ? [] : content.flatMap(({ data }) => data ?? []);
  if (images.some((data) => 'problem' in readImage(data))) say('an image that cannot be read');
  const texts = typeof content === 'string' ? [content] : content.flatMap((block) => block.text ?? []);
  if (content.length === 0) say('nothing in it');
  if (texts.some((text) => text.trim() === '')) say('a text without text');
}
