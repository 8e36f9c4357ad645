// Tests of encrypting stored sessions with another key.
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createIds } from '../../../src/app/system-ports/ids.ts';
import type { Database } from '../../../src/contracts/index.ts';
import { createContentCipher } from '../../../src/store/postgres/content-cipher.ts';
import { createDecryptingCipher, rekeySessions } from '../../../src/store/postgres/rekey-sessions.ts';
import { readStoredFile } from '../../../src/store/postgres/stored-directory.ts';
import { entry, header } from '../contract.ts';
import { openPostgres, openStore, type PostgresFixture } from './postgres-fixture.ts';

const OLD = `old:${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `new:${Buffer.alloc(32, 2).toString('base64')}`;
const image = Buffer.alloc(20_000, 3).toString('base64');
const withImage = { ...entry(1), message: { role: 'user', content: [{ type: 'image', data: image }], timestamp: 1 } };

const openKeyed = (
  { openStorage }: PostgresFixture,
  keys: string | undefined,
  self = { pid: 4321, startTime: 99, host: 'here' },
) => openStorage({ cipher: createContentCipher(keys, createIds()), self });

type Storage = ReturnType<typeof openKeyed>;

async function createStored(storage: Storage, id: string) {
  const log = openStore(storage).create({ ...header, id });
  await log.directory?.restore?.();
  await mkdir(log.directory?.path as string, { recursive: true });
  writeFileSync(`${log.directory?.path}/note`, 'a secret note');
  await log.append([entry(0), withImage as never]);
  return log;
}

async function collect(storage: Storage) {
  const results = [];
  for await (const result of rekeySessions(storage)) results.push(result);
  return results;
}

/** The ids of the keys with which anything is encrypted. */
async function listKeys(database: Database): Promise<(string | null)[]> {
  const rows = await database.tenantTransaction('default', (connection) =>
    connection.query<{
      key: string | null;
    }>(`select header_key as key from parley.sessions union select details_key from parley.sessions
      union select body_key from parley.entries union select content_key from parley.images
      union select content_key from parley.files`),
  );
  return rows.map(({ key }) => key).sort();
}

async function readImageHashes(database: Database): Promise<string[]> {
  const rows = await database.tenantTransaction('default', (connection) =>
    connection.query<{ hash: string }>('select hash from parley.images order by hash'),
  );
  return rows.map(({ hash }) => hash);
}

async function expectContents(storage: Storage, id: string) {
  const stored = await openStore(storage).read(`postgres:${id}`);
  expect(stored.entries).toEqual([entry(0), withImage]);
  expect(await readStoredFile(storage, id, 'note')).toBe('a secret note');
  expect((await openStore(storage).list()).find((session) => session.id === id)?.opening).toBe('message 0');
}

test('plain sessions are encrypted, then with another key, then decrypted', async () => {
  const fixture = await openPostgres();
  const plain = openKeyed(fixture, undefined);
  await (await createStored(plain, 'one')).close();
  await (await createStored(plain, 'two')).close();
  const plainHashes = await readImageHashes(fixture.database);
  const old = openKeyed(fixture, OLD);
  expect(await collect(old)).toEqual([{ path: 'postgres:one' }, { path: 'postgres:two' }]);
  expect(await listKeys(fixture.database)).toEqual(['old']);
  expect(await readImageHashes(fixture.database)).not.toEqual(plainHashes);
  await expectContents(old, 'one');
  const both = openKeyed(fixture, `${NEW},${OLD}`);
  expect(await collect(both)).toHaveLength(2);
  expect(await listKeys(fixture.database)).toEqual(['new']);
  const renewed = openKeyed(fixture, NEW);
  await expectContents(renewed, 'two');
  expect(await collect(renewed)).toEqual([]);
  const decrypting = { ...renewed, cipher: createDecryptingCipher(renewed.cipher) };
  expect(await collect(decrypting)).toHaveLength(2);
  expect(await listKeys(fixture.database)).toEqual([null]);
  expect(await readImageHashes(fixture.database)).toEqual(plainHashes);
  await expectContents(plain, 'one');
});

test('a session in use is named, and changed by the next call', async () => {
  const fixture = await openPostgres();
  const plain = openKeyed(fixture, undefined);
  const log = await createStored(plain, 'used');
  await (await createStored(plain, 'unused')).close();
  const other = openKeyed(fixture, NEW, { pid: 77, startTime: 1, host: 'elsewhere' });
  expect(await collect(other)).toEqual([
    { path: 'postgres:unused' },
    { path: 'postgres:used', error: expect.stringContaining('in use by process 4321 on here') },
  ]);
  await log.close();
  expect(await collect(other)).toEqual([{ path: 'postgres:used' }]);
  await expectContents(other, 'used');
});

test('a call that was interrupted is continued', async () => {
  let failing = false;
  let updates = 0;
  const fixture = await openPostgres((database) => ({
    ...database,
    tenantTransaction: (tenant, act) =>
      database.tenantTransaction(tenant, (connection) =>
        act({
          query: (text, values) => {
            if (failing && text.startsWith('update parley.files') && ++updates > 0) throw new Error('interrupted');
            return connection.query(text, values);
          },
        }),
      ),
  }));
  const plain = openKeyed(fixture, undefined);
  await (await createStored(plain, 'one')).close();
  failing = true;
  const other = openKeyed(fixture, NEW);
  await expect(collect(other)).rejects.toThrow('interrupted');
  expect(await listKeys(fixture.database)).toEqual(['new', null].sort());
  await expectContents(other, 'one');
  failing = false;
  expect(await collect(other)).toEqual([{ path: 'postgres:one' }]);
  expect(await listKeys(fixture.database)).toEqual(['new']);
  await expectContents(other, 'one');
});

test('a missing key is named, and damaged content does not keep others from being changed', async () => {
  const fixture = await openPostgres();
  const old = openKeyed(fixture, OLD);
  await (await createStored(old, 'damaged')).close();
  await (await createStored(old, 'whole')).close();
  await expect(collect(openKeyed(fixture, NEW))).rejects.toThrow('encrypted with the key old. Add this key');
  await fixture.database.tenantTransaction('default', (connection) =>
    connection.query(`update parley.entries set body = '\\x00' || body where session = 'damaged'`),
  );
  expect(await collect(openKeyed(fixture, `${NEW},${OLD}`))).toEqual([
    { path: 'postgres:damaged', error: expect.stringContaining('postgres:damaged: Content of a session cannot be') },
    { path: 'postgres:whole' },
  ]);
});
