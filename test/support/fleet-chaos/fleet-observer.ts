// Looks into the database of a fleet, past its nodes.
import postgres from 'postgres';
import { onTestFinished } from 'vitest';
import { waitUntil } from '../wait-until.ts';

export interface StoredMessage {
  readonly role: string;
  readonly toolCallId?: string;
  readonly isError?: boolean;
  readonly content: unknown;
}

const TAKEOVER_LIMIT_MS = 120_000;
/** More than two jobs have. */
const RECENT_ENTRIES = 60;

export class FleetObserver {
  readonly #sql: postgres.Sql;

  constructor(url: string) {
    this.#sql = postgres(url, { max: 2, onnotice: () => {}, connect_timeout: 5, fetch_types: false });
    onTestFinished(() => this.#sql.end({ timeout: 1 }));
  }

  /** The ids of the sessions with a run that one of these processes executes. */
  async listRunning(pids: readonly number[]): Promise<string[]> {
    const rows = await this.#query`select s.id from parley.sessions s join parley.holders h on h.id = s.holder
      where s.interrupted and h.process::json ->> 'pid' = any(string_to_array(${pids.join()}, ','))`;
    return rows.map(({ id }) => id as string);
  }

  /** Resolves with the milliseconds until the run of the session is executed by another process, or has ended. */
  async waitForTakeover(sessionId: string, pids: readonly number[]): Promise<number> {
    const startMs = Date.now();
    await waitUntil(async () => !(await this.listRunning(pids)).includes(sessionId), TAKEOVER_LIMIT_MS);
    return Date.now() - startMs;
  }

  /** For the report of a failure. */
  async describe(sessionId: string): Promise<string> {
    const parts = await Promise.all([
      this.#query`select convert_from(body, 'UTF8') as line from parley.entries where session = ${sessionId}
        order by position desc limit 30`,
      this.#query`select id, interrupted, holder, token, entry_count from parley.sessions`,
      this.#query`select id, process, expires_at - clock_timestamp() as valid from parley.holders`,
      this.#query`select workflow_uuid, status, executor_id, queue_name, recovery_attempts from dbos.workflow_status
        where status <> 'SUCCESS'`,
      this.#query`select * from parley.leases`,
    ]);
    return JSON.stringify(parts, undefined, 1);
  }

  async countOpenRuns(): Promise<number> {
    const [sessions] = await this.#query`select count(*)::int as open from parley.sessions where interrupted`;
    const [runs] = await this
      .#query`select count(*)::int as open from dbos.workflow_status where status in ('PENDING', 'ENQUEUED')`;
    return Number(sessions?.open) + Number(runs?.open);
  }

  /** The last entries of the log as one text. */
  async readEnd(sessionId: string): Promise<string> {
    const rows = await this.#query`select convert_from(body, 'UTF8') as line from parley.entries
      where session = ${sessionId} order by position desc limit ${RECENT_ENTRIES}`;
    return rows.map(({ line }) => line as string).join('');
  }

  async readMessages(sessionId: string): Promise<StoredMessage[]> {
    const rows = await this.#query`select convert_from(body, 'UTF8') as line from parley.entries
      where session = ${sessionId} order by position`;
    const entries = rows.map(({ line }) => JSON.parse(line as string));
    return entries.flatMap(({ type, message }) => (type === 'message' ? [message as StoredMessage] : []));
  }

  /** Repeated while the database restarts. */
  async #query(strings: TemplateStringsArray, ...values: (string | number)[]): Promise<Record<string, unknown>[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return [...(await this.#sql(strings, ...values))];
      } catch (problem) {
        if (attempt === 100) throw problem;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}
