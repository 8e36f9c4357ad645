// The hall, terminal: messages that are whole as lines: what the person said, and what is read again from a session. Pure.

import { plainLines } from '../../base/plain.ts';
import { type AgentMessage, type AssistantMessage, callsOf, textOf } from '../../protocol/index.ts';
import { markdownLines } from '../markdown/view.ts';
import { EMPTY, type Line, type Look, line, prefixed, span, wrapped } from '../text/line.ts';
import { fold, indented } from './folding.ts';
import { headLine, resultLines } from './tool-view.ts';

const OUTPUT_LINES = 8;

export function saidLines(content: Parameters<typeof textOf>[0], width: number, mark = '› '): Line[] {
  const images = typeof content === 'string' ? [] : content.filter(({ type }) => type === 'image');
  const look: Look = { bold: true };
  const text = plainLines(textOf(content)).flatMap((one) => wrapped(line(one, look), width - mark.length));
  return prefixed([span(mark, { colour: 'cyan', bold: true })], [...text, ...images.map(() => line('[image]', look))]);
}

/** Why an answer is not what it should be; nothing when it is. */
export function troubleLines({ stopReason, errorMessage }: AssistantMessage, width: number): Line[] {
  if (stopReason === 'aborted') return [line('Stopped.', { colour: 'yellow' })];
  if (stopReason === 'length')
    return [line('The answer was cut off: it reached the limit of its length.', { colour: 'yellow' })];
  if (stopReason !== 'error') return [];
  return wrapped(line(`Error: ${errorMessage ?? 'the model failed without a word'}`, { colour: 'red' }), width);
}

export function shellLines(command: string, output: string, exitCode: number | undefined, width: number): Line[] {
  const text = output.trimEnd();
  const body = text === '' ? [] : plainLines(text).map((one) => line(one, { dim: true }));
  const failed = exitCode !== undefined && exitCode !== 0 ? [line(`  exit code ${exitCode}`, { colour: 'red' })] : [];
  return [...saidLines(command, width, '$ '), ...fold(indented(body, width), OUTPUT_LINES * 3, 'end').lines, ...failed];
}

/** A conversation that goes on, as it was. */
export function historyLines(messages: readonly AgentMessage[], width: number): Line[] {
  const calls = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' ? callsOf(message).map((call) => [call.id, call] as const) : [],
    ),
  );
  return messages.flatMap((message) => {
    const lines = messageLines(message, calls, width);
    return lines.length > 0 ? [...lines, EMPTY] : [];
  });
}

function messageLines(
  message: AgentMessage,
  calls: ReadonlyMap<string, { name: string; arguments: Record<string, unknown> }>,
  width: number,
): Line[] {
  switch (message.role) {
    case 'user':
      return saidLines(message.content, width);
    case 'assistant':
      return [...markdownLines(textOf(message.content), width).filter(isSaid), ...troubleLines(message, width)];
    case 'toolResult': {
      const call = { name: message.toolName, args: calls.get(message.toolCallId)?.arguments ?? {} };
      const facts = { failed: message.isError, streamed: false };
      return [headLine(call, message.isError ? 'failed' : 'done', width), ...resultLines(message, facts, width).lines];
    }
    case 'bashExecution':
      return shellLines(message.command, message.output, message.exitCode, width);
    case 'custom':
      return message.display ? markdownLines(textOf(message.content), width) : [];
    case 'compactionSummary':
    case 'branchSummary':
      return [line('(what came before is summarised)', { dim: true })];
  }
}

/** An answer without text is no empty line. */
function isSaid(spans: Line, at: number, all: readonly Line[]): boolean {
  return all.length > 1 || at > 0 || spans.length > 0;
}
