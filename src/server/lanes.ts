// Schedules the calls of one session by their lanes.
import { createDeferred } from '../base/index.ts';
import type { Lane } from '../contracts/index.ts';

export interface LaneWork {
  lane: Lane;
  long: boolean;
  /**
   * `accept` lets the next work start before this one is done; only `run` work calls it. `replyTurn` resolves when the work
   * may reply, so that short calls are answered in order of arrival. `markSlow` reports that the work takes long: `now`
   * work after it no longer waits for it. Must not reject.
   */
  execute(accept: () => void, replyTurn: Promise<void>, markSlow: () => void): Promise<void>;
}

interface LaneSlot {
  long: boolean;
  finished: Promise<void>;
  /** Resolves when `now` work does not have to wait for this slot any more. */
  nowUnblocked: Promise<void>;
}

/** The lanes of one session. */
export class SessionLanes {
  /** `ordered` and `run` work that still blocks the next work, oldest first. */
  readonly #slots: LaneSlot[] = [];
  readonly #open = new Set<Promise<void>>();
  /** The newest short `now` work. It finishes after all earlier short `now` work. */
  #lastReply: Promise<void> = Promise.resolve();

  dispatch(work: LaneWork): void {
    const replyTurn = this.#lastReply;
    const done = work.lane === 'now' ? this.#runNow(work, replyTurn) : this.#runOrdered(work, replyTurn);
    if (work.lane === 'now' && !work.long) this.#lastReply = done;
    this.#open.add(done);
    void done.then(() => this.#open.delete(done));
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** Resolves when all dispatched work is done. */
  async waitUntilIdle(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  /** Waits for the short slots before the first long one. Slots after a long one have not started, so they have no effect yet. */
  async #runNow(work: LaneWork, replyTurn: Promise<void>): Promise<void> {
    const firstLong = this.#slots.findIndex((slot) => slot.long);
    const before = firstLong < 0 ? this.#slots.at(-1) : this.#slots[firstLong - 1];
    if (before) await before.nowUnblocked;
    await work.execute(
      () => {},
      replyTurn,
      () => {},
    );
  }

  async #runOrdered(work: LaneWork, replyTurn: Promise<void>): Promise<void> {
    const previous = this.#slots.at(-1);
    const finished = createDeferred();
    const nowUnblocked = createDeferred();
    const slot = { long: work.long, finished: finished.promise, nowUnblocked: nowUnblocked.promise };
    this.#slots.push(slot);
    const release = () => {
      const index = this.#slots.indexOf(slot);
      if (index >= 0) this.#slots.splice(index, 1);
      finished.resolve();
      nowUnblocked.resolve();
    };
    const markSlow = () => {
      slot.long = true;
      nowUnblocked.resolve();
    };
    if (previous) await previous.finished;
    await work.execute(work.lane === 'run' ? release : () => {}, replyTurn, markSlow);
    release();
  }
}
