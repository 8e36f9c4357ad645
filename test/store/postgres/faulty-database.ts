// A real database with injected faults: the nth operation fails in a chosen way.
import { Fault } from '../../../src/base/fault.ts';
import type { Database, SqlConnection, SqlValue } from '../../../src/contracts/database.ts';

/**
 * - `closed`: the connection is closed before the statement reaches the server
 * - `lost`: the statement is executed, but the connection is closed before its reply arrives
 * - `late`: like `closed`, but the server executes the statement later, after the next operation. Like `closed` in a transaction
 * - `stopping`: the server refuses the statement because it is being ended
 * - `refused`: the server refuses the statement for a reason that will not change
 */
export type DatabaseFault = 'closed' | 'lost' | 'late' | 'stopping' | 'refused';

export const DATABASE_FAULTS: readonly DatabaseFault[] = ['closed', 'lost', 'late', 'stopping', 'refused'];

export interface FaultyDatabase extends Database {
  /** Number of operations: statements, and commits of transactions. */
  readonly total: number;
  stopFaults(): void;
  /** Executes what is to be executed late. */
  flush(): Promise<void>;
}

export function createFaultyDatabase(
  real: Database,
  plan: (operation: number, text: string) => DatabaseFault | undefined,
): FaultyDatabase {
  let [operation, hasStopped] = [0, false];
  let delayed: (() => Promise<unknown>)[] = [];

  async function flush(): Promise<void> {
    const acts = delayed;
    delayed = [];
    for (const act of acts) await act().catch(() => {});
  }

  async function attempt<T>(text: string, isAlone: boolean, act: () => Promise<T>): Promise<T> {
    operation += 1;
    const fault = hasStopped ? undefined : plan(operation, text);
    const isFirst = delayed.length;
    try {
      if (fault === undefined) return await act();
      if (fault === 'lost') await act();
      if (fault === 'late' && isAlone) delayed.push(act);
      throw createError(fault);
    } finally {
      if (isFirst > 0 && isAlone) await flush();
    }
  }

  async function transact<T>(
    begin: Database['transaction'],
    act: (connection: SqlConnection) => Promise<T>,
  ): Promise<T> {
    let problem: unknown;
    const result = await begin(async (connection) => {
      const found = await act({ query: (text, values) => attempt(text, false, () => connection.query(text, values)) });
      operation += 1;
      const fault = hasStopped ? undefined : plan(operation, 'commit');
      if (fault === 'lost') problem = createError(fault);
      else if (fault !== undefined) throw createError(fault);
      return found;
    }).finally(flush);
    if (problem) throw problem;
    return result;
  }

  return {
    ...real,
    query: (text: string, values?: readonly SqlValue[]) => attempt(text, true, () => real.query(text, values)) as never,
    transaction: (act) => transact(real.transaction, act),
    tenantTransaction: (tenant, act) => transact((inner) => real.tenantTransaction(tenant, inner), act),
    get total() {
      return operation;
    },
    stopFaults() {
      hasStopped = true;
    },
    flush,
  };
}

function createError(fault: DatabaseFault): Fault {
  const code = {
    closed: 'ECONNRESET',
    lost: 'CONNECTION_CLOSED',
    late: 'ETIMEDOUT',
    stopping: '57P01',
    refused: '53100',
  };
  return new Fault('storage', `injected: ${fault}`, { details: { reason: 'database', code: code[fault] } });
}
