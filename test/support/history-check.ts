// Checks a history against the rules of all providers: it reports everything that any of them rejects.
import { parseBase64Image } from '../../src/base/base64-image.ts';
import type { AssistantMessage, ModelMessage, ToolCall, ToolResultMessage } from '../../src/protocol/index.ts';

/** Why a provider would reject the history; empty if every provider accepts it. */
export function findHistoryErrors(messages: readonly ModelMessage[]): string[] {
  if (messages.length === 0) return ['the history is empty'];
  const found: string[] = [];
  if (messages[0]?.role !== 'user') found.push('the first message is not the user’s');
  const used = new Set<string>();
  let open: ToolCall[] = [];
  messages.forEach((message, index) => {
    const report = (what: string) => found.push(`message ${index}: ${what}`);
    if (message.role === 'toolResult') {
      open = checkResult(message, open, report);
      return;
    }
    if (open.length > 0) report(`comes before the result of ${open[0]?.id}`);
    open = message.role === 'assistant' ? checkAnswer(message, used, report) : [];
    if (message.role === 'user') checkContent(message.content, report);
  });
  if (open.length > 0) found.push(`the last call ${open.at(-1)?.id} has no result`);
  return found;
}

type Report = (what: string) => void;

function checkResult(message: ToolResultMessage, open: readonly ToolCall[], report: Report): ToolCall[] {
  const [call, ...rest] = open;
  if (!call) report(`a result of ${message.toolCallId} without its call`);
  else if (call.id !== message.toolCallId) report(`a result of ${message.toolCallId} where that of ${call.id} belongs`);
  else if (call.name !== message.toolName) report(`a result of ${message.toolName} for a call of ${call.name}`);
  checkContent(message.content, report);
  return rest;
}

function checkAnswer(message: AssistantMessage, used: Set<string>, report: Report): ToolCall[] {
  const { content, stopReason } = message;
  const calls = content.filter((block): block is ToolCall => block.type === 'toolCall');
  if (stopReason === 'error') report('an answer that failed');
  if (stopReason === 'aborted' && content.some(({ type }) => type !== 'text'))
    report('half of an answer that was stopped');
  if (content.every(({ type }) => type === 'thinking')) report('an answer that says nothing');
  for (const block of content) {
    if (block.type === 'text' && block.text.trim() === '') report('a text without text');
    if (block.type === 'thinking' && block.thinking === '' && block.thinkingSignature === undefined)
      report('an empty thought');
  }
  for (const { id } of calls) {
    if (id === '' || used.has(id)) report(`a second call with the id ${JSON.stringify(id)}`);
    used.add(id);
  }
  return calls;
}

function checkContent(
  content: string | readonly { type: string; text?: string; data?: string }[],
  report: Report,
): void {
  const images = typeof content === 'string' ? [] : content.flatMap(({ data }) => data ?? []);
  if (images.some((data) => 'problem' in parseBase64Image(data))) report('an image that cannot be read');
  const texts = typeof content === 'string' ? [content] : content.flatMap((block) => block.text ?? []);
  if (content.length === 0) report('nothing in it');
  if (texts.some((text) => text.trim() === '')) report('a text without text');
}
