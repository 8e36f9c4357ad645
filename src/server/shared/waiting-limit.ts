// Decides when a client reads too slowly: too many bytes wait for it, and it reads nothing.
import type { Clock } from '../../contracts/index.ts';
import type { Outbox } from '../outbox.ts';

export interface WaitingLimitOptions {
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly maxBytes: number;
  /** Called once. */
  onExceeded(): void;
}

/** How long a client may read nothing while more than `maxBytes` wait. */
const STALL_MS = 10_000;
/**
 * The frames at the end of a run contain its messages several times, and are written before the client can read any of them. So a client
 * that reads may have so many times `maxBytes` waiting.
 */
const BURST_FACTOR = 4;

export class WaitingLimit {
  readonly #options: WaitingLimitOptions;
  /** Bytes that may wait in addition. */
  #exemptBytes = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(options: WaitingLimitOptions) {
    this.#options = options;
  }

  /** What waits now does not count. */
  exemptWaiting(): void {
    this.#exemptBytes = this.#options.outbox.waitingBytes;
  }

  /** To be called after frames were added. */
  check(): void {
    const { outbox, maxBytes, onExceeded } = this.#options;
    if (outbox.waitingBytes <= maxBytes) this.#exemptBytes = 0;
    if (outbox.waitingBytes > this.#exemptBytes + maxBytes * BURST_FACTOR) onExceeded();
    else if (this.#isStalling) this.#startTimer();
  }

  close(): void {
    this.#cancelTimer?.();
  }

  get #isStalling(): boolean {
    const { outbox, maxBytes } = this.#options;
    return outbox.waitingBytes > this.#exemptBytes + maxBytes;
  }

  #startTimer(): void {
    const { outbox, clock, onExceeded } = this.#options;
    if (this.#cancelTimer) return;
    const { writtenFrames } = outbox;
    this.#cancelTimer = clock.after(STALL_MS, () => {
      this.#cancelTimer = undefined;
      if (!this.#isStalling) return;
      if (outbox.writtenFrames === writtenFrames) onExceeded();
      else this.#startTimer();
    });
  }
}
