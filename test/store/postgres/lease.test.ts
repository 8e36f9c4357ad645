// Tests of the registration of processes: who may write to a session, and who may take it over.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { ProcessId, RunListener } from '../../../src/contracts/index.ts';
import type { Cancel, Clock } from '../../../src/contracts/ports.ts';
import { createPostgresIndex } from '../../../src/store/postgres/postgres-index.ts';
import { entry, header } from '../contract.ts';
import { createFakeProcesses, currentProcess } from '../store-fixture.ts';
import { createFaultyDatabase } from './faulty-database.ts';
import { createManualClock, LEASE_MS, openPostgres, openStore, type PostgresFixture } from './postgres-fixture.ts';

const elsewhere: ProcessId = { pid: 77, host: 'elsewhere' };
const lost = { code: 'storage', details: { reason: 'lease_lost' } };
const inUse = { code: 'refused', details: { reason: 'in_use' } };
let postgres: PostgresFixture;
let nextSession = 1;

beforeAll(async () => {
  postgres = await openPostgres();
});

/** Timers fire when `fire` is called. */
function createTimerClock() {
  const { clock, advance } = createManualClock();
  const timers = new Map<number, () => void>();
  let next = 1;
  const withTimers: Clock = {
    ...clock,
    after(_, act): Cancel {
      const id = next++;
      timers.set(id, act);
      return () => void timers.delete(id);
    },
  };
  const fire = () => {
    const acts = [...timers.values()];
    timers.clear();
    for (const act of acts) act();
  };
  return { clock: withTimers, advance, fire, timers };
}

async function createSession(options: Parameters<PostgresFixture['openStorage']>[0] = {}) {
  const storage = postgres.openStorage(options);
  const log = openStore(storage).create({ ...header, id: `lease-${nextSession++}` });
  await log.append([entry(0)]);
  return { storage, log, path: log.file!, id: log.file!.replace('postgres:', '') };
}

const openOn = (host: string) => postgres.openStorage({ self: { pid: 77, host } });

/** As if the process of this holder had been suspended until its registration has expired. */
const expire = (holder: string) =>
  postgres.database.query(
    "update parley.holders set expires_at = clock_timestamp() - interval '1 second' where id = $1",
    [holder],
  );

test('a process that was suspended loses the session, and can change nothing of it afterwards', async () => {
  const { storage, log, path, id } = await createSession();
  await log.directory!.restore?.();
  const other = postgres.openStorage({ self: elsewhere });
  await expect(openStore(other).resume(path)).rejects.toMatchObject(inUse);
  await expire(storage.holder.id);
  const taken = await openStore(other).resume(path);
  await taken.log.append([entry(1)]);

  await expect(log.append([entry(9)])).rejects.toMatchObject(lost);
  mkdirSync(log.directory!.path, { recursive: true });
  writeFileSync(join(log.directory!.path, 'zombie.txt'), 'zombie');
  await expect(log.directory!.save?.()).rejects.toMatchObject(lost);
  const index = createPostgresIndex(storage);
  await expect(index.move(path, '/elsewhere')).rejects.toMatchObject(inUse);
  await expect(index.remove(path)).rejects.toMatchObject(inUse);
  // Closing must not release what the other process writes.
  await log.close();
  await expect(openStore(postgres.openStorage()).resume(path)).rejects.toMatchObject(inUse);

  await taken.log.append([entry(2)]);
  expect(await taken.log.readAll()).toEqual([entry(0), entry(1), entry(2)]);
  expect(await index.readSidecar(path, 'zombie.txt')).toBeUndefined();
  expect(await index.readDirectory(path)).toBe(header.cwd);
  await taken.log.close();
  expect(await index.find(id)).toBe(path);
});

test('a process whose registration had expired finds out which of its sessions were taken, also without writing', async () => {
  const { storage, path, id } = await createSession();
  const kept = openStore(storage).create({ ...header, id: `lease-${nextSession++}` });
  await kept.append([entry(0)]);
  const found: string[] = [];
  storage.runListener = { onLost: ({ sessionId }) => void found.push(sessionId) } as RunListener;
  await storage.holder.renew();
  await expire(storage.holder.id);
  await openStore(postgres.openStorage({ self: elsewhere })).resume(path);
  await storage.holder.renew();
  expect(found).toEqual([id]);
  // Reported once.
  await storage.holder.renew();
  expect(found).toEqual([id]);
});

test('when the search for taken sessions fails, it is repeated', async () => {
  let canSearch = true;
  const database = createFaultyDatabase(
    {
      ...postgres.database,
      tenantTransaction: (tenant, act) =>
        canSearch ? postgres.database.tenantTransaction(tenant, act) : Promise.reject(new Error('no connection')),
    },
    () => undefined,
  );
  const { storage, path, id } = await createSession({ database });
  const found: string[] = [];
  storage.runListener = { onLost: ({ sessionId }) => void found.push(sessionId) } as RunListener;
  await expire(storage.holder.id);
  await openStore(postgres.openStorage({ self: elsewhere })).resume(path);
  canSearch = false;
  await storage.holder.renew();
  expect(found).toEqual([]);
  canSearch = true;
  await storage.holder.renew();
  expect(found).toEqual([id]);
});

test.each(['move', 'remove'] as const)('%s fails if the session is taken over meanwhile', async (operation) => {
  const { log, path } = await createSession();
  await log.close();
  const other = postgres.openStorage({ self: elsewhere });
  let takenOver: Promise<unknown> | undefined;
  const slow = postgres.openStorage({
    database: createFaultyDatabase(
      {
        ...postgres.database,
        async tenantTransaction(tenant, act) {
          // Between taking the session and changing it.
          await expire(slow.holder.id);
          takenOver ??= openStore(other).resume(path);
          await takenOver;
          return postgres.database.tenantTransaction(tenant, act);
        },
      },
      () => undefined,
    ),
  });
  const index = createPostgresIndex(slow);
  const changed = operation === 'move' ? index.move(path, '/new') : index.remove(path);
  await expect(changed).rejects.toMatchObject(lost);
  expect(await createPostgresIndex(other).readDirectory(path)).toBe(header.cwd);
});

test('of many processes that take a session at once, exactly one gets it and keeps it', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { log, path } = await createSession();
    await log.close();
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => openStore(openOn(`host-${n}`)).resume(path)),
    );
    const winners = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    expect(winners).toHaveLength(1);
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(inUse);
    await winners[0]!.log.append([entry(1)]);
    await winners[0]!.log.close();
  }
});

test('a process that takes a session sees the registration of one that has taken it while it waited', async () => {
  const { log, id } = await createSession();
  await log.close();
  const [first, second] = [openOn('one'), openOn('two')];
  let started: Promise<unknown> | undefined;
  await second.holder.start();
  await postgres.database.tenantTransaction('default', async (connection) => {
    await connection.query('select from parley.sessions where id = $1 for update', [id]);
    // Begins before the first one is registered, and waits for the row.
    started = second.holder.take('default', id);
    started.catch(() => {});
    for (let isWaiting = false; !isWaiting; ) {
      const blocked = await postgres.database.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%take_session%'",
      );
      isWaiting = blocked.length > 0;
    }
    await first.holder.start();
    await connection.query('update parley.sessions set holder = $2, token = token + 1 where id = $1', [
      id,
      first.holder.id,
    ]);
  });
  await expect(started).rejects.toMatchObject(inUse);
});

test('a process of this machine that has ended is replaced at once', async () => {
  const processes = createFakeProcesses([currentProcess, { ...currentProcess, pid: 5 }]);
  const { path } = await createSession({ identity: processes.identity(currentProcess) });
  const next = postgres.openStorage({ identity: processes.identity({ ...currentProcess, pid: 5 }) });
  await expect(openStore(next).resume(path)).rejects.toMatchObject(inUse);
  processes.end(currentProcess);
  const taken = await openStore(next).resume(path);
  await taken.log.append([entry(1)]);
  await taken.log.close();
});

test('a session whose release was not confirmed becomes free with the next renewal, and at once for the same process', async () => {
  let isDown = false;
  const { clock, fire } = createTimerClock();
  const database = createFaultyDatabase(postgres.database, () => (isDown ? 'closed' : undefined));
  const { log, path, storage } = await createSession({ database, clock });
  const second = await createSession({ database, clock });
  isDown = true;
  await log.close();
  await second.log.close();
  isDown = false;
  await expect(openStore(postgres.openStorage({ self: elsewhere })).resume(path)).rejects.toMatchObject(inUse);
  const again = await openStore(storage).resume(path);
  await again.log.append([entry(1)]);
  fire();
  await storage.holder.renew();
  await expect(again.log.append([entry(2)])).resolves.toBeUndefined();
  await again.log.close();
  const taken = await openStore(postgres.openStorage({ self: elsewhere })).resume(path);
  await taken.log.close();
});

test('a session that was taken although the reply was lost can be taken again by the same process', async () => {
  const { log, path } = await createSession();
  await log.close();
  let isFirst = true;
  const database = createFaultyDatabase(postgres.database, (_, text) => {
    const isTake = text.includes('take_session') && isFirst;
    if (isTake) isFirst = false;
    return isTake ? 'lost' : undefined;
  });
  const store = openStore(postgres.openStorage({ database }));
  await expect(store.resume(path)).rejects.toMatchObject({ code: 'storage' });
  const resumed = await store.resume(path);
  await resumed.log.append([entry(1)]);
  // It is open now, so it cannot be opened twice.
  await expect(store.resume(path)).rejects.toMatchObject(inUse);
  await resumed.log.append([entry(2)]);
  await resumed.log.close();
});

test('the registration is renewed while there are sessions, after errors too, and no timer remains afterwards', async () => {
  let isDown = false;
  const { clock, advance, fire, timers } = createTimerClock();
  const database = createFaultyDatabase(postgres.database, () => (isDown ? 'closed' : undefined));
  const { log, path, storage } = await createSession({ database, clock });
  expect(timers.size).toBe(1);
  isDown = true;
  advance(LEASE_MS);
  fire();
  await storage.holder.renew().catch(() => {});
  expect(storage.holder.isValid).toBe(false);
  expect(timers.size).toBe(1);
  isDown = false;
  fire();
  await storage.holder.renew();
  expect(storage.holder.isValid).toBe(true);
  await log.append([entry(1)]);
  await expect(openStore(postgres.openStorage({ self: elsewhere })).resume(path)).rejects.toMatchObject(inUse);
  await log.close();
  expect(timers.size).toBe(0);
  await storage.holder.close();
  const rows = await postgres.database.query('select 1 from parley.holders where id = $1', [storage.holder.id]);
  expect(rows).toEqual([]);
});

test('a renewal that is in progress when a process ends does not register it again', async () => {
  const { clock } = createTimerClock();
  const { storage } = await createSession({ clock });
  const renewed = storage.holder.renew();
  await storage.holder.close();
  await renewed;
  const rows = await postgres.database.query('select 1 from parley.holders where id = $1', [storage.holder.id]);
  expect(rows).toEqual([]);
});

test('a registration that another process has removed does not allow two writers', async () => {
  const { log, path, storage } = await createSession();
  await postgres.database.query('delete from parley.holders where id = $1', [storage.holder.id]);
  const taken = await openStore(postgres.openStorage({ self: elsewhere })).resume(path);
  await storage.holder.renew();
  await expect(log.append([entry(9)])).rejects.toMatchObject(lost);
  await taken.log.append([entry(1)]);
  expect(await taken.log.readAll()).toEqual([entry(0), entry(1)]);
  await log.close();
  await taken.log.close();
});
