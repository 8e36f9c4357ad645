// Limits how often something happens: a number of times at once, and a number per second.
import type { Clock } from '../contracts/index.ts';

export interface RateLimitOptions {
  readonly maxAtOnce: number;
  readonly perSecond: number;
}

/** For the frames and requests of one client. */
export const CLIENT_RATE: RateLimitOptions = { maxAtOnce: 5000, perSecond: 1000 };

export class RateLimit {
  readonly #clock: Clock;
  readonly #options: RateLimitOptions;
  #available: number;
  #updatedMs: number;

  constructor(clock: Clock, options: RateLimitOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#available = options.maxAtOnce;
    this.#updatedMs = clock.now();
  }

  /** Returns false when the limit is exceeded. */
  take(): boolean {
    if (this.#available < 1) {
      const { maxAtOnce, perSecond } = this.#options;
      const now = this.#clock.now();
      this.#available = Math.min(maxAtOnce, ((now - this.#updatedMs) / 1000) * perSecond);
      if (this.#available < 1) return false;
      this.#updatedMs = now;
    }
    this.#available -= 1;
    return true;
  }
}
