// Work that one process of a database does at a time. Unlike a lock of PostgreSQL, a lease does not need an open transaction.
import type { Database } from '../../contracts/database.ts';

export interface LeaseRequest {
  readonly name: string;
  readonly owner: string;
  /** After this time, another process may do the work, because this one has probably ended. */
  readonly expiresMs: number;
  /** Keep the lease until it expires, also when the work is done. */
  readonly isKept?: boolean | undefined;
}

const TAKE = `insert into parley.leases as lease (name, owner, expires_at)
  values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
  on conflict (name) do update set owner = excluded.owner, expires_at = excluded.expires_at
  where lease.expires_at < clock_timestamp()
  returning name`;

/** Returns the result of `act`, or `undefined` while another process does the work. */
export async function withNamedLease<T>(
  database: Database,
  { name, owner, expiresMs, isKept = false }: LeaseRequest,
  act: () => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  const taken = await database.query(TAKE, [name, owner, expiresMs]);
  if (taken.length === 0) return undefined;
  try {
    return { result: await act() };
  } finally {
    if (!isKept)
      await database.query('delete from parley.leases where name = $1 and owner = $2', [name, owner]).catch(() => {});
  }
}
