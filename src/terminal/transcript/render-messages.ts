// Renders complete messages: user messages, shell commands, and the history of a resumed session.

import { sanitizeLines } from '../../base/safe-text.ts';
import { type AgentMessage, type AssistantMessage, extractText, getToolCalls } from '../../protocol/index.ts';
import { renderMarkdown } from '../markdown/markdown-renderer.ts';
import { EMPTY_LINE, type Line, line, prefixLines, span, type TextStyle, wrapLine } from '../text/line.ts';
import { foldLines, indentLines } from './fold-lines.ts';
import { renderCallHeader, renderResult } from './render-tool-call.ts';

const MAX_OUTPUT_LINES = 8;

export function renderUserMessage(content: Parameters<typeof extractText>[0], width: number, mark = '› '): Line[] {
  const images = typeof content === 'string' ? [] : content.filter(({ type }) => type === 'image');
  const style: TextStyle = { bold: true };
  const lines = sanitizeLines(extractText(content)).flatMap((text) => wrapLine(line(text, style), width - mark.length));
  return prefixLines(
    [span(mark, { colour: 'cyan', bold: true })],
    [...lines, ...images.map(() => line('[image]', style))],
  );
}

/** Says why an answer is incomplete. Empty for a normal stop. `retries`: how many retries failed too. */
export function renderStopReason({ stopReason, errorMessage }: AssistantMessage, width: number, retries = 0): Line[] {
  if (stopReason === 'aborted') return [line('Stopped.', { colour: 'yellow' })];
  if (stopReason === 'length')
    return [line('The answer was cut off: it reached the maximum output length.', { colour: 'yellow' })];
  if (stopReason !== 'error') return [];
  const reason = errorMessage ?? 'the model failed without an error message';
  const attempts = retries === 0 ? '' : ` (${retries} ${retries === 1 ? 'retry' : 'retries'} failed)`;
  return wrapLine(line(`Error: ${reason}${attempts}`, { colour: 'red' }), width);
}

export function renderShellCommand(
  command: string,
  output: string,
  exitCode: number | undefined,
  width: number,
): Line[] {
  const trimmed = output.trimEnd();
  const body = trimmed === '' ? [] : sanitizeLines(trimmed).map((text) => line(text, { dim: true }));
  const failed = exitCode !== undefined && exitCode !== 0 ? [line(`  exit code ${exitCode}`, { colour: 'red' })] : [];
  return [
    ...renderUserMessage(command, width, '$ '),
    ...foldLines(indentLines(body, width), MAX_OUTPUT_LINES * 3, 'end').lines,
    ...failed,
  ];
}

export function renderHistory(messages: readonly AgentMessage[], width: number): Line[] {
  const calls = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' ? getToolCalls(message).map((call) => [call.id, call] as const) : [],
    ),
  );
  return messages.flatMap((message) => {
    const lines = renderMessage(message, calls, width);
    return lines.length > 0 ? [...lines, EMPTY_LINE] : [];
  });
}

function renderMessage(
  message: AgentMessage,
  calls: ReadonlyMap<string, { name: string; arguments: Record<string, unknown> }>,
  width: number,
): Line[] {
  switch (message.role) {
    case 'user':
      return renderUserMessage(message.content, width);
    case 'assistant':
      return [
        ...renderMarkdown(extractText(message.content), width).filter(isVisible),
        ...renderStopReason(message, width),
      ];
    case 'toolResult': {
      const call = { name: message.toolName, args: calls.get(message.toolCallId)?.arguments ?? {} };
      const options = { isError: message.isError, isStreamed: false, args: call.args };
      return [
        renderCallHeader(call, message.isError ? 'failed' : 'done', width, message),
        ...renderResult(message, options, width).lines,
      ];
    }
    case 'bashExecution':
      return renderShellCommand(message.command, message.output, message.exitCode, width);
    case 'custom':
      return message.display ? renderMarkdown(extractText(message.content), width) : [];
    case 'compactionSummary':
    case 'branchSummary':
      return [line('(earlier messages were compacted into a summary)', { dim: true })];
  }
}

/** Hides the single empty line of an answer without text. */
function isVisible(spans: Line, at: number, all: readonly Line[]): boolean {
  return all.length > 1 || at > 0 || spans.length > 0;
}
