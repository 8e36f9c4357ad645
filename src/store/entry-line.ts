// The store's reading of one line: which entry it is, and what is wrong with it. Knows the log's format, not conversations.
import { isRecord } from '../base/json.ts';
import type { SessionEntry } from '../protocol/entry.ts';
import { openingOf, type RawLine } from './line.ts';
import { inOurSpelling } from './spelling.ts';

/** What is needed to follow the tree without reading the entry. */
export interface EntryHead {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  /** Who speaks, where the line says so in the usual place. */
  readonly role?: string | undefined;
}

export type ReadLine =
  | { readonly entry: SessionEntry; readonly problem?: string }
  | { readonly entry?: undefined; readonly problem: string }
  /** Another header: some program's leftover, no entry and no damage. */
  | { readonly entry?: undefined; readonly problem?: undefined };

const HEAD_BYTES = 256;
/** Every program that writes this format begins its entries so. Ids with anything unusual in them take the long way. */
const HEAD =
  /^\{"type":"([a-z_]+)","id":"([\w.:/-]+)","parentId":(?:null|"([\w.:/-]+)"),"(?:timestamp":"[\w.:+-]*","message":\{"role":"(\w+)",)?/;
/** Quotes inside of strings are escaped, so that no text can look like this. */
const SECOND = '{"type":"';
const ENTRY_WITHIN = /\{"type":"[a-z_]+","id":"/g;
const MOST_ATTEMPTS = 8;

/** Looks at the first bytes only, which stand before anything nested: what is in the messages cannot be mistaken for it. */
export function headOf(line: RawLine): EntryHead | undefined {
  return headIn(openingOf(line, HEAD_BYTES));
}

function headIn(opening: string): EntryHead | undefined {
  const match = HEAD.exec(opening);
  if (!match) return undefined;
  return { type: match[1] as string, id: match[2] as string, parentId: match[3] ?? null, role: match[4] };
}

/** Whether another entry seems to begin further on: a line that lost its end holds the next one too. */
export function isFused(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(SECOND, 1, 'latin1'); at > 0; at = bytes.indexOf(SECOND, at + 1, 'latin1')) {
    if (headIn(bytes.toString('latin1', at, at + HEAD_BYTES))) return true;
  }
  return false;
}

export function readLine(line: RawLine): ReadLine {
  if (line.bytes === undefined) return { problem: `a line of ${line.length} bytes is too long to be read` };
  const text = line.bytes.toString('utf8');
  const value = parsed(text);
  if (value !== undefined) return judged(value);
  const rest = entryWithin(text);
  const problem = describe(line.bytes);
  return rest ? { entry: rest, problem: `${problem}; the entry after them on the same line was kept` } : { problem };
}

function judged(value: unknown): ReadLine {
  if (!isRecord(value) || typeof value.type !== 'string') return { problem: 'a line is not an entry' };
  if (value.type === 'session') return {};
  if (typeof value.id !== 'string' || value.id === '') return { problem: `a ${value.type} entry has no id` };
  const entry = inOurSpelling(value as Record<string, unknown> & { type: string; id: string });
  return entry ? { entry } : { problem: `the ${value.type} entry ${value.id} lacks what it is made of` };
}

/** A torn or zeroed piece without a line end swallows the beginning of what was written next; the next entry is whole. */
function entryWithin(text: string): SessionEntry | undefined {
  let attempts = 0;
  for (const { index } of text.matchAll(ENTRY_WITHIN)) {
    if (index === 0) continue;
    const entry = judged(parsed(text.slice(index))).entry;
    attempts += 1;
    if (entry || attempts === MOST_ATTEMPTS) return entry;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe(bytes: Buffer): string {
  const zeros = bytes.includes(0) ? ' (zeros among them)' : '';
  return `${bytes.length} unreadable bytes${zeros} were passed over`;
}
