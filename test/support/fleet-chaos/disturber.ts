// Executes planned disturbances one after the other, while work goes on.
import { waitUntil } from '../wait-until.ts';
import { type Disturbance, describeDisturbance } from './chaos-plan.ts';
import type { JobProgress } from './job-progress.ts';

export interface DisturberOptions {
  readonly plan: readonly Disturbance[];
  readonly progress: JobProgress;
  /** Resolves when the disturbance has ended. */
  act(disturbance: Disturbance): Promise<void>;
}

/** Work may stand still as long as all processes recover from a disturbance. */
const MAX_WAIT_MS = 300_000;

export class Disturber {
  readonly #options: DisturberOptions;
  #begun = 0;
  #isActing = false;
  #isStopped = false;

  constructor(options: DisturberOptions) {
    this.#options = options;
  }

  /** Resolves when the whole plan was executed. */
  async run(): Promise<void> {
    const { plan, progress, act } = this.#options;
    for (const disturbance of plan) {
      const begin = this.#begun === 0 ? disturbance.at : Math.max(disturbance.at, progress.count + disturbance.delay);
      const isDue = () => this.#isStopped || progress.count >= Math.min(begin, progress.total);
      await waitUntil(isDue, MAX_WAIT_MS).catch(() => {
        throw new Error(`Nothing is done any more at step ${progress.count} of ${progress.total}`);
      });
      if (this.#isStopped) return;
      this.#begun += 1;
      this.#isActing = true;
      await act(disturbance);
      this.#isActing = false;
    }
  }

  /** Waits while the next disturbance is due and the current one has not ended. Otherwise the last ones would find no work. */
  async waitForTurn(): Promise<void> {
    const { plan, progress } = this.#options;
    const isBehind = () => this.#isActing && (plan[this.#begun]?.at ?? Number.POSITIVE_INFINITY) <= progress.count;
    await waitUntil(() => this.#isStopped || !isBehind(), MAX_WAIT_MS);
  }

  /** No further disturbance begins. */
  stop(): void {
    this.#isStopped = true;
  }

  /** The part of the plan that was executed. */
  describe(): string {
    return this.#options.plan.slice(0, this.#begun).map(describeDisturbance).join(', ');
  }
}
