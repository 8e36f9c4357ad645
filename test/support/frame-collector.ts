// Collects the frames of a program and waits for a matching frame.
import { isDeepStrictEqual } from 'node:util';
import { isRecord, type Line, LineSplitter } from '../../src/base/index.ts';
import { withDeadline } from './deadline.ts';

/** A line of stdout. A line that is not a JSON object has the type `unreadable`. */
export type WireFrame = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A predicate, or the members that a frame must have. */
export type FrameMatcher = ((frame: WireFrame) => boolean) | Readonly<Record<string, unknown>>;

interface Waiter {
  readonly wanted: FrameMatcher;
  found(frame: WireFrame): void;
  fail(reason: Error): void;
}

export class FrameCollector {
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

  push(chunk: Uint8Array): void {
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
  next(frameMatcher: FrameMatcher): Promise<WireFrame> {
    const frame = new Promise<WireFrame>((found, fail) => {
      this.#waiter = { wanted: frameMatcher, found, fail };
      this.#search();
    });
    return withDeadline(frame, `a frame that matches ${describeMatcher(frameMatcher)}`, () => this.#newest());
  }

  #newest(): string {
    return `The newest frames were:\n${this.frames
      .slice(-5)
      .map((frame) => JSON.stringify(frame).slice(0, 1000))
      .join('\n')}`;
  }

  #add(lines: readonly Line[]): void {
    for (const line of lines)
      this.frames.push('text' in line ? parseFrame(line.text) : createUnreadableFrame(line.problem));
    if (lines.length > 0) this.#search();
  }

  #search(): void {
    const waiter = this.#waiter;
    if (!waiter) return;
    while (this.#next < this.frames.length) {
      const frame = this.frames[this.#next++] as WireFrame;
      if (!matches(frame, waiter.wanted)) continue;
      this.#waiter = undefined;
      waiter.found(frame);
      return;
    }
    if (this.#closed === undefined) return;
    this.#waiter = undefined;
    waiter.fail(new Error(`No frame matched ${describeMatcher(waiter.wanted)}: ${this.#closed}`));
  }
}

function describeMatcher(frameMatcher: FrameMatcher): string {
  return typeof frameMatcher === 'function' ? String(frameMatcher) : JSON.stringify(frameMatcher);
}

function matches(frame: WireFrame, frameMatcher: FrameMatcher): boolean {
  if (typeof frameMatcher === 'function') return frameMatcher(frame);
  return Object.entries(frameMatcher).every(([key, value]) => isDeepStrictEqual(frame[key], value));
}

function parseFrame(text: string): WireFrame {
  try {
    const frame: unknown = JSON.parse(text);
    if (isRecord(frame) && typeof frame.type === 'string') return frame as WireFrame;
    // JSON-RPC frames have no `type`.
    if (isRecord(frame) && frame.jsonrpc === '2.0') return { type: 'jsonrpc', ...frame };
  } catch {
    // Reported as unreadable below.
  }
  return createUnreadableFrame(text);
}

function createUnreadableFrame(text: string): WireFrame {
  return { type: 'unreadable', text };
}
