// The lanes of all sessions. Calls of different sessions never wait for one another.
import { type LaneWork, SessionLanes } from './lanes.ts';

export class LaneRegistry {
  /** For calls without a session id. */
  readonly #withoutSession = new SessionLanes();
  readonly #bySession = new Map<string, SessionLanes>();

  dispatch(sessionId: string | undefined, work: LaneWork): void {
    const lanes =
      sessionId === undefined ? this.#withoutSession : (this.#bySession.get(sessionId) ?? new SessionLanes());
    lanes.dispatch(work);
    if (sessionId === undefined || this.#bySession.has(sessionId)) return;
    this.#bySession.set(sessionId, lanes);
    void this.#deleteWhenIdle(sessionId, lanes);
  }

  /** The host chooses the ids, so idle lanes are removed; otherwise the map could grow without limit. */
  async #deleteWhenIdle(sessionId: string, lanes: SessionLanes): Promise<void> {
    do await lanes.waitUntilIdle();
    while (!lanes.isIdle);
    this.#bySession.delete(sessionId);
  }

  /** Resolves when all dispatched work is done. */
  async waitUntilIdle(): Promise<void> {
    await this.#withoutSession.waitUntilIdle();
    await Promise.all([...this.#bySession.values()].map((lanes) => lanes.waitUntilIdle()));
  }
}
