// First floor, core: what extensions do without waiting for it: in order, and done before the conversation is left. Knows no deed.
import { deferred } from '../../base/index.ts';

export class Deeds {
  #tail: Promise<unknown> = Promise.resolve();
  readonly #open = new Set<Promise<unknown>>();

  /** When those before it are done. Those behind it wait. */
  inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#tail.then(act);
    this.#tail = mine.catch(() => {});
    this.#note(mine);
    return mine;
  }

  /** Begun in its turn; open until it is kept. Those behind it do not wait, because it may come to wait for them. */
  begun(act: (kept: () => void) => Promise<unknown>): Promise<unknown> {
    const kept = deferred();
    const mine = this.#tail.then(() => act(kept.resolve));
    this.#note(Promise.race([kept.promise, mine]));
    return mine;
  }

  /** Out of turn: whoever did it waits for it, or does not. */
  beside<T>(work: Promise<T>): Promise<T> {
    this.#note(work);
    return work;
  }

  /** Nothing is open. */
  async idle(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  #note(work: Promise<unknown>): void {
    this.#open.add(work);
    const over = () => this.#open.delete(work);
    work.then(over, over);
  }
}
