// Tests of appending to the database with injected faults.
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SessionLog } from '../../../src/contracts/session-store.ts';
import type { SessionEntry } from '../../../src/protocol/session-entry.ts';
import { entry, header } from '../contract.ts';
import { createFaultyDatabase, DATABASE_FAULTS, type DatabaseFault, type FaultyDatabase } from './faulty-database.ts';
import { createManualClock, openPostgres, openStore, type PostgresFixture } from './postgres-fixture.ts';

/** Three attempts. */
const RETRY_MS = 400;
let postgres: PostgresFixture;
let nextSession = 1;

beforeAll(async () => {
  postgres = await openPostgres();
});

/** Appends in four rounds, some calls concurrently. All blocks have the same length. Returns the acknowledged entries in order. */
async function appendRounds(log: SessionLog): Promise<SessionEntry[]> {
  const acknowledged: SessionEntry[] = [];
  let next = 0;
  for (const sizes of [[1], [2, 1], [1, 1, 3], [1]]) {
    const calls = sizes.map((size) => Array.from({ length: size }, () => entry(next++, 'x'.repeat(40))));
    const outcomes = await Promise.allSettled(calls.map((entries) => log.append(entries)));
    for (const [i, { status }] of outcomes.entries()) if (status === 'fulfilled') acknowledged.push(...calls[i]!);
  }
  return acknowledged;
}

async function runAppends(database: FaultyDatabase) {
  const { clock } = createManualClock();
  const store = openStore(postgres.openStorage({ database, clock, retryMs: RETRY_MS }));
  const log = store.create({ ...header, id: `session-${nextSession++}` });
  const acknowledged = await appendRounds(log);
  return { log, acknowledged };
}

/** What another process finds. */
async function readStored(log: SessionLog): Promise<readonly SessionEntry[]> {
  const store = openStore(postgres.openStorage());
  return store.read(log.file!).then(
    ({ entries }) => entries,
    () => [],
  );
}

async function isListed(log: SessionLog): Promise<boolean> {
  const sessions = await openStore(postgres.openStorage()).list();
  return sessions.some(({ path }) => path === log.file);
}

describe('a fault at any operation', () => {
  test.each(DATABASE_FAULTS)('%s: the acknowledged entries are stored, and the next append works', async (fault) => {
    let faults = 0;
    for (let n = 1; ; n += 1) {
      const database = createFaultyDatabase(postgres.database, (operation) => (operation === n ? fault : undefined));
      const { log, acknowledged } = await runAppends(database);
      expect(await readStored(log)).toEqual(acknowledged);
      // A lost connection is repeated. Other errors lose one round at most.
      expect(acknowledged.length).toBeGreaterThanOrEqual(fault === 'refused' ? 5 : 10);
      const operations = database.total;
      database.stopFaults();
      await log.append([entry(99)]);
      await database.flush();
      expect(await readStored(log)).toEqual([...acknowledged, entry(99)]);
      await log.close();
      if (operations < n) break;
      faults += 1;
    }
    expect(faults).toBeGreaterThanOrEqual(8);
  });

  test.each(DATABASE_FAULTS)('%s from any operation on: nothing acknowledged is lost', async (fault) => {
    for (let n = 1; ; n += 1) {
      const database = createFaultyDatabase(postgres.database, (operation) => (operation >= n ? fault : undefined));
      const { log, acknowledged } = await runAppends(database);
      await database.flush();
      const stored = await readStored(log);
      expect(stored.slice(0, acknowledged.length)).toEqual(acknowledged);
      const operations = database.total;
      database.stopFaults();
      await log.append([entry(99)]);
      expect(await readStored(log)).toEqual([...acknowledged, entry(99)]);
      await log.close();
      if (operations < n) break;
    }
  });
});

test('with any sequence of faults no acknowledged entry is lost, none that was rejected remains, and the next append is complete', async () => {
  const fault = fc.option(fc.constantFrom<DatabaseFault>(...DATABASE_FAULTS), { nil: undefined });
  // A call is repeated some times, so single faults are rarely reported.
  const burst = fc.tuple(fault, fc.integer({ min: 1, max: 8 })).map(([one, count]) => Array(count).fill(one));
  const plans = fc.array(burst, { maxLength: 10 }).map((bursts) => bursts.flat() as (DatabaseFault | undefined)[]);
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const database = createFaultyDatabase(postgres.database, (operation) => plan[operation - 1]);
      const { log, acknowledged } = await runAppends(database);
      await database.flush();
      database.stopFaults();
      await log.append([entry(99)]);
      expect(await readStored(log)).toEqual([...acknowledged, entry(99)]);
      expect(await log.readAll()).toEqual([...acknowledged, entry(99)]);
      await log.close();
    }),
    { numRuns: 150 },
  );
});

test('a block that was reported as not stored is removed when the session is closed', async () => {
  let isDown = false;
  const database = createFaultyDatabase(postgres.database, (_, text) =>
    isDown ? (text.includes('append_entries') ? 'lost' : 'closed') : undefined,
  );
  const store = openStore(postgres.openStorage({ database, retryMs: RETRY_MS }));
  const log = store.create({ ...header, id: 'closed-after-loss' });
  await log.append([entry(0)]);
  isDown = true;
  await expect(log.append([entry(1)])).rejects.toMatchObject({ code: 'storage' });
  isDown = false;
  expect(await readStored(log)).toEqual([entry(0), entry(1)]);
  await log.close();
  expect(await readStored(log)).toEqual([entry(0)]);
});

test('a session whose creation was not confirmed is not listed after it was closed', async () => {
  const database = createFaultyDatabase(postgres.database, (_, text) => (text === 'commit' ? 'lost' : undefined));
  const log = openStore(postgres.openStorage({ database, retryMs: RETRY_MS })).create({ ...header, id: 'unconfirmed' });
  // The creation is repeated, and found to be done; the reply to that is lost, too.
  await expect(log.append([entry(0)])).rejects.toMatchObject({ code: 'storage' });
  expect(await isListed(log)).toBe(true);
  await log.close();
  expect(await isListed(log)).toBe(false);
});

test('another session with the same id is refused, and stays as it is', async () => {
  const id = 'same-id';
  const first = openStore(postgres.openStorage()).create({ ...header, id });
  await first.append([entry(0)]);
  const second = openStore(postgres.openStorage()).create({ ...header, id });
  await expect(second.append([entry(1)])).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('There is a session postgres:same-id already'),
  });
  await second.close();
  await first.append([entry(2)]);
  expect(await readStored(first)).toEqual([entry(0), entry(2)]);
  await first.close();
});
