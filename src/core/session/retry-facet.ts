// Counts and delays retries after transient failures of the provider.
import type { IdleTime, Retry } from '../../contracts/index.ts';
import type { AssistantMessage, ProviderFailure } from '../../protocol/index.ts';
import type { RetrySettings } from '../policy/retry-policy.ts';
import type { SessionState } from './session-state.ts';

export class RetryFacet implements Retry {
  enabled: boolean;
  readonly #state: SessionState;
  readonly settings: RetrySettings;
  /** Retries since the last successful answer. */
  attempt = 0;
  /** Of the last answer. */
  providerFailure: ProviderFailure | undefined;
  #idle: IdleTime | undefined;
  #wait: { cancel: AbortController; ended: Promise<void> } | undefined;

  constructor(state: SessionState) {
    this.#state = state;
    this.settings = state.options.retry;
    this.enabled = state.options.retry.enabled;
  }

  /** Resolves after the cancelled retry's last event. */
  async abort(): Promise<void> {
    this.#wait?.cancel.abort();
    await this.#wait?.ended;
  }

  /** Called for every answer. A successful answer resets the count. */
  onAnswer(message: AssistantMessage, providerFailure: ProviderFailure | undefined): undefined | Promise<void> {
    this.providerFailure = providerFailure;
    if (message.stopReason === 'error' || message.stopReason === 'aborted' || this.attempt === 0) return undefined;
    const attempt = this.attempt;
    this.attempt = 0;
    return this.#state.broadcast.emit({ type: 'auto_retry_end', success: true, attempt });
  }

  /** For the next request. A retry continues the idle time of the previous attempt. */
  getIdleTime(): IdleTime {
    if (this.attempt === 0 || !this.#idle) this.#idle = { sinceMs: this.#state.ports.clock.now() };
    return this.#idle;
  }

  /** Waits for the retry delay. Returns false if `abort_retry` or an abort of the run cancelled it. */
  async waitForRetry(answer: AssistantMessage, run: AbortSignal, delayMs: number): Promise<boolean> {
    const { clock } = this.#state.ports;
    const { emit } = this.#state.broadcast;
    const attempt = ++this.attempt;
    const cancel = new AbortController();
    let resolveEnded = () => {};
    this.#wait = { cancel, ended: new Promise((resolve) => (resolveEnded = resolve)) };
    const stop = () => cancel.abort();
    run.addEventListener('abort', stop, { once: true });
    const errorMessage = answer.errorMessage ?? 'Unknown error';
    await emit({ type: 'auto_retry_start', attempt, maxAttempts: this.settings.maxRetries, delayMs, errorMessage });
    if (run.aborted) stop();
    const waitStart = clock.now();
    await clock.sleep(delayMs, cancel.signal);
    // The delay between two attempts does not count as idle time of the provider.
    if (this.#idle) this.#idle.sinceMs += clock.now() - waitStart;
    run.removeEventListener('abort', stop);
    this.#wait = undefined;
    if (cancel.signal.aborted) this.reportFailure('Retry cancelled');
    resolveEnded();
    return !cancel.signal.aborted;
  }

  /** Emits `auto_retry_end` if there was a retry. No more attempts follow. */
  reportFailure(finalError: string): void {
    const attempt = this.attempt;
    this.attempt = 0;
    if (attempt > 0) void this.#state.broadcast.emit({ type: 'auto_retry_end', success: false, attempt, finalError });
  }
}
