// Texts of /help: an overview that fits 80 columns and 24 rows, and the details of one command.
import { Fault, findClosestMatch } from '../../base/index.ts';
import { KEY_HELP } from './general.ts';
import type { SlashCommand } from './slash-command.ts';

/** A command of an extension, template or skill. */
export interface OtherCommand {
  readonly name: string;
  readonly description?: string | undefined;
  readonly source: string;
}

/** In characters. One column is free, as on the screen. */
const WIDTH = 79;
const COLUMN_WIDTH = 39;
const COLUMN_GAP = 1;
const MAX_OTHER_LENGTH = 2 * WIDTH;

const KEYS: readonly (readonly [key: string, doc: string])[] = [
  ['Enter', 'send, or steer a run'],
  ['Alt+Enter', 'new line'],
  ['Tab', 'complete /command, @file'],
  ['Up, Down', 'history; Ctrl+R searches'],
  ['Ctrl+G', 'open the editor'],
  ['Alt+Up', 'take back queued messages'],
  ['Esc, Ctrl+C', 'stop; Ctrl+C twice quits'],
  ['Ctrl+O', 'full text of last output'],
  ['Shift+Tab', 'next thinking level'],
  ['!command', 'run a shell command'],
];

/** `topic`: a command with or without the slash, `keys`, `all`, or empty for the overview. */
export function formatHelp(topic: string, builtin: readonly SlashCommand[], others: readonly OtherCommand[]): string {
  const rows = [
    ...builtin.map((command) => [formatUsage(command), command.doc] as const),
    ...others.map(({ name, description, source }) => [`/${name}`, description ?? source] as const),
  ];
  const all = rows.map(([usage, doc]) => `${usage.padEnd(16)} ${doc}`);
  if (topic === 'all') return [...all, '', KEY_HELP].join('\n');
  if (topic === 'keys') return KEY_HELP;
  return topic === '' ? formatOverview(builtin, others) : formatDetails(topic.replace(/^\//, ''), rows);
}

function formatDetails(name: string, rows: readonly (readonly [usage: string, doc: string])[]): string {
  const getName = (usage: string) => usage.slice(1).split(' ', 1)[0] ?? '';
  const found = rows.find(([usage]) => getName(usage) === name);
  if (found) return found.join('\n');
  const closest = findClosestMatch(
    name,
    rows.map(([usage]) => getName(usage)),
  );
  const hint = closest ? ` (did you mean /${closest}?)` : '';
  throw new Fault('not_found', `Unknown command: /${name}${hint}. Run /help to list all commands.`);
}

function formatOverview(builtin: readonly SlashCommand[], others: readonly OtherCommand[]): string {
  const commands = builtin.map(({ name, doc }) => [`/${name}`, shortenDoc(doc)] as const);
  return [
    ...formatColumns(commands),
    ...formatOthers(others),
    '',
    ...formatColumns(KEYS),
    'Details: /help COMMAND, /help keys, /help all',
  ].join('\n');
}

/** Two columns, read from top to bottom. */
function formatColumns(rows: readonly (readonly [term: string, doc: string])[]): string[] {
  const termWidth = Math.max(...rows.map(([term]) => term.length)) + COLUMN_GAP;
  const cells = rows.map(([term, doc]) => `${term.padEnd(termWidth)}${truncate(doc, COLUMN_WIDTH - termWidth)}`);
  const height = Math.ceil(cells.length / 2);
  return cells
    .slice(0, height)
    .map((left, at) => `${left.padEnd(COLUMN_WIDTH + COLUMN_GAP)}${cells[height + at] ?? ''}`.trimEnd());
}

function formatOthers(others: readonly OtherCommand[]): string[] {
  if (others.length === 0) return [];
  const names = others.map(({ name }) => `/${name}`);
  let count = names.length;
  while (count > 1 && names.slice(0, count).join(' ').length > MAX_OTHER_LENGTH - 40) count -= 1;
  const rest = count < names.length ? ` … and ${names.length - count} more` : '';
  return [`Also: ${names.slice(0, count).join(' ')}${rest}`];
}

/** The part before a remark. */
function shortenDoc(doc: string): string {
  return doc.split(/; | \(/, 1)[0] ?? doc;
}

/** Cuts between words. */
function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  return `${cut.slice(0, Math.max(1, cut.lastIndexOf(' ')))}…`;
}

function formatUsage({ name, argumentHint }: SlashCommand): string {
  return `/${name}${argumentHint ? ` ${argumentHint}` : ''}`;
}
