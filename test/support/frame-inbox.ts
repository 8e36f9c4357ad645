// Collects the frames of a program and waits for a matching frame.
import { isDeepStrictEqual } from 'node:util';
import { isRecord, type Line, LineSplitter } from '../../src/base/index.ts';
import { within } from './deadline.ts';

/** A line of stdout. A line that is not a JSON object has the type `unreadable`. */
export type WireFrame = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A predicate, or the members that a frame must have. */
export type Wanted = ((frame: WireFrame) => boolean) | Readonly<Record<string, unknown>>;

interface Waiter {
  readonly wanted: Wanted;
  found(frame: WireFrame): void;
  fail(reason: Error): void;
}

export class FrameInbox {
  readonly frames: WireFrame[] = [];
  readonly #bytes: Uint8Array[] = [];
  readonly #splitter = new LineSplitter();
  #next = 0;
  #waiter: Waiter | undefined;
  #closed: string | undefined;

  /** All received text. */
  get text(): string {
    return Buffer.concat(this.#bytes).toString('utf8');
  }

  take(chunk: Uint8Array): void {
    this.#bytes.push(chunk);
    this.#add(this.#splitter.push(chunk));
  }

  /** The end of the input. A pending `next()` rejects with `reason`. */
  close(reason: string): void {
    this.#add(this.#splitter.end());
    this.#closed = reason;
    this.#search();
  }

  /** Only one pending call is supported: a test reads frames in order. */
  next(wanted: Wanted): Promise<WireFrame> {
    const frame = new Promise<WireFrame>((found, fail) => {
      this.#waiter = { wanted, found, fail };
      this.#search();
    });
    return within(frame, `a frame that matches ${textOf(wanted)}`, () => this.#newest());
  }

  #newest(): string {
    return `The newest frames were:\n${this.frames
      .slice(-5)
      .map((frame) => JSON.stringify(frame).slice(0, 1000))
      .join('\n')}`;
  }

  #add(lines: readonly Line[]): void {
    for (const line of lines) this.frames.push('text' in line ? parsed(line.text) : unreadable(line.problem));
    if (lines.length > 0) this.#search();
  }

  #search(): void {
    const waiter = this.#waiter;
    if (!waiter) return;
    while (this.#next < this.frames.length) {
      const frame = this.frames[this.#next++] as WireFrame;
      if (!fits(frame, waiter.wanted)) continue;
      this.#waiter = undefined;
      waiter.found(frame);
      return;
    }
    if (this.#closed === undefined) return;
    this.#waiter = undefined;
    waiter.fail(new Error(`No frame matched ${textOf(waiter.wanted)}: ${this.#closed}`));
  }
}

function textOf(wanted: Wanted): string {
  return typeof wanted === 'function' ? String(wanted) : JSON.stringify(wanted);
}

function fits(frame: WireFrame, wanted: Wanted): boolean {
  if (typeof wanted === 'function') return wanted(frame);
  return Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(frame[key], value));
}

function parsed(text: string): WireFrame {
  try {
    const frame: unknown = JSON.parse(text);
    if (isRecord(frame) && typeof frame.type === 'string') return frame as WireFrame;
    // JSON-RPC frames have no `type`.
    if (isRecord(frame) && frame.jsonrpc === '2.0') return { type: 'jsonrpc', ...frame };
  } catch {
    // Reported as unreadable below.
  }
  return unreadable(text);
}

function unreadable(text: string): WireFrame {
  return { type: 'unreadable', text };
}
