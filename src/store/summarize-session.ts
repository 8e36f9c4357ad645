// Counts the messages and the cost of a session for the session list, without parsing most lines.
import { isRecord } from '../base/json.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';
import type { SessionSummary } from '../contracts/session-store.ts';
import { extractText } from '../protocol/message.ts';
import { isLogInterrupted } from './is-log-interrupted.ts';
import { CHUNK_BYTES, type RawLine, readChunk } from './raw-line.ts';
import { readLinesForward } from './read-lines-forward.ts';
import { getTitle, tryReadHeader } from './session-header.ts';

/** The part of the summary that follows from the file content. */
export type ContentSummary = Omit<SessionSummary, 'path' | 'modifiedMs' | 'bytes'>;

const MAX_COUNTED_LINE_BYTES = 32 * 1024 * 1024;
const MAX_OPENING_LENGTH = 120;
const HEAD_BYTES = 192;
const TAIL_BYTES = 1024;
const TYPE = /^\{"type":"([a-z_]+)"/;
const ROLE = /"message":\{"role":"(\w+)"/;
const COST = /"usage":\{[^{}]*"cost":\{[^{}]*"total":([-+\d.eE]+)[^{}]*\}/g;

/** `undefined` for a file that is not a session. */
export async function summarizeSession(
  files: Files,
  { path, size, modifiedMs }: { path: string; size: number; modifiedMs: number },
): Promise<ContentSummary | undefined> {
  const opened = await files.open(path, 'read');
  try {
    const file = await preloadSmallFile(opened, size);
    const found = await tryReadHeader(file);
    if (!found) return undefined;
    const { id, cwd, timestamp, parentSession } = found.header;
    const counter = new SessionCounter();
    for await (const batch of readLinesForward(file, found.end, size, MAX_COUNTED_LINE_BYTES)) {
      for (const line of batch) counter.add(line);
    }
    const name = counter.name ?? getTitle(found.header);
    return {
      id,
      cwd,
      ...(name === undefined ? {} : { name }),
      ...(typeof parentSession === 'string' ? { parentSession } : {}),
      createdMs: Date.parse(timestamp) || modifiedMs,
      messages: counter.messages,
      cost: counter.cost,
      opening: counter.opening ?? '',
      interrupted: await isLogInterrupted(file, size),
    };
  } finally {
    await opened.close().catch(() => {});
  }
}

/** Most sessions are small. One read instead of three saves most of the time of a list. */
async function preloadSmallFile(file: OpenFile, size: number): Promise<OpenFile> {
  if (size > CHUNK_BYTES) return file;
  const whole = await readChunk(file, 0, size);
  return { ...file, read: async (position, length) => whole.subarray(position, position + length) };
}

export class SessionCounter {
  messages: number;
  cost: number;
  name: string | undefined;
  opening: string | undefined;

  /** The values after the lines before those that are added. */
  constructor(messages = 0, cost = 0, name?: string, opening?: string) {
    this.messages = messages;
    this.cost = cost;
    this.name = name;
    this.opening = opening;
  }

  /** Counts the messages of all branches, because all of them were paid for. */
  add({ bytes }: RawLine): void {
    if (!bytes) {
      // Only messages can be longer than the limit.
      this.messages += 1;
      return;
    }
    const head = bytes.toString('latin1', 0, HEAD_BYTES);
    const type = TYPE.exec(head)?.[1];
    const role = type === 'message' ? ROLE.exec(head)?.[1] : undefined;
    if (role === 'assistant') this.#addAssistantMessage(bytes);
    else if (type === undefined || type === 'session_info' || (type === 'message' && this.#mustParse(role))) {
      this.#addParsed(bytes);
    } else if (type === 'message') this.messages += 1;
  }

  #mustParse(role: string | undefined): boolean {
    return role === undefined || (role === 'user' && this.opening === undefined);
  }

  /** The last `usage` on the line is the one of the message, because the content comes before it. */
  #addAssistantMessage(bytes: Buffer): void {
    const tail = bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES));
    const total = Number([...tail.matchAll(COST)].at(-1)?.[1]);
    if (Number.isNaN(total)) {
      this.#addParsed(bytes);
      return;
    }
    this.messages += 1;
    this.cost += total;
  }

  #addParsed(bytes: Buffer): void {
    const entry = tryParseEntry(bytes);
    if (entry.type === 'session_info' && typeof entry.name === 'string' && entry.name !== '') this.name = entry.name;
    if (entry.type !== 'message' || !isRecord(entry.message)) return;
    const { role, content, usage } = entry.message;
    this.messages += 1;
    if (role === 'user') this.opening ??= formatOpening(content);
    if (role === 'assistant' && isRecord(usage) && isRecord(usage.cost)) this.cost += Number(usage.cost.total) || 0;
  }
}

function formatOpening(content: unknown): string {
  const text =
    typeof content === 'string' ? content : Array.isArray(content) ? extractText(content.filter(isTextBlock)) : '';
  const line = text
    .slice(0, MAX_OPENING_LENGTH * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= MAX_OPENING_LENGTH ? line : `${line.slice(0, MAX_OPENING_LENGTH - 1)}…`;
}

function isTextBlock(block: unknown): block is { type: 'text'; text: string } {
  return isRecord(block) && block.type === 'text' && typeof block.text === 'string';
}

function tryParseEntry(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
