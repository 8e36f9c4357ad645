// The calls of the relay to the database: each is one function there, see `src/store/postgres/fleet-schema.ts`.
import type { Database, SqlValue } from '../contracts/index.ts';

/** Encrypts what the relay stores. `place` is authenticated. */
export interface FrameCipher {
  readonly keyId: string | null;
  encrypt(bytes: Uint8Array, place: string): Uint8Array;
  decrypt(stored: { readonly bytes: Uint8Array; readonly keyId: string | null }, place: string): Buffer;
}

export interface RelayDatabaseOptions {
  readonly database: Database;
  readonly cipher: FrameCipher;
  readonly tenant: string;
  /** The id of this node. */
  readonly nodeId: string;
}

export interface SentRow {
  readonly channel: string;
  readonly recipient: string;
  readonly seq: number;
  readonly body: Buffer;
}

export interface ReceivedRow {
  readonly channel: string;
  readonly seq: number;
  /** Undefined if it cannot be decrypted. */
  readonly body: Buffer | undefined;
}

/** The process that has a session open. */
export interface SessionOwner {
  readonly id: string;
  readonly kind: string;
  /** Its identity, as JSON. */
  readonly process: string;
}

const LIST_HELD = `select s.id, s.interrupted from parley.sessions as s join parley.holders as h on h.id = s.holder
  where s.tenant = $1 and s.id = any($2) and h.id <> $3 and h.expires_at > clock_timestamp()`;
/** Rows that are read at once. */
const MAX_ROWS = 64;

export class RelayDatabase {
  readonly #options: RelayDatabaseOptions;

  constructor(options: RelayDatabaseOptions) {
    this.#options = options;
  }

  /** False if the other node has ended or answers no other nodes. */
  async open(row: SentRow): Promise<boolean> {
    const [reply] = await this.#call<{ opened: boolean }>('relay_open($1, $2, $3, $4, $5, $6) as opened', [
      ...[row.channel, this.#options.nodeId, row.recipient, this.#encrypt(row), this.#options.cipher.keyId],
    ]);
    return reply?.opened === true;
  }

  /** Returns the channels that are closed. Safe to repeat. */
  async send(rows: readonly SentRow[]): Promise<readonly string[]> {
    const bodies = rows.map((row) => this.#encrypt(row));
    const closed = await this.#call<{ channel: string }>('relay_send($1, $2, $3, $4, $5, $6, $7) as channel', [
      rows.map(({ channel }) => channel),
      rows.map(({ recipient }) => recipient),
      rows.map(({ seq }) => seq),
      Buffer.concat(bodies),
      bodies.map(({ length }) => length),
      this.#options.cipher.keyId,
    ]);
    return closed.map(({ channel }) => channel);
  }

  /** Deletes what was read, up to the number of each channel, and returns what comes next. */
  async receive(read: ReadonlyMap<string, number>): Promise<readonly ReceivedRow[]> {
    const { nodeId } = this.#options;
    const rows = await this.#call<{ channel: string; seq: number; body: Uint8Array; body_key: string | null }>(
      '* from parley.relay_receive($1, $2, $3, $4, $5)',
      [nodeId, [...read.keys()], [...read.values()], MAX_ROWS],
    );
    return rows.map(({ channel, seq, body, body_key: keyId }) => ({
      ...{ channel, seq },
      body: this.#decrypt({ bytes: body, keyId }, { channel, seq, recipient: nodeId }),
    }));
  }

  /** The open channels of this node whose other node is registered, with its process. */
  async check(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#call<{ channel: string; process: string }>('* from parley.relay_check($1, $2)', [
      this.#options.nodeId,
    ]);
    return new Map(rows.map(({ channel, process }) => [channel, process]));
  }

  async remove(channels: readonly string[]): Promise<void> {
    await this.#call('relay_remove($1, $2)', [channels]);
  }

  /** Deletes what nodes that have ended left. */
  async clean(): Promise<void> {
    await this.#call('relay_clean($1)', []);
  }

  async findOwner(sessionId: string): Promise<SessionOwner | undefined> {
    const [found] = await this.#call<{ holder: string; kind: string; process: string }>(
      '* from parley.find_holder($1, $2)',
      [sessionId],
    );
    return found && { id: found.holder, kind: found.kind, process: found.process };
  }

  /** Those of these sessions that other processes have open, and whether their run has no end yet. */
  async listHeldSessions(ids: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
    if (ids.length === 0) return new Map();
    const { database, tenant, nodeId } = this.#options;
    const rows = await database.tenantTransaction(tenant, (connection) =>
      connection.query<{ id: string; interrupted: boolean }>(LIST_HELD, [tenant, ids, nodeId]),
    );
    return new Map(rows.map(({ id, interrupted }) => [id, interrupted]));
  }

  #call<Row extends object>(call: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    const { database, tenant } = this.#options;
    const text = call.startsWith('*') ? `select ${call}` : `select parley.${call}`;
    return database.query<Row>(text, [tenant, ...values]);
  }

  #encrypt(row: SentRow): Uint8Array {
    return this.#options.cipher.encrypt(row.body, this.#getPlace(row));
  }

  #decrypt(
    stored: Parameters<FrameCipher['decrypt']>[0],
    row: Pick<SentRow, 'channel' | 'recipient' | 'seq'>,
  ): Buffer | undefined {
    try {
      return this.#options.cipher.decrypt(stored, this.#getPlace(row));
    } catch {
      return undefined;
    }
  }

  #getPlace({ channel, recipient, seq }: Pick<SentRow, 'channel' | 'recipient' | 'seq'>): string {
    return `relay/${this.#options.tenant}/${recipient}/${channel}/${seq}`;
  }
}
