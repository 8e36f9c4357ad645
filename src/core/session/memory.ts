// First floor, core: when the log is to keep what the next start needs to know of it. Knows neither what that is nor where.
import type { NamingFacet } from './naming.ts';
import type { Seat } from './seat.ts';

/** Whoever opened the session is not kept waiting for what the next one will be glad of. */
const SOON_MS = 250;

export class Memory {
  readonly #seat: Seat;
  readonly #naming: NamingFacet;
  #cancel = () => {};

  constructor(seat: Seat, naming: NamingFacet) {
    this.#seat = seat;
    this.#naming = naming;
  }

  /** A log was opened: what it took to read it need not be done again. */
  keepSoon(): void {
    this.#cancel();
    this.#cancel = this.#seat.ports.clock.after(SOON_MS, () => void this.#keep(false));
  }

  /** The log is about to be closed. */
  keep(): Promise<void> {
    this.#cancel();
    return this.#keep(true);
  }

  #keep(isEnd: boolean): Promise<void> {
    const { name } = this.#naming;
    return this.#seat.conversation.remember({
      isEnd,
      name,
      digest: async (sketch) => (await import('./digest.ts')).digestOf(sketch),
    });
  }
}
