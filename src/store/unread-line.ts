// A message on the path that is parsed on demand. Its id and role are known from the start of its line.
import type { LogDamage, PathEntry, UnreadMessage } from '../contracts/session-store.ts';
import type { SessionEntry } from '../protocol/session-entry.ts';
import { type EntryHead, parseLine } from './entry-line.ts';
import { getLastByte, type RawLine } from './raw-line.ts';

const MESSAGE_ROLES = new Set(['user', 'assistant', 'toolResult', 'bashExecution']);
const CLOSING_BRACE = 0x7d;

/** Whether the start and the last byte of a line look like a complete message. */
export function looksLikeMessage({ type, role }: EntryHead, line: RawLine): boolean {
  return type === 'message' && role !== undefined && MESSAGE_ROLES.has(role) && getLastByte(line) === CLOSING_BRACE;
}

/** Damage is added to `damage` once, when the line is parsed. This is a class because there may be tens of thousands. */
export class UnreadLine implements UnreadMessage {
  readonly type = 'unread';
  readonly id: string;
  readonly role: string;
  readonly #line: RawLine;
  readonly #damage: LogDamage[];
  #result: { entry: SessionEntry | undefined } | undefined;

  constructor({ id, role = '' }: EntryHead, line: RawLine, damage: LogDamage[]) {
    this.id = id;
    this.role = role;
    this.#line = line;
    this.#damage = damage;
  }

  read(): SessionEntry | undefined {
    this.#result ??= { entry: this.#parse() };
    return this.#result.entry;
  }

  containsText(text: string): boolean {
    return this.#line.bytes?.includes(text) ?? false;
  }

  #parse(): SessionEntry | undefined {
    const { entry, problem } = parseLine(this.#line);
    if (problem !== undefined) this.#damage.push({ offset: this.#line.start, message: problem });
    return entry?.id === this.id ? entry : undefined;
  }
}

export function readAllEntries(path: readonly PathEntry[]): SessionEntry[] {
  return path.flatMap((entry) => (entry.type === 'unread' ? (entry.read() ?? []) : entry));
}
