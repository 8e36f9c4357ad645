// Parses one line of a log: which entry it is, or what is wrong with it.
import { isRecord, tryParseJson } from '../base/json.ts';
import type { SessionEntry } from '../protocol/session-entry.ts';
import { normalizeEntry } from './normalize-entry.ts';
import { getLinePrefix, type RawLine } from './raw-line.ts';

/** The fields that are needed to follow the tree without parsing the whole entry. */
export interface EntryHead {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  /** The role of the message, if it is at its usual position. */
  readonly role?: string | undefined;
}

export type ParsedLine =
  | { readonly entry: SessionEntry; readonly problem?: string }
  | { readonly entry?: undefined; readonly problem: string }
  /** A repeated header, written by some programs: neither an entry nor damage. */
  | { readonly entry?: undefined; readonly problem?: undefined };

const HEAD_BYTES = 256;
/** All programs that write this format start entries like this. Lines with unusual ids are parsed completely. */
const HEAD_PATTERN =
  /^\{"type":"([a-z_]+)","id":"([\w.:/-]+)","parentId":(?:null|"([\w.:/-]+)"),"(?:timestamp":"[\w.:+-]*","message":\{"role":"(\w+)",)?/;
/** Quotes inside strings are escaped, so text content cannot match this. */
const ENTRY_START = '{"type":"';
const ENTRY_START_PATTERN = /\{"type":"[a-z_]+","id":"/g;
const MAX_RECOVERY_ATTEMPTS = 8;

/** Examines only the first bytes. They precede all nested values, so message content cannot match. */
export function parseHead(line: RawLine): EntryHead | undefined {
  return matchHead(getLinePrefix(line, HEAD_BYTES));
}

function matchHead(prefix: string): EntryHead | undefined {
  const match = HEAD_PATTERN.exec(prefix);
  if (!match) return undefined;
  return { type: match[1] as string, id: match[2] as string, parentId: match[3] ?? null, role: match[4] };
}

/** Whether another entry seems to start later in the line. A line that lost its line end also contains the next entry. */
export function hasSecondEntry(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(ENTRY_START, 1, 'latin1'); at > 0; at = bytes.indexOf(ENTRY_START, at + 1, 'latin1')) {
    if (matchHead(bytes.toString('latin1', at, at + HEAD_BYTES))) return true;
  }
  return false;
}

export function parseLine(line: RawLine): ParsedLine {
  if (line.bytes === undefined) return { problem: `a line of ${line.length} bytes is too long to read` };
  const text = line.bytes.toString('utf8');
  const value = tryParseJson(text);
  if (value !== undefined) return validateEntry(value);
  const recovered = recoverEntry(text);
  const problem = describeUnreadable(line.bytes);
  return recovered
    ? { entry: recovered, problem: `${problem}; the entry after them on the same line was recovered` }
    : { problem };
}

function validateEntry(value: unknown): ParsedLine {
  if (!isRecord(value) || typeof value.type !== 'string') return { problem: 'a line is not an entry' };
  if (value.type === 'session') return {};
  if (typeof value.id !== 'string' || value.id === '') return { problem: `a ${value.type} entry has no id` };
  const entry = normalizeEntry(value as Record<string, unknown> & { type: string; id: string });
  return entry ? { entry } : { problem: `the ${value.type} entry ${value.id} lacks required fields` };
}

/** A torn or zeroed piece without a line end precedes the next entry on the same line. That next entry is complete. */
function recoverEntry(text: string): SessionEntry | undefined {
  let attempts = 0;
  for (const { index } of text.matchAll(ENTRY_START_PATTERN)) {
    if (index === 0) continue;
    const entry = validateEntry(tryParseJson(text.slice(index))).entry;
    attempts += 1;
    if (entry || attempts === MAX_RECOVERY_ATTEMPTS) return entry;
  }
  return undefined;
}

function describeUnreadable(bytes: Buffer): string {
  const zeros = bytes.includes(0) ? ' (including zero bytes)' : '';
  return `${bytes.length} unreadable bytes${zeros} were skipped`;
}
