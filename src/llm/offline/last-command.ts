// First floor, llm: the last command in the conversation, whoever ran it. Pure.
import { type ModelMessage, type ToolCall, type ToolResultMessage, textOf } from '../../protocol/index.ts';
import { type CommandNote, readNote } from './notes.ts';

export function lastCommand(messages: readonly ModelMessage[]): CommandNote | undefined {
  const results = new Map<string, ToolResultMessage>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index] as ModelMessage;
    if (message.role === 'toolResult') results.set(message.toolCallId, message);
    else if (message.role === 'user') {
      const note = readNote(textOf(message.content)).note;
      if (note) return note;
    } else {
      const call = message.content.findLast((block) => block.type === 'toolCall' && block.name === 'bash');
      if (call?.type === 'toolCall') return ofCall(call, results.get(call.id));
    }
  }
  return undefined;
}

function ofCall(call: ToolCall, result: ToolResultMessage | undefined): CommandNote {
  const command = String(call.arguments.command ?? '');
  const text = result ? textOf(result.content) : '';
  const ending = result?.isError ? (text.trimEnd().split('\n').at(-1) ?? '') : undefined;
  const output = ending === undefined ? text : text.trimEnd().slice(0, -ending.length).trimEnd();
  const silent = output === '' || output === '(no output)';
  return { command, ...(!silent && { output }), ...(ending !== undefined && { ending }) };
}
