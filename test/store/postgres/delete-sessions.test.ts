// Tests of deleting many sessions of a database.
import { expect, test } from 'vitest';
import { deleteAllSessions, deleteOldSessions } from '../../../src/store/postgres/delete-sessions.ts';
import { entry, header } from '../contract.ts';
import { createManualClock, openPostgres, openStore } from './postgres-fixture.ts';

const DAY_MS = 86_400_000;

async function openSessions() {
  const { openStorage } = await openPostgres();
  const { clock, advance } = createManualClock();
  const storage = openStorage({ clock });
  const store = openStore(storage);
  const create = async (id: string, cwd = header.cwd) => {
    const log = store.create({ ...header, id, cwd });
    await log.append([entry(0)]);
    return log;
  };
  const listIds = async () => (await store.list()).map(({ id }) => id).sort();
  return { openStorage, storage, create, listIds, advance, clock };
}

test('sessions that were not used for a time are deleted', async () => {
  const { storage, create, listIds, advance } = await openSessions();
  await (await create('old')).close();
  await (await create('elsewhere', '/other')).close();
  advance(10 * DAY_MS);
  await (await create('new')).close();
  expect(await deleteOldSessions(storage, 9, { isDryRun: true })).toEqual({
    deleted: ['postgres:elsewhere', 'postgres:old'],
    failed: [],
  });
  expect((await deleteOldSessions(storage, 9, { cwd: header.cwd })).deleted).toEqual(['postgres:old']);
  expect(await listIds()).toEqual(['elsewhere', 'new']);
  expect((await deleteOldSessions(storage, 9)).deleted).toEqual(['postgres:elsewhere']);
  expect((await deleteOldSessions(storage, 9)).deleted).toEqual([]);
});

test('a session in use is kept and named', async () => {
  const { openStorage, create, listIds, advance, clock } = await openSessions();
  const log = await create('used');
  await (await create('unused')).close();
  advance(2 * DAY_MS);
  const other = openStorage({ clock, self: { pid: 77, host: 'elsewhere' } });
  const { deleted, failed } = await deleteOldSessions(other, 1);
  expect(deleted).toEqual(['postgres:unused']);
  expect(failed).toEqual([
    { path: 'postgres:used', message: expect.stringContaining('in use by process 4321 on here: postgres:used') },
  ]);
  await log.append([entry(1)]);
  await log.close();
  expect(await listIds()).toEqual(['used']);
});

test('all sessions of a tenant are deleted, in batches, and no others', async () => {
  const { openStorage, storage, create, listIds } = await openSessions();
  for (let n = 0; n < 205; n += 1) await (await create(`session-${n}`)).close();
  const other = openStorage({ tenant: 'other' });
  expect((await deleteAllSessions(other)).deleted).toEqual([]);
  expect((await deleteAllSessions(storage)).deleted).toHaveLength(205);
  expect(await listIds()).toEqual([]);
});
