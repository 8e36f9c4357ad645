// The open runs of this process: which of them are recorded as workflows, and when they end.
import { createDeferred, type Deferred } from '../../base/index.ts';
import type { RunListener, RunReference, RunWorkflows } from '../../contracts/index.ts';

export interface RunTrackerOptions {
  /** Starts a workflow. */
  start: RunWorkflows['start'];
  /** Another process writes to the session now. */
  onLost(run: RunReference): void;
}

export class RunTracker implements RunListener {
  readonly #options: RunTrackerOptions;
  readonly #open = new Map<string, Deferred<void>>();
  readonly #taken = new Set<string>();
  #isStopping = false;

  constructor(options: RunTrackerOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** The workflow of the run exists already. Resolves when the run has ended. Call `forget` if it is not executed here. */
  adopt(run: RunReference): Promise<void> {
    return this.#add(run).promise;
  }

  forget(run: RunReference): void {
    this.#end(run);
  }

  async onOpen(run: RunReference): Promise<void> {
    if (this.#open.has(toKey(run))) return;
    const { promise } = this.#add(run);
    try {
      await this.#options.start(run, () => promise);
    } catch (problem) {
      this.#end(run);
      throw problem;
    }
  }

  onTaken(run: RunReference): void {
    this.#taken.add(toKey(run));
  }

  /** Whether the run of the session that was just opened has to be continued. Only once for each time it is opened. */
  removeTaken(run: RunReference): boolean {
    return this.#taken.delete(toKey(run));
  }

  onEnd(run: RunReference): void {
    this.#end(run);
  }

  /** When the process stops, the workflow stays open, so that another node continues the run. */
  onRelease(run: RunReference): void {
    if (!this.#isStopping) this.#end(run);
  }

  onLost(run: RunReference): void {
    this.#end(run);
    this.#options.onLost(run);
  }

  /** From now on, runs whose sessions are closed stay recorded. */
  stop(): void {
    this.#isStopping = true;
  }

  #add(run: RunReference): Deferred<void> {
    const key = toKey(run);
    const known = this.#open.get(key) ?? createDeferred();
    this.#open.set(key, known);
    return known;
  }

  #end(run: RunReference): void {
    const key = toKey(run);
    this.#open.get(key)?.resolve();
    this.#open.delete(key);
  }
}

function toKey({ tenant, sessionId }: RunReference): string {
  return JSON.stringify([tenant, sessionId]);
}
