// The hall, terminal: a tool call as lines: what is done, with what, and what came of it. Pure. Reads what a result holds,
// never what a tool is called.
import { isRecord } from '../../base/index.ts';
import { plainLines } from '../../base/plain.ts';
import { textOf } from '../../protocol/index.ts';
import { clipped, type Line, type Look, line, span } from '../text/line.ts';
import { fold, indented } from './folding.ts';

export interface ToolCallView {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface ToolOutput {
  readonly content: readonly { type: string }[];
  readonly details?: unknown;
}

const OUTPUT_LINES = 8;
const DIFF_LINES = 24;
const LIVE_LINES = 6;
const LONGEST_ARGUMENT = 80;
const MORE = ' (Ctrl+O shows all)';

export type CallState = 'running' | 'done' | 'failed';

const MARKS: Readonly<Record<CallState, readonly [string, Look]>> = {
  running: ['●', { colour: 'yellow' }],
  done: ['●', { colour: 'green' }],
  failed: ['●', { colour: 'red' }],
};

export function headLine({ name, args }: ToolCallView, state: CallState, width: number): Line {
  const [mark, look] = MARKS[state];
  return clipped([span(`${mark} `, look), span(name, { bold: true }), span(` ${summary(args)}`)], width);
}

/** The values, each on one line; what is no text with its name. */
function summary(args: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(args).flatMap(([key, value]) => {
    if (typeof value === 'string') return [firstLine(value)];
    return value === undefined || value === null ? [] : [`${key}=${firstLine(JSON.stringify(value))}`];
  });
  return words.join(' ');
}

function firstLine(text: string): string {
  const [first = ''] = text.trimStart().split('\n', 1);
  const cut = first.length > LONGEST_ARGUMENT ? first.slice(0, LONGEST_ARGUMENT) : first;
  return cut === text ? cut : `${cut}…`;
}

/** What it has said so far. */
export function liveLines(output: ToolOutput | undefined, width: number): Line[] {
  if (!output) return [];
  return [...fold(indented(textLines(output), width), LIVE_LINES, 'end').lines];
}

export interface ResultView {
  readonly lines: readonly Line[];
  /** Present when lines were left out. */
  readonly whole?: readonly Line[];
}

/** `streamed`: it told its output as it came, so that the end of it says most. */
export function resultLines(
  output: ToolOutput,
  facts: { failed: boolean; streamed: boolean },
  width: number,
): ResultView {
  const diff = isRecord(output.details) && typeof output.details.diff === 'string' ? output.details.diff : undefined;
  const isDiff = diff !== undefined && !facts.failed;
  const lines = isDiff ? diffLines(diff) : textLines(output, facts.failed ? { colour: 'red' } : { dim: true });
  const whole = indented(lines, width);
  const shown = fold(whole, isDiff ? DIFF_LINES : OUTPUT_LINES, facts.streamed ? 'end' : 'start', MORE);
  return shown.isWhole ? { lines: whole } : { lines: shown.lines, whole };
}

export function diffLines(diff: string): Line[] {
  return plainLines(diff).map((text) => {
    if (text.startsWith('+')) return line(text, { colour: 'green' });
    return text.startsWith('-') ? line(text, { colour: 'red' }) : line(text, { dim: true });
  });
}

function textLines({ content }: ToolOutput, look: Look = { dim: true }): Line[] {
  const images = content.filter(({ type }) => type === 'image').map(() => line('[image]', { dim: true }));
  const text = textOf(content).trimEnd();
  return [...(text === '' ? [] : plainLines(text).map((one) => line(one, look))), ...images];
}
