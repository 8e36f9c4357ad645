// Describes a tool call in one line: the main argument first, the others in parentheses. Uses the names of the arguments and not the
// name of the tool, so that it also works for tools of extensions and hosts.
import { type Line, span } from '../text/line.ts';

export interface ToolCallView {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments that `describeTarget` or `listExtras` shows in its own way. */
const COVERED = ['command', 'pattern', 'path', 'offset', 'limit', 'content', 'edits', 'oldText', 'newText', 'timeout'];
/** In characters, for each argument. */
const MAX_TARGET_LENGTH = 400;
const MAX_EXTRA_LENGTH = 40;

/** `diff`: the change that the call made or would make. */
export function describeCall({ name, args }: ToolCallView, diff?: string): Line {
  const target = describeTarget(args);
  const extras = listExtras(args, diff !== undefined);
  return [
    span(name, { bold: true }),
    span(target === '' ? '' : ` ${target}`),
    ...(diff === undefined ? [] : countChanges(diff)),
    span(extras.length === 0 ? '' : ` (${extras.join(', ')})`, { dim: true }),
  ];
}

function describeTarget(args: Arguments): string {
  const { command, pattern, path } = args;
  if (typeof command === 'string') return takeFirstLine(command, MAX_TARGET_LENGTH);
  if (typeof pattern === 'string') {
    const location = typeof path === 'string' ? ` in ${path}` : '';
    return `"${takeFirstLine(pattern, MAX_TARGET_LENGTH)}"${location}`;
  }
  if (typeof path === 'string') return `${path}${formatLineRange(args)}`;
  const [, first] = findFirstText(args) ?? [];
  return first === undefined ? '' : takeFirstLine(first, MAX_TARGET_LENGTH);
}

function formatLineRange({ offset, limit, content }: Arguments): string {
  if (content !== undefined || (typeof offset !== 'number' && typeof limit !== 'number')) return '';
  const first = typeof offset === 'number' ? offset : 1;
  return `:${first}-${typeof limit === 'number' ? first + limit - 1 : ''}`;
}

function listExtras(args: Arguments, hasDiff: boolean): string[] {
  const { command, pattern, path, offset, limit, content, edits, timeout } = args;
  const isFileRange = path !== undefined && pattern === undefined && content === undefined;
  const [targetKey] = (command ?? pattern ?? path) ? [] : (findFirstText(args) ?? []);
  return [
    ...(typeof command === 'string' ? formatLineCount(command.trim()) : []),
    ...(typeof content === 'string' && !hasDiff ? formatLineCount(content, 1) : []),
    ...(Array.isArray(edits) && !hasDiff ? [formatCount(edits.length, 'edits')] : []),
    ...Object.entries(args).flatMap(([key, value]) =>
      COVERED.includes(key) || key === targetKey ? [] : formatExtra(key, value),
    ),
    ...(isFileRange ? [] : [...formatExtra('offset', offset), ...formatExtra('limit', limit)]),
    ...(typeof timeout === 'number' ? [`timeout ${timeout}s`] : []),
  ];
}

function findFirstText(args: Arguments): [key: string, text: string] | undefined {
  return Object.entries(args).find((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** Empty for fewer than `atLeast` lines. */
function formatLineCount(text: string, atLeast = 2): string[] {
  const count = text.replace(/\n$/, '').split('\n').length;
  return count < atLeast ? [] : [formatCount(count, 'lines')];
}

function formatExtra(key: string, value: unknown): string[] {
  const label = key.replace(/(?<=[a-z])(?=[A-Z])|_/g, ' ').toLowerCase();
  if (value === undefined || value === null) return [];
  if (value === true) return [label];
  if (Array.isArray(value)) return [formatCount(value.length, label)];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return [`${label} ${takeFirstLine(text, MAX_EXTRA_LENGTH)}`];
}

function formatCount(count: number, plural: string): string {
  return `${count} ${count === 1 ? plural.replace(/s$/, '') : plural}`;
}

/** The numbers of added and removed lines. */
export function countChanges(diff: string): Line {
  const lines = diff.split('\n');
  const count = (sign: string) => lines.filter((text) => text.startsWith(sign)).length;
  return [span(` +${count('+')}`, { colour: 'green' }), span(` −${count('-')}`, { colour: 'red' })];
}

function takeFirstLine(text: string, maxLength: number): string {
  const whole = text.trim();
  const [first = ''] = whole.split('\n', 1);
  const cut = first.slice(0, maxLength);
  return cut === whole ? cut : `${cut}…`;
}
