// Clients that receive the same frames of one session. Each event is encoded once; deltas are folded for a short time.
import { concatBytes } from '../../base/index.ts';
import type { Clock, EventEncoder, EventPosition, Frame } from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';

export interface FeedMember {
  receive(frames: readonly Frame[]): void;
}

/** The shortest time between two deliveries of deltas. */
const MIN_WINDOW_MS = 16;
/** Each delivery is one write per member, so many members get fewer and larger frames: 100 members one every 50 ms. */
const WINDOW_MS_PER_MEMBER = 0.5;
const MAX_WINDOW_MS = 50;

export class EventGroup {
  readonly members = new Set<FeedMember>();
  readonly #clock: Clock;
  readonly #encode: EventEncoder;
  #pending: Frame[] = [];
  #deliveredMs = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;
  #isFlushPlanned = false;

  constructor(clock: Clock, encode: EventEncoder) {
    this.#clock = clock;
    this.#encode = encode;
  }

  add(event: AgentEvent, position: EventPosition): void {
    const frame = this.#encode(event, position);
    for (let next = frame; next; next = next.followedBy) this.#addFrame(next);
    if (this.#pending.length === 0 || this.#isFlushPlanned) return;
    const waitMs = frame?.fold ? this.#deliveredMs + this.#getWindowMs() - this.#clock.now() : 0;
    if (waitMs <= 0) this.#planFlush();
    else this.#cancelTimer ??= this.#clock.after(waitMs, () => this.flush());
  }

  /** Delivers all frames now. Replies must not overtake the events before them. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#isFlushPlanned = false;
    if (this.#pending.length === 0) return;
    const frames = this.members.size > 1 ? this.#pending.map((frame) => new SharedFrame(frame)) : this.#pending;
    this.#pending = [];
    this.#deliveredMs = this.#clock.now();
    for (const member of [...this.members]) member.receive(frames);
  }

  #getWindowMs(): number {
    return Math.min(MAX_WINDOW_MS, Math.max(MIN_WINDOW_MS, this.members.size * WINDOW_MS_PER_MEMBER));
  }

  #addFrame(frame: Frame): void {
    const last = this.#pending.at(-1);
    const folded = last?.fold?.(frame);
    if (folded) this.#pending[this.#pending.length - 1] = folded;
    else this.#pending.push(frame);
  }

  /** Not at once, so that all events of one task are delivered together. */
  #planFlush(): void {
    this.#isFlushPlanned = true;
    queueMicrotask(() => this.flush());
  }
}

const encoder = new TextEncoder();

/** All members write the same bytes, which are created when the first one writes. Members that read slowly fold it. */
class SharedFrame implements Frame {
  readonly bytes: number;
  readonly #source: Frame;
  #chunks: readonly [Uint8Array] | undefined;
  fold?: (next: Frame) => Frame | undefined;

  constructor(source: Frame) {
    this.#source = source;
    this.bytes = source.bytes;
    if (source.fold) this.fold = (next) => this.#fold(next);
  }

  get chunks(): readonly [Uint8Array] {
    this.#chunks ??= [concatChunks(this.#source.chunks)];
    return this.#chunks;
  }

  #fold(next: Frame): Frame | undefined {
    const folded = this.#source.fold?.(next instanceof SharedFrame ? next.#source : next);
    return folded && new SharedFrame(folded);
  }
}

function concatChunks(chunks: Frame['chunks']): Uint8Array {
  if (chunks.every((chunk) => typeof chunk === 'string')) return encoder.encode(chunks.join(''));
  return concatBytes(chunks.map((chunk) => (typeof chunk === 'string' ? encoder.encode(chunk) : chunk)));
}
