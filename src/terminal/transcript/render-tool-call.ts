// Renders a tool call: header, live output and result. Depends only on the content of a result, never on the name of the tool.
import { isRecord } from '../../base/index.ts';
import { sanitizeLines } from '../../base/safe-text.ts';
import { extractText } from '../../protocol/index.ts';
import { type Line, line, span, type TextStyle, truncateLine } from '../text/line.ts';
import { foldLines, indentLines } from './fold-lines.ts';

export interface ToolCallView {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface ToolOutput {
  readonly content: readonly { type: string }[];
  readonly details?: unknown;
}

const MAX_OUTPUT_LINES = 8;
const MAX_DIFF_LINES = 24;
const MAX_LIVE_LINES = 6;
const MAX_ARGUMENT_LENGTH = 80;
const MORE_HINT = ' (Ctrl+O to show all)';

export type CallState = 'running' | 'done' | 'failed';

const STATE_MARKS: Readonly<Record<CallState, readonly [string, TextStyle]>> = {
  running: ['●', { colour: 'yellow' }],
  done: ['●', { colour: 'green' }],
  failed: ['●', { colour: 'red' }],
};

export function renderCallHeader({ name, args }: ToolCallView, state: CallState, width: number): Line {
  const [mark, style] = STATE_MARKS[state];
  return truncateLine(
    [span(`${mark} `, style), span(name, { bold: true }), span(` ${summarizeArguments(args)}`)],
    width,
  );
}

/** The first line of each value. Values that are not strings are written as `key=value`. */
function summarizeArguments(args: Readonly<Record<string, unknown>>): string {
  const values = Object.entries(args).flatMap(([key, value]) => {
    if (typeof value === 'string') return [takeFirstLine(value)];
    return value === undefined || value === null ? [] : [`${key}=${takeFirstLine(JSON.stringify(value))}`];
  });
  return values.join(' ');
}

function takeFirstLine(text: string): string {
  const [first = ''] = text.trimStart().split('\n', 1);
  const cut = first.length > MAX_ARGUMENT_LENGTH ? first.slice(0, MAX_ARGUMENT_LENGTH) : first;
  return cut === text ? cut : `${cut}…`;
}

/** Renders the end of the output so far. */
export function renderPartialResult(output: ToolOutput | undefined, width: number): Line[] {
  if (!output) return [];
  return [...foldLines(indentLines(renderContent(output), width), MAX_LIVE_LINES, 'end').lines];
}

export interface ResultView {
  readonly lines: readonly Line[];
  /** Present when `lines` was shortened. */
  readonly fullLines?: readonly Line[];
}

/** `isStreamed`: the tool streamed its output, so the last lines are the most useful ones. */
export function renderResult(
  output: ToolOutput,
  flags: { isError: boolean; isStreamed: boolean },
  width: number,
): ResultView {
  const diff = isRecord(output.details) && typeof output.details.diff === 'string' ? output.details.diff : undefined;
  const isDiff = diff !== undefined && !flags.isError;
  const lines = isDiff ? renderDiff(diff) : renderContent(output, flags.isError ? { colour: 'red' } : { dim: true });
  const fullLines = indentLines(lines, width);
  const shown = foldLines(
    fullLines,
    isDiff ? MAX_DIFF_LINES : MAX_OUTPUT_LINES,
    flags.isStreamed ? 'end' : 'start',
    MORE_HINT,
  );
  return shown.isComplete ? { lines: fullLines } : { lines: shown.lines, fullLines };
}

export function renderDiff(diff: string): Line[] {
  return sanitizeLines(diff).map((text) => {
    if (text.startsWith('+')) return line(text, { colour: 'green' });
    return text.startsWith('-') ? line(text, { colour: 'red' }) : line(text, { dim: true });
  });
}

function renderContent({ content }: ToolOutput, style: TextStyle = { dim: true }): Line[] {
  const images = content.filter(({ type }) => type === 'image').map(() => line('[image]', { dim: true }));
  const text = extractText(content).trimEnd();
  return [...(text === '' ? [] : sanitizeLines(text).map((lineText) => line(lineText, style))), ...images];
}
