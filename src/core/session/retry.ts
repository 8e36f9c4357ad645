// First floor, core: asking again after a failure that passes. Counts attempts and keeps the wait; the run itself is not its business.
import type { IdleTime, Retry } from '../../contracts/index.ts';
import type { AssistantMessage, Failure } from '../../protocol/index.ts';
import { delayBefore, isTransient, type RetrySettings } from '../policy/retry.ts';
import type { Seat } from './seat.ts';

export class RetryFacet implements Retry {
  enabled: boolean;
  readonly #seat: Seat;
  readonly #settings: RetrySettings;
  /** Retries made since the last good answer. */
  #attempt = 0;
  #failure: Failure | undefined;
  #idle: IdleTime | undefined;
  #wait: { cancel: AbortController; over: Promise<void> } | undefined;

  constructor(seat: Seat) {
    this.#seat = seat;
    this.#settings = seat.options.retry;
    this.enabled = seat.options.retry.enabled;
  }

  /** Resolves after the cancelled retry's last event. */
  async abort(): Promise<void> {
    this.#wait?.cancel.abort();
    await this.#wait?.over;
  }

  /** Told of every answer: a good one ends the count. */
  answered(message: AssistantMessage, failure: Failure | undefined): undefined | Promise<void> {
    this.#failure = failure;
    if (message.stopReason === 'error' || message.stopReason === 'aborted' || this.#attempt === 0) return undefined;
    const attempt = this.#attempt;
    this.#attempt = 0;
    return this.#seat.broadcast.emit({ type: 'auto_retry_end', success: true, attempt });
  }

  /** For the next request. A retry goes on with the idle time of the attempt before it. */
  idleTime(): IdleTime {
    if (this.#attempt === 0 || !this.#idle) this.#idle = { since: this.#seat.ports.clock.now() };
    return this.#idle;
  }

  /** Another attempt is due after this answer. */
  isDue(answer: AssistantMessage): boolean {
    return this.enabled && this.#attempt < this.#settings.maxRetries && isTransient(answer, this.#failure);
  }

  /** Waits for the time of the next attempt. `false` when it was cancelled: by `abort_retry`, or with the run. */
  async wait(answer: AssistantMessage, run: AbortSignal): Promise<boolean> {
    const { clock } = this.#seat.ports;
    const { emit } = this.#seat.broadcast;
    const attempt = ++this.#attempt;
    const delayMs = delayBefore(attempt, this.#settings, this.#failure);
    const cancel = new AbortController();
    let over = () => {};
    this.#wait = { cancel, over: new Promise((resolve) => (over = resolve)) };
    const stop = () => cancel.abort();
    run.addEventListener('abort', stop, { once: true });
    const errorMessage = answer.errorMessage ?? 'Unknown error';
    await emit({ type: 'auto_retry_start', attempt, maxAttempts: this.#settings.maxRetries, delayMs, errorMessage });
    if (run.aborted) stop();
    const before = clock.now();
    await clock.sleep(delayMs, cancel.signal);
    // The wait between two attempts is ours, not the provider's.
    if (this.#idle) this.#idle.since += clock.now() - before;
    run.removeEventListener('abort', stop);
    this.#wait = undefined;
    if (cancel.signal.aborted) this.giveUp('Retry cancelled');
    over();
    return !cancel.signal.aborted;
  }

  /** The last attempt failed, or there will be none. Says so if there was one. */
  giveUp(finalError: string): void {
    const attempt = this.#attempt;
    this.#attempt = 0;
    if (attempt > 0) void this.#seat.broadcast.emit({ type: 'auto_retry_end', success: false, attempt, finalError });
  }
}
