// Registers this process as the writer of its sessions, and renews that registration while it has sessions.
import { Fault } from '../../base/fault.ts';
import { isRecord, tryParseJson } from '../../base/json.ts';
import type { Database } from '../../contracts/database.ts';
import type { Cancel, Clock, IdGenerator } from '../../contracts/ports.ts';
import type { ProcessIdentity } from '../../contracts/process-identity.ts';
import { formatReference } from './session-reference.ts';

export interface SessionHolderOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Pick<IdGenerator, 'uuid'>;
  readonly identity: ProcessIdentity;
  /** After this time without renewal, other processes can take the sessions. */
  readonly leaseMs: number;
  /** Another process has taken the session while the registration of this one had expired. Writes report that themselves. */
  onLost?(tenant: string, sessionId: string): void;
}

/** What other processes can read of this one. */
export interface HolderDescription {
  /** A `node` answers other nodes. */
  readonly kind: 'process' | 'node' | 'worker';
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** A session that this process may write. */
export interface TakenSession {
  readonly token: number;
  readonly header: Uint8Array;
  readonly headerKey: string | null;
  readonly endPosition: number;
  readonly messages: number;
  readonly cost: number;
  readonly interrupted: boolean;
  /** The open run was executed by a node: the nodes continue it. */
  readonly isRunOfNode: boolean;
  readonly details: Uint8Array;
  readonly detailsKey: string | null;
}

interface TakeRow extends TakenSession {
  readonly taken: boolean;
  readonly holder: string | null;
  readonly process: string | null;
}

const TAKE = `select taken, token, holder, process, header, header_key as "headerKey", end_position as "endPosition", messages, cost,
  interrupted, is_run_of_node as "isRunOfNode", details, details_key as "detailsKey" from parley.take_session($1, $2, $3, $4)`;
const RENEW = `with known as (select expires_at > clock_timestamp() as is_valid from parley.holders where id = $1)
  insert into parley.holders (id, process, expires_at, kind, name, version)
  values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond', $4, $5, $6)
  on conflict (id) do update set expires_at = excluded.expires_at, kind = excluded.kind, name = excluded.name,
    version = excluded.version
  returning (select is_valid from known) as "wasValid"`;
const READ_TOKENS = 'select id, token from parley.sessions where tenant = $1 and id = any($2)';
const RELEASE = 'update parley.sessions set holder = null where tenant = $1 and id = $2 and token = $3';
const REMOVE_OLD = `delete from parley.holders where expires_at < clock_timestamp() - interval '1 day'`;

export class SessionHolder {
  readonly id: string;
  readonly #options: SessionHolderOptions;
  #description: HolderDescription = { kind: 'process' };
  #heldCount = 0;
  #validUntilMs = 0;
  #cancelRenewal: Cancel | undefined;
  #renewing: Promise<void> | undefined;
  #isClosed = false;
  /** The sessions that this process writes, with their tokens. Another holder in the database is then a process that has ended. */
  readonly #held = new Map<string, { token: number }>();
  /** The registration had expired, and the sessions were not checked since. */
  #hadExpired = false;
  /** Sessions whose release the database has not confirmed. */
  readonly #unreleased = new Map<string, readonly [tenant: string, sessionId: string, token: number]>();

  constructor(options: SessionHolderOptions) {
    this.#options = options;
    this.id = options.ids.uuid();
  }

  get kind(): HolderDescription['kind'] {
    return this.#description.kind;
  }

  /** No other process can have taken a session of this one. False after the process was suspended, or without connection. */
  get isValid(): boolean {
    return this.#options.clock.now() < this.#validUntilMs;
  }

  /** Throws a Fault when the session does not exist, or when a process that is alive writes to it. */
  async take(tenant: string, sessionId: string): Promise<TakenSession> {
    await this.start();
    const key = getKey(tenant, sessionId);
    // The reply to an earlier take or release may have been lost, so this process can be its holder without writing to it.
    const ended = this.#held.has(key) ? [] : [this.id];
    const lease = { token: 0 };
    if (ended.length > 0) this.#held.set(key, lease);
    try {
      let row = await this.#tryTake(tenant, sessionId, ended);
      // The process is known to have ended before its registration has expired.
      if (!row.taken && row.holder !== null && (await this.hasEnded(row.process)))
        row = await this.#tryTake(tenant, sessionId, [...ended, row.holder]);
      if (!row.taken) throw createInUseFault(sessionId, row);
      lease.token = row.token;
      this.#held.set(key, lease);
      return row;
    } catch (problem) {
      if (this.#held.get(key) === lease) this.#held.delete(key);
      this.stop();
      throw problem;
    }
  }

  /** Other processes can take the session. Never rejects: without a connection, it is repeated with the next renewals. */
  async release(tenant: string, sessionId: string, token: number): Promise<void> {
    this.forget(tenant, sessionId, token);
    try {
      await this.#releaseOnce(tenant, sessionId, token);
    } catch {
      if (!this.#isClosed) this.#unreleased.set(getKey(tenant, sessionId), [tenant, sessionId, token]);
    }
    this.stop();
  }

  /** This process writes to the session with this token. */
  hold(tenant: string, sessionId: string, token: number): void {
    this.#held.set(getKey(tenant, sessionId), { token });
  }

  /** This process does not write to the session any more. */
  forget(tenant: string, sessionId: string, token: number): void {
    const key = getKey(tenant, sessionId);
    if (this.#held.get(key)?.token === token) this.#held.delete(key);
  }

  /** Registers this process for its whole life, also without sessions. */
  async announce(description: HolderDescription): Promise<void> {
    this.#description = description;
    this.#heldCount += 1;
    await this.renew();
  }

  /** Renews the registration until `stop` is called as often. */
  async start(): Promise<void> {
    this.#heldCount += 1;
    if (this.isValid && this.#cancelRenewal) return;
    try {
      await this.renew();
    } catch (problem) {
      this.stop();
      throw problem;
    }
  }

  stop(): void {
    this.#heldCount -= 1;
    if (this.#needsRenewal) return;
    this.#cancelRenewal?.();
    this.#cancelRenewal = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRenewal?.();
    this.#cancelRenewal = undefined;
    // It would register this process again.
    await this.#renewing?.catch(() => {});
    const { database } = this.#options;
    if (this.#validUntilMs > 0)
      await database.query('delete from parley.holders where id = $1', [this.id]).catch(() => {});
  }

  /** Resolves when the database has confirmed it. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
      this.#planRenewal();
    });
    return this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    const { database, clock, identity, leaseMs } = this.#options;
    const isFirst = this.#validUntilMs === 0;
    const sentMs = clock.now();
    const { kind, name = null, version = null } = this.#description;
    const values = [this.id, JSON.stringify(identity.self), leaseMs, kind, name, version];
    const [row] = await database.query<{ wasValid: boolean | null }>(RENEW, values);
    this.#validUntilMs = sentMs + leaseMs;
    if (isFirst) await database.query(REMOVE_OLD).catch(() => {});
    else if (!row?.wasValid) this.#hadExpired = true;
    await this.#releaseRemaining();
    // When it fails, the next renewal does it.
    if (this.#hadExpired) await this.#findLost().catch(() => {});
  }

  /** A session without a run writes nothing, so this process would not notice otherwise that its clients see an old state. */
  async #findLost(): Promise<void> {
    const { database, onLost } = this.#options;
    const held = [...this.#held].map(([key, { token }]) => ({ ...parseKey(key), token }));
    for (const tenant of new Set(held.map((one) => one.tenant))) {
      const own = held.filter((one) => one.tenant === tenant);
      const rows = await database.tenantTransaction(tenant, (connection) =>
        connection.query<{ id: string; token: number }>(READ_TOKENS, [tenant, own.map(({ id }) => id)]),
      );
      const tokens = new Map(rows.map(({ id, token }) => [id, token]));
      for (const { id, token } of own) if (token > 0 && (tokens.get(id) ?? token) > token) onLost?.(tenant, id);
    }
    this.#hadExpired = false;
  }

  /** When it fails, the next renewal does it. */
  async #releaseRemaining(): Promise<void> {
    for (const [key, released] of this.#unreleased) {
      await this.#releaseOnce(...released).then(
        () => this.#unreleased.delete(key),
        () => {},
      );
    }
  }

  async #releaseOnce(tenant: string, sessionId: string, token: number): Promise<void> {
    await this.#options.database.tenantTransaction(tenant, (connection) =>
      connection.query(RELEASE, [tenant, sessionId, token]),
    );
  }

  get #needsRenewal(): boolean {
    return !this.#isClosed && (this.#heldCount > 0 || this.#unreleased.size > 0);
  }

  #planRenewal(): void {
    this.#cancelRenewal?.();
    this.#cancelRenewal = undefined;
    if (!this.#needsRenewal) return;
    const { clock, leaseMs } = this.#options;
    this.#cancelRenewal = clock.after(
      this.isValid ? leaseMs / 3 : leaseMs / 10,
      () => void this.renew().catch(() => {}),
    );
  }

  async #tryTake(tenant: string, sessionId: string, ended: readonly string[]): Promise<TakeRow> {
    const [row] = await this.#options.database.query<TakeRow>(TAKE, [tenant, sessionId, this.id, ended]);
    if (!row) throw new Fault('not_found', `Session not found: ${formatReference(sessionId)}`);
    return row;
  }

  /** Whether a process has ended, although its registration has not expired. Only processes of this machine can be checked. */
  async hasEnded(processText: string | null): Promise<boolean> {
    const { identity } = this.#options;
    const found = parseProcess(processText);
    return found?.host === identity.self.host && !(await identity.isAlive(found.pid, found.startTime));
  }
}

function getKey(tenant: string, sessionId: string): string {
  return JSON.stringify([tenant, sessionId]);
}

function parseKey(key: string): { readonly tenant: string; readonly id: string } {
  const [tenant, id] = JSON.parse(key) as [string, string];
  return { tenant, id };
}

function parseProcess(text: string | null): ProcessIdentity['self'] | undefined {
  const value = tryParseJson(text ?? '');
  return isRecord(value) && typeof value.pid === 'number' && typeof value.host === 'string'
    ? (value as unknown as ProcessIdentity['self'])
    : undefined;
}

function createInUseFault(sessionId: string, { holder, process }: TakeRow): Fault {
  const found = parseProcess(process);
  const owner = found ? `process ${found.pid} on ${found.host}` : 'another process';
  return new Fault(
    'refused',
    `Session is in use by ${owner}: ${formatReference(sessionId)}. Close it there first; if that process is gone, try again in some seconds.`,
    { details: { reason: 'in_use', holder, ...(found ? { pid: found.pid, host: found.host } : {}) } },
  );
}
