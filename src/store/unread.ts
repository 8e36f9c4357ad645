// The store's unread messages: on the path by what their lines begin with, read when somebody wants to know what was said.
import type { EntryOnPath, LogDamage, UnreadMessage } from '../contracts/store.ts';
import type { SessionEntry } from '../protocol/entry.ts';
import { type EntryHead, readLine } from './entry-line.ts';
import { lastByteOf, type RawLine } from './line.ts';

const SPOKEN = new Set(['user', 'assistant', 'toolResult', 'bashExecution']);
const BRACE = 0x7d;

/** Whether a line can be taken for a message of the usual kind by its two ends. */
export function looksWhole({ type, role }: EntryHead, line: RawLine): boolean {
  return type === 'message' && role !== undefined && SPOKEN.has(role) && lastByteOf(line) === BRACE;
}

/** What is wrong with it is told to `damage` when it is read, once. A class, because there are tens of thousands of them. */
export class UnreadLine implements UnreadMessage {
  readonly type = 'unread';
  readonly id: string;
  readonly role: string;
  readonly #line: RawLine;
  readonly #damage: LogDamage[];
  #read: { entry: SessionEntry | undefined } | undefined;

  constructor({ id, role = '' }: EntryHead, line: RawLine, damage: LogDamage[]) {
    this.id = id;
    this.role = role;
    this.#line = line;
    this.#damage = damage;
  }

  read(): SessionEntry | undefined {
    this.#read ??= { entry: this.#parsed() };
    return this.#read.entry;
  }

  mentions(words: string): boolean {
    return this.#line.bytes?.includes(words) ?? false;
  }

  #parsed(): SessionEntry | undefined {
    const { entry, problem } = readLine(this.#line);
    if (problem !== undefined) this.#damage.push({ offset: this.#line.start, message: problem });
    return entry?.id === this.id ? entry : undefined;
  }
}

export function readAll(path: readonly EntryOnPath[]): SessionEntry[] {
  return path.flatMap((entry) => (entry.type === 'unread' ? (entry.read() ?? []) : entry));
}
