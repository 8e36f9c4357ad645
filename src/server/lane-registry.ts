// The lanes of all sessions. Calls of different sessions never wait for one another.
import { type LaneWork, SessionLanes } from './lanes.ts';

export class LaneRegistry {
  /** By session id, and those of clients by themselves. */
  readonly #busy = new Map<string | SessionLanes, SessionLanes>();

  /** `ownLanes` are those of the client, for calls without a session id: they do not wait for the calls of other clients. */
  dispatch(sessionId: string | undefined, work: LaneWork, ownLanes: SessionLanes): void {
    const key = sessionId ?? ownLanes;
    const lanes = typeof key === 'string' ? (this.#busy.get(key) ?? new SessionLanes()) : key;
    lanes.dispatch(work);
    if (this.#busy.has(key)) return;
    this.#busy.set(key, lanes);
    void this.#deleteWhenIdle(key, lanes);
  }

  isIdle(sessionId: string): boolean {
    return !this.#busy.has(sessionId);
  }

  /** The host chooses the ids, so idle lanes are removed; otherwise the map could grow without limit. */
  async #deleteWhenIdle(key: string | SessionLanes, lanes: SessionLanes): Promise<void> {
    do await lanes.waitUntilIdle();
    while (!lanes.isIdle);
    this.#busy.delete(key);
  }

  /** Resolves when all dispatched work is done. */
  async waitUntilIdle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all([...this.#busy.values()].map((lanes) => lanes.waitUntilIdle()));
  }
}
