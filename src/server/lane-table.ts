// First floor, server: the lanes of every session. Sessions never wait for one another.
import { type LaneRequest, Lanes } from './lanes.ts';

export class LaneTable {
  /** For calls that name no session. */
  readonly #own = new Lanes();
  readonly #bySession = new Map<string, Lanes>();

  dispatch(session: string | undefined, request: LaneRequest): void {
    const lanes = session === undefined ? this.#own : (this.#bySession.get(session) ?? new Lanes());
    lanes.dispatch(request);
    if (session === undefined || this.#bySession.has(session)) return;
    this.#bySession.set(session, lanes);
    void this.#forget(session, lanes);
  }

  /** Ids come from outside: those with nothing under way are not kept. */
  async #forget(session: string, lanes: Lanes): Promise<void> {
    do await lanes.idle();
    while (!lanes.isIdle);
    this.#bySession.delete(session);
  }

  /** Everything dispatched so far is done. */
  async idle(): Promise<void> {
    await this.#own.idle();
    await Promise.all([...this.#bySession.values()].map((lanes) => lanes.idle()));
  }
}
