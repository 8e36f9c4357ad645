// Finds the last command in the conversation, run by the host or by a tool call.
import { extractText, type ModelMessage, type ToolCall, type ToolResultMessage } from '../../protocol/index.ts';
import { type CommandRecord, parseHostMessage } from './host-message.ts';

export function findLastCommand(messages: readonly ModelMessage[]): CommandRecord | undefined {
  const results = new Map<string, ToolResultMessage>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index] as ModelMessage;
    if (message.role === 'toolResult') results.set(message.toolCallId, message);
    else if (message.role === 'user') {
      const record = parseHostMessage(extractText(message.content)).commandRecord;
      if (record) return record;
    } else {
      const call = message.content.findLast((block) => block.type === 'toolCall' && block.name === 'bash');
      if (call?.type === 'toolCall') return toCommandRecord(call, results.get(call.id));
    }
  }
  return undefined;
}

function toCommandRecord(call: ToolCall, result: ToolResultMessage | undefined): CommandRecord {
  const command = String(call.arguments.command ?? '');
  const text = result ? extractText(result.content) : '';
  const ending = result?.isError ? (text.trimEnd().split('\n').at(-1) ?? '') : undefined;
  const output = ending === undefined ? text : text.trimEnd().slice(0, -ending.length).trimEnd();
  const isSilent = output === '' || output === '(no output)';
  return { command, ...(!isSilent && { output }), ...(ending !== undefined && { ending }) };
}
