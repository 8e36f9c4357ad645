// Where a client is in the events of its session, so that a new connection continues there.
import type { SessionAttached, SessionSnapshot } from '../protocol/index.ts';
import type { ClientEvent } from './client-event.ts';
import type { ConnectParams } from './socket/agent-address.ts';

export class SessionPosition {
  #sessionId: string | undefined;
  #lastSeq: number | undefined;

  constructor({ session, after }: Pick<ConnectParams, 'session' | 'after'> = {}) {
    this.#sessionId = session;
    this.#lastSeq = after;
  }

  /** The number of the last event that was delivered. */
  get lastSeq(): number | undefined {
    return this.#lastSeq;
  }

  /** The parameters of a connection that continues here. */
  toParams(): Pick<ConnectParams, 'session' | 'after'> {
    return { session: this.#sessionId, after: this.#lastSeq };
  }

  handleAttached({ sessionId, seq, replay }: SessionAttached): void {
    this.#sessionId = sessionId;
    // The missed events have smaller numbers than `seq`; a snapshot has its own number.
    if (replay === 'none') this.#lastSeq = seq;
  }

  /** The numbers of another server process may be smaller. */
  handleSnapshot({ seq }: SessionSnapshot): void {
    this.#lastSeq = seq;
  }

  /** Returns false for an event that was delivered before. */
  accept({ seq }: ClientEvent): boolean {
    if (seq === undefined) return true;
    if (this.#lastSeq !== undefined && seq <= this.#lastSeq) return false;
    this.#lastSeq = seq;
    return true;
  }
}
