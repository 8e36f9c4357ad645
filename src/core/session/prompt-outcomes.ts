// The accepted prompts whose outcome is not yet reported, and how the run ended that processed them.
import type { RunRequest } from '../../contracts/index.ts';
import type { PromptOutcome } from '../../protocol/index.ts';

export type OutcomeListener = NonNullable<RunRequest['onOutcome']>;
export type RunResult = Omit<PromptOutcome, 'sessionSettled'>;

export class PromptOutcomes {
  readonly #isSettled: () => boolean;
  /** Prompts whose message the current run has taken. */
  #inRun: OutcomeListener[] = [];
  /** Index in #ended of the prompts of the latest run. */
  #resumableFrom = 0;
  #ended: { listener: OutcomeListener; result: RunResult }[] = [];

  constructor(isSettled: () => boolean) {
    this.#isSettled = isSettled;
  }

  /** A message of this prompt is part of the current run. */
  addToRun(listener: OutcomeListener | undefined): void {
    if (listener) this.#inRun.push(listener);
  }

  /** The messages taken so far are processed. Later ones belong to the next run. */
  endRun(result: RunResult): void {
    this.#resumableFrom = this.#ended.length;
    this.#ended.push(...this.#inRun.map((listener) => ({ listener, result })));
    this.#inRun = [];
  }

  /** The run that has just ended is continued: its prompts get the result of the continuation. */
  resumeRun(): void {
    this.#inRun.unshift(...this.#ended.splice(this.#resumableFrom).map(({ listener }) => listener));
  }

  /** For a prompt that no run has processed. */
  reportNotInvoked(listener: OutcomeListener | undefined, result: Omit<RunResult, 'agentInvoked'>): void {
    listener?.({ agentInvoked: false, ...result, sessionSettled: this.#isSettled() });
  }

  report(sessionSettled: boolean): void {
    const ended = this.#ended;
    this.#ended = [];
    for (const { listener, result } of ended) listener({ ...result, sessionSettled });
  }
}
