// Renders a tool call: header, live output and result. Depends only on the arguments and the result, never on the name of the tool.
import { isRecord } from '../../base/index.ts';
import { sanitizeLines } from '../../base/safe-text.ts';
import { extractText } from '../../protocol/index.ts';
import { getLanguageOfPath, highlightLinesOf } from '../markdown/highlight-code.ts';
import { type Line, line, span, type TextStyle, truncateLine } from '../text/line.ts';
import { foldLines, indentLines } from './fold-lines.ts';
import { renderDiff } from './render-diff.ts';
import { describeCall, type ToolCallView } from './tool-call-title.ts';

interface ToolOutput {
  readonly content: readonly { type: string }[];
  readonly details?: unknown;
}

const MAX_OUTPUT_LINES = 8;
const MAX_DIFF_LINES = 24;
const MAX_LIVE_LINES = 6;
const MORE_HINT = ' (Ctrl+O to show all)';
/** The arguments of a tool that returns the content of a file. */
const FILE_ARGUMENTS: readonly string[] = ['path', 'offset', 'limit'];

export type CallState = 'running' | 'done' | 'failed';

const STATE_MARKS: Readonly<Record<CallState, readonly [string, TextStyle]>> = {
  running: ['●', { colour: 'yellow' }],
  done: ['●', { colour: 'green' }],
  failed: ['●', { colour: 'red' }],
};

/** `output`: the result, if there is one. */
export function renderCallHeader(call: ToolCallView, state: CallState, width: number, output?: ToolOutput): Line {
  const [mark, style] = STATE_MARKS[state];
  return truncateLine([span(`${mark} `, style), ...describeCall(call, getDiff(output))], width);
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

export interface ResultOptions {
  readonly isError: boolean;
  /** The tool streamed its output, so the last lines are the most useful ones. */
  readonly isStreamed: boolean;
  readonly args?: ToolCallView['args'];
}

export function renderResult(output: ToolOutput, options: ResultOptions, width: number): ResultView {
  const diff = options.isError ? undefined : getDiff(output);
  const fullLines = indentLines(diff === undefined ? renderOutput(output, options) : renderDiff(diff), width);
  const shown = foldLines(
    fullLines,
    diff === undefined ? MAX_OUTPUT_LINES : MAX_DIFF_LINES,
    options.isStreamed ? 'end' : 'start',
    MORE_HINT,
  );
  return shown.isComplete ? { lines: fullLines } : { lines: shown.lines, fullLines };
}

function getDiff(output: ToolOutput | undefined): string | undefined {
  const details = output?.details;
  return isRecord(details) && typeof details.diff === 'string' ? details.diff : undefined;
}

function renderOutput(output: ToolOutput, { isError, args = {} }: ResultOptions): Line[] {
  if (isError) return renderContent(output, { colour: 'red' });
  const isFileContent = typeof args.path === 'string' && Object.keys(args).every((key) => FILE_ARGUMENTS.includes(key));
  return renderContent(output, { dim: true }, isFileContent ? getLanguageOfPath(args.path as string) : '');
}

function renderContent({ content }: ToolOutput, style: TextStyle = { dim: true }, language = ''): Line[] {
  const images = content.filter(({ type }) => type === 'image').map(() => line('[image]', { dim: true }));
  const text = extractText(content).trimEnd();
  if (text === '') return images;
  const code = highlightLinesOf(language, style);
  const texts = sanitizeLines(text);
  const lines = texts.map((lineText, at) =>
    // The remark about omitted lines after the content of a file is not code.
    at === texts.length - 1 && texts[at - 1] === '' && lineText.startsWith('[')
      ? line(lineText, style)
      : code.push(lineText),
  );
  return [...lines, ...images];
}
