// Counts the steps of planned jobs for which the model was asked. The number in the end is known, whatever is repeated meanwhile.
import { countSteps, type PlannedJob } from './chaos-plan.ts';

export class JobProgress {
  /** The number when all jobs have ended. */
  readonly total: number;
  readonly #steps: ReadonlyMap<string, number>;
  readonly #reached = new Set<string>();

  constructor(jobs: readonly Pick<PlannedJob, 'name' | 'steps'>[]) {
    this.total = countSteps(jobs);
    this.#steps = new Map(jobs.map(({ name, steps }) => [name, steps]));
  }

  get count(): number {
    return this.#reached.size;
  }

  /** Jobs that are not planned are ignored. */
  reach(name: string, step: number): void {
    if (step <= (this.#steps.get(name) ?? -1)) this.#reached.add(`${name}/${step}`);
  }
}
