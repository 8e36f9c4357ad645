// First floor, server: which call may run beside which. Knows lanes, never names.
import { deferred } from '../base/index.ts';
import type { Lane } from '../contracts/index.ts';

export interface LaneRequest {
  lane: Lane;
  long: boolean;
  /**
   * `accept` lets the next one begin before this one is done; only `run` work calls it. `turn` is when it may reply, so
   * that short ones are answered in the order they came. `slow` says that it takes longer than a short one may: `now`
   * work behind it goes on. Must not reject.
   */
  work(accept: () => void, turn: Promise<void>, slow: () => void): Promise<void>;
}

interface Turn {
  long: boolean;
  over: Promise<void>;
  /** `now` work need not wait for it any more. */
  passable: Promise<void>;
}

/** The lanes of one session. */
export class Lanes {
  /** `ordered` and `run` work that has not let go of its turn yet, oldest first. */
  readonly #turns: Turn[] = [];
  readonly #open = new Set<Promise<void>>();
  /** The newest short `now` work, which is done after all those before it. */
  #answered: Promise<void> = Promise.resolve();

  dispatch(request: LaneRequest): void {
    const answered = this.#answered;
    const done = request.lane === 'now' ? this.#now(request, answered) : this.#inTurn(request, answered);
    if (request.lane === 'now' && !request.long) this.#answered = done;
    this.#open.add(done);
    void done.then(() => this.#open.delete(done));
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** Everything dispatched so far is done. */
  async idle(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  /** Waits for the short ones that came before, up to the first long one: what is behind that has no effect yet. */
  async #now(request: LaneRequest, answered: Promise<void>): Promise<void> {
    const firstLong = this.#turns.findIndex((turn) => turn.long);
    const before = firstLong < 0 ? this.#turns.at(-1) : this.#turns[firstLong - 1];
    if (before) await before.passable;
    await request.work(
      () => {},
      answered,
      () => {},
    );
  }

  async #inTurn(request: LaneRequest, answered: Promise<void>): Promise<void> {
    const previous = this.#turns.at(-1);
    const { promise, resolve } = deferred();
    const passable = deferred();
    const turn = { long: request.long, over: promise, passable: passable.promise };
    this.#turns.push(turn);
    const letGo = () => {
      const at = this.#turns.indexOf(turn);
      if (at >= 0) this.#turns.splice(at, 1);
      resolve();
      passable.resolve();
    };
    const slow = () => {
      turn.long = true;
      passable.resolve();
    };
    if (previous) await previous.over;
    await request.work(request.lane === 'run' ? letGo : () => {}, answered, slow);
    letGo();
  }
}
