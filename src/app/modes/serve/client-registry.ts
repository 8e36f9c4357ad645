// The clients of a server: their number is limited and counted, and their connections can be ended.
import { Fault } from '../../../base/index.ts';
import type { Caller, ClientConnection, ConnectionEnd } from '../../../http/index.ts';
import type { Metrics } from '../../../telemetry/index.ts';

/** Instead of the dialect, while the session of a connection is being opened. */
const OPENING = '';
/** Instead of the dialect, if the session is open on another node. */
const RELAYED = 'relayed';

export class ClientRegistry {
  readonly #maxClients: number;
  readonly #metrics: Metrics;
  readonly #dialects = new Map<ClientConnection, string>();
  readonly #relayedCalls = { in: 0, out: 0 };

  constructor(maxClients: number, metrics: Metrics) {
    this.#maxClients = maxClients;
    this.#metrics = metrics;
  }

  /** Clients whose sessions are on other nodes. */
  get relayedCount(): number {
    return this.#count(RELAYED);
  }

  /** Undefined while another client can connect. */
  check(): Fault | undefined {
    if (this.#dialects.size < this.#maxClients) return undefined;
    const message = `The server has ${this.#maxClients} clients, the most that serve.maxClients allows.`;
    return new Fault('busy', message, { details: { reason: 'too_many_clients' } });
  }

  /** Called before anything is awaited, so that clients that connect at the same time do not exceed the limit. Throws a Fault. */
  async serve(connection: ClientConnection, act: () => Promise<void>): Promise<void> {
    const fault = this.check();
    if (fault) throw fault;
    this.#set(connection, OPENING);
    try {
      await act();
    } finally {
      this.#set(connection, undefined);
    }
  }

  setDialect(connection: ClientConnection, dialect: string): void {
    this.#set(connection, dialect);
  }

  /** Resolves with the result of `act`, during which the connection counts as relayed. */
  async relay<T>(connection: ClientConnection, act: () => Promise<T>): Promise<T> {
    this.#set(connection, RELAYED);
    try {
      return await act();
    } finally {
      this.#set(connection, OPENING);
    }
  }

  /** `in`: from another node. */
  async relayCall<T>(direction: 'in' | 'out', act: () => Promise<T>): Promise<T> {
    this.#relayedCalls[direction] += 1;
    this.#reportRelayed();
    try {
      return await act();
    } finally {
      this.#relayedCalls[direction] -= 1;
      this.#reportRelayed();
    }
  }

  /** Ends the connections of these callers; all without a filter. */
  close(end: ConnectionEnd, matches: (caller: Caller) => boolean = () => true): void {
    for (const connection of [...this.#dialects.keys()]) if (matches(connection.caller)) connection.close(end);
  }

  #set(connection: ClientConnection, dialect: string | undefined): void {
    const earlier = this.#dialects.get(connection) ?? OPENING;
    if (dialect === undefined) this.#dialects.delete(connection);
    else this.#dialects.set(connection, dialect);
    for (const changed of new Set([earlier, dialect ?? OPENING])) {
      if (changed === RELAYED) this.#reportRelayed();
      else if (changed !== OPENING) this.#metrics.setClients(changed, this.#count(changed));
    }
  }

  #reportRelayed(): void {
    this.#metrics.setRelayed('out', this.relayedCount + this.#relayedCalls.out);
    this.#metrics.setRelayed('in', this.#relayedCalls.in);
  }

  #count(dialect: string): number {
    let count = 0;
    for (const each of this.#dialects.values()) if (each === dialect) count += 1;
    return count;
  }
}
