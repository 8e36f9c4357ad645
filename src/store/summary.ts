// The store's look at one session for the list: counts what is there without reading what was said.
import { isRecord } from '../base/json.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';
import type { SessionSummary } from '../contracts/store.ts';
import { textOf } from '../protocol/message.ts';
import { findHeader, titleIn } from './header.ts';
import { piece, type RawLine, STEP } from './line.ts';
import { linesForward } from './lines-forward.ts';

/** What the content of a file says about it. */
export type Summary = Omit<SessionSummary, 'path' | 'modifiedMs' | 'bytes'>;

const LONGEST_COUNTED = 32 * 1024 * 1024;
const LONGEST_OPENING = 120;
const HEAD_BYTES = 192;
const TAIL_BYTES = 1024;
const TYPE = /^\{"type":"([a-z_]+)"/;
const ROLE = /"message":\{"role":"(\w+)"/;
const COST = /"usage":\{[^{}]*"cost":\{[^{}]*"total":([-+\d.eE]+)[^{}]*\}/g;

/** `undefined` for a file that is not a session. */
export async function summarise(
  files: Files,
  { path, size, modifiedMs }: { path: string; size: number; modifiedMs: number },
): Promise<Summary | undefined> {
  const opened = await files.open(path, 'read');
  try {
    const file = await inOnePiece(opened, size);
    const found = await findHeader(file);
    if (!found) return undefined;
    const { id, cwd, timestamp, parentSession } = found.header;
    const count = new Count();
    for await (const batch of linesForward(file, found.end, size, LONGEST_COUNTED)) {
      for (const line of batch) count.add(line);
    }
    const name = count.name ?? titleIn(found.header);
    return {
      id,
      cwd,
      ...(name === undefined ? {} : { name }),
      ...(typeof parentSession === 'string' ? { parentSession } : {}),
      createdMs: Date.parse(timestamp) || modifiedMs,
      messages: count.messages,
      cost: count.cost,
      opening: count.opening ?? '',
    };
  } finally {
    await opened.close().catch(() => {});
  }
}

/** Most sessions are small: asking the system once instead of three times is most of what a list costs. */
async function inOnePiece(file: OpenFile, size: number): Promise<OpenFile> {
  if (size > STEP) return file;
  const whole = await piece(file, 0, size);
  return { ...file, read: async (position, length) => whole.subarray(position, position + length) };
}

class Count {
  messages = 0;
  cost = 0;
  name: string | undefined;
  opening: string | undefined;

  /** Every branch counts: it was all said, and paid for. */
  add({ bytes }: RawLine): void {
    if (!bytes) {
      // Nothing else gets so long.
      this.messages += 1;
      return;
    }
    const head = bytes.toString('latin1', 0, HEAD_BYTES);
    const type = TYPE.exec(head)?.[1];
    const role = type === 'message' ? ROLE.exec(head)?.[1] : undefined;
    if (role === 'assistant') this.#addAnswer(bytes);
    else if (type === undefined || type === 'session_info' || (type === 'message' && this.#mustRead(role))) {
      this.#read(bytes);
    } else if (type === 'message') this.messages += 1;
  }

  #mustRead(role: string | undefined): boolean {
    return role === undefined || (role === 'user' && this.opening === undefined);
  }

  /** The last usage on the line is the answer's own: what the model wrote stands before it. */
  #addAnswer(bytes: Buffer): void {
    const tail = bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES));
    const total = Number([...tail.matchAll(COST)].at(-1)?.[1]);
    if (Number.isNaN(total)) {
      this.#read(bytes);
      return;
    }
    this.messages += 1;
    this.cost += total;
  }

  #read(bytes: Buffer): void {
    const entry = parsed(bytes);
    if (entry.type === 'session_info' && typeof entry.name === 'string' && entry.name !== '') this.name = entry.name;
    if (entry.type !== 'message' || !isRecord(entry.message)) return;
    const { role, content, usage } = entry.message;
    this.messages += 1;
    if (role === 'user') this.opening ??= beginning(content);
    if (role === 'assistant' && isRecord(usage) && isRecord(usage.cost)) this.cost += Number(usage.cost.total) || 0;
  }
}

function beginning(content: unknown): string {
  const text = typeof content === 'string' ? content : Array.isArray(content) ? textOf(content.filter(isText)) : '';
  const line = text
    .slice(0, LONGEST_OPENING * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= LONGEST_OPENING ? line : `${line.slice(0, LONGEST_OPENING - 1)}…`;
}

function isText(block: unknown): block is { type: 'text'; text: string } {
  return isRecord(block) && block.type === 'text' && typeof block.text === 'string';
}

function parsed(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
