// Tests that tenants cannot reach the rows of each other, and that nothing of a conversation is readable in an encrypted database.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createIds } from '../../../src/app/system-ports/ids.ts';
import type { SqlRow } from '../../../src/contracts/database.ts';
import type { SessionEntry } from '../../../src/protocol/session-entry.ts';
import {
  addStoredToken,
  findStoredToken,
  listStoredTokens,
  removeStoredToken,
} from '../../../src/store/postgres/access-token-rows.ts';
import { createContentCipher } from '../../../src/store/postgres/content-cipher.ts';
import { createPostgresIndex } from '../../../src/store/postgres/postgres-index.ts';
import { createTestDatabase } from '../../support/database.ts';
import { withClient } from '../../support/database-server.ts';
import { entry, header } from '../contract.ts';
import { openPostgres, openStore, type PostgresFixture } from './postgres-fixture.ts';

const TABLES = ['sessions', 'entries', 'images', 'files', 'tokens'];
const CANARY = 'canary';
let postgres: PostgresFixture;
/** Exempt from row-level security. */
let superuserUrl: string;

beforeAll(async () => {
  postgres = await openPostgres();
  const other = await createTestDatabase();
  superuserUrl = Object.assign(new URL(other.superuserUrl), { pathname: new URL(postgres.url).pathname }).href;
});

const readAll = (table: string): Promise<SqlRow[]> =>
  withClient(superuserUrl, async (sql) => [...(await sql.unsafe(`select * from parley.${table} order by 1, 2, 3`))]);

const image = Buffer.from(`${CANARY} image `.repeat(2000));

/** A session with a canary in everything that can contain one. */
async function createSession(id: string, options: Parameters<PostgresFixture['openStorage']>[0]) {
  const storage = postgres.openStorage(options);
  const log = openStore(storage).create({ ...header, id, title: `${CANARY} title` } as typeof header);
  await log.directory!.restore?.();
  mkdirSync(log.directory!.path, { recursive: true });
  writeFileSync(join(log.directory!.path, 'output.log'), `${CANARY} artifact`);
  const picture = {
    ...entry(1),
    message: {
      role: 'user',
      content: [{ type: 'image', data: image.toString('base64'), mimeType: 'image/png' }],
      timestamp: 1,
    },
  } as SessionEntry;
  const name = {
    ...entry(2),
    type: 'session_info',
    name: `${CANARY} name`,
  } as unknown as SessionEntry;
  await log.append([entry(0, `${CANARY} prompt`), picture, name]);
  return { storage, log, path: log.file! };
}

describe('tenants', () => {
  let hasSession = false;
  beforeEach(async () => {
    if (hasSession) return;
    hasSession = true;
    const { log, storage } = await createSession('of-b', { tenant: 'b' });
    await log.close();
    await addStoredToken(storage.database, 'b', { name: 'bot', access: 'full', createdMs: 1, digest: 'digest' });
  });

  test('no operation of a tenant finds or changes a session of another one', async () => {
    const before = await Promise.all(TABLES.map(readAll));
    expect(before.map((rows) => rows.length > 0)).toEqual(TABLES.map(() => true));
    const storage = postgres.openStorage({ tenant: 'a' });
    const [store, index] = [openStore(storage), createPostgresIndex(storage)];
    const notFound = { code: 'not_found' };
    for (const reference of ['of-b', 'postgres:of-b']) {
      await expect(store.resume(reference)).rejects.toMatchObject(notFound);
      await expect(store.locate(reference)).rejects.toMatchObject(notFound);
      await expect(store.remove(reference)).rejects.toMatchObject(notFound);
      await expect(index.locate(reference)).rejects.toMatchObject(notFound);
      await expect(index.move(reference, '/stolen')).rejects.toMatchObject(notFound);
      await expect(index.remove(reference)).rejects.toMatchObject(notFound);
      expect(await index.readDirectory(reference)).toBeUndefined();
      expect(await index.readSidecar(reference, 'output.log')).toBeUndefined();
    }
    await expect(store.read('postgres:of-b')).rejects.toMatchObject(notFound);
    expect(await index.find('of-b')).toBeUndefined();
    expect(await store.find('of-b')).toBeUndefined();
    expect(await store.list()).toEqual([]);
    expect(await store.findLatest()).toBeUndefined();
    expect(await index.list()).toEqual([]);
    expect((await index.search({ query: CANARY, limit: 10 })).sessions).toEqual([]);
    await expect(storage.holder.take('a', 'of-b')).rejects.toMatchObject(notFound);
    await storage.holder.release('b', 'of-b', 0);
    // The same id is another session there.
    const own = store.create({ ...header, id: 'of-b' });
    await own.append([entry(5)]);
    expect(await own.readAll()).toEqual([entry(5)]);
    await own.close();
    await store.remove('of-b');
    expect(await Promise.all(TABLES.map(readAll))).toEqual(before);
  });

  test('a token is found by its digest only, and tenants list and remove their own', async () => {
    const { database } = postgres.openStorage({ tenant: 'a' });
    expect(await findStoredToken(database, 'digest')).toEqual({ tenant: 'b', name: 'bot', access: 'full' });
    expect(await findStoredToken(database, 'other')).toBeUndefined();
    expect(await findStoredToken(database, '')).toBeUndefined();
    expect(await listStoredTokens(database, 'a')).toEqual([]);
    await expect(removeStoredToken(database, 'a', 'bot')).rejects.toMatchObject({ code: 'config' });
    expect(await listStoredTokens(database, 'b')).toEqual([{ name: 'bot', access: 'full', createdMs: 1 }]);
    // Knowing the digest does not allow a change.
    await withClient(postgres.url, (sql) =>
      sql.begin(async (inner) => {
        await inner`select set_config('parley.token_digest', 'digest', true)`;
        expect(await inner`select name from parley.tokens`).toHaveLength(1);
        expect((await inner`update parley.tokens set access = 'read'`).count).toBe(0);
        expect((await inner`delete from parley.tokens`).count).toBe(0);
      }),
    );
  });

  test.each([
    ['no tenant', undefined],
    ['an empty tenant', ''],
    ['another tenant', 'a'],
    ['a pattern', '%'],
  ])('%s: the role of the program can neither read nor change rows', async (_, tenant) => {
    const before = await Promise.all(TABLES.map(readAll));
    await withClient(postgres.url, (sql) =>
      sql.begin(async (inner) => {
        if (tenant !== undefined) await inner`select set_config('parley.tenant', ${tenant}, true)`;
        for (const table of TABLES) {
          expect(await inner.unsafe(`select * from parley.${table}`)).toHaveLength(0);
          expect((await inner.unsafe(`update parley.${table} set tenant = 'a'`)).count).toBe(0);
          expect((await inner.unsafe(`delete from parley.${table}`)).count).toBe(0);
        }
      }),
    );
    for (const table of TABLES) {
      const insert = withClient(postgres.url, (sql) =>
        sql.begin(async (inner) => {
          if (tenant !== undefined) await inner`select set_config('parley.tenant', ${tenant}, true)`;
          await inner.unsafe(
            `insert into parley.${table} select (jsonb_populate_record(null::parley.${table}, '{"tenant":"b"}')).*`,
          );
        }),
      );
      await expect(insert).rejects.toMatchObject({ code: '42501' });
    }
    expect(await Promise.all(TABLES.map(readAll))).toEqual(before);
  });

  test.each([
    ['take_session', "select * from parley.take_session('b', 'of-b', 'me', '{}')"],
    [
      'append_entries',
      "select parley.append_entries('b', 'of-b', 1, 0, '', '{}', '{}', null, '{}', '', 0, 0, false, 0, true)",
    ],
  ])('%s refuses another tenant than that of its transaction', async (_, statement) => {
    const called = postgres.database.tenantTransaction('a', (connection) => connection.query(statement));
    await expect(called).rejects.toMatchObject({ details: { code: '42501' } });
    // The setting ends with its transaction, so the next one of the same connection can name another tenant.
    const own = postgres.database.tenantTransaction('b', (connection) =>
      connection.query('select id from parley.sessions'),
    );
    expect(await own).toEqual([{ id: 'of-b' }]);
  });
});

describe('encryption', () => {
  const [first, second] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];
  const cipherOf = (keys: string | undefined) => createContentCipher(keys, createIds());

  test('no column of any table contains text of a conversation', async () => {
    const { log } = await createSession('plain', { tenant: 'plain' });
    await log.close();
    const encrypted = await createSession('encrypted', { tenant: 'encrypted', cipher: cipherOf(`k1:${first}`) });
    const dump = async (tenant: string) => {
      const rows = (await Promise.all(TABLES.map(readAll))).flat().filter((row) => row.tenant === tenant);
      return Buffer.concat(
        rows.flatMap((row) =>
          Object.values(row).map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(inspect(value)))),
        ),
      );
    };
    const found = await dump('plain');
    for (const part of ['title', 'artifact', 'prompt', 'name', 'image'])
      expect(found.includes(`${CANARY} ${part}`)).toBe(true);
    expect((await dump('encrypted')).includes(CANARY)).toBe(false);
    const listed = await openStore(encrypted.storage).list();
    expect(listed).toMatchObject([{ name: `${CANARY} name`, opening: `${CANARY} prompt` }]);
    await encrypted.log.close();
  });

  test('after a rotation both keys are used, and a missing or wrong key is named without being shown', async () => {
    const tenant = 'rotated';
    const { log, path } = await createSession('rotated', { tenant, cipher: cipherOf(`k1:${first}`) });
    await log.close();
    const rotated = openStore(postgres.openStorage({ tenant, cipher: cipherOf(`k2:${second},k1:${first}`) }));
    const resumed = await rotated.resume(path);
    await resumed.log.append([entry(3, `${CANARY} later`)]);
    expect(await resumed.log.readAll()).toHaveLength(4);
    await resumed.log.close();
    const check = async (keys: string | undefined, code: string, text: RegExp) => {
      const storage = postgres.openStorage({ tenant, cipher: cipherOf(keys) });
      for (const act of ['resume', 'read'] as const) {
        const problem = await openStore(storage)
          [act](path)
          .catch((thrown: unknown) => thrown);
        expect(problem).toMatchObject({ code, message: expect.stringMatching(text) });
        const shown = inspect(problem, { depth: 10, showHidden: true });
        for (const secret of [CANARY, first, second]) expect(shown).not.toContain(secret);
      }
    };
    await check(`k2:${second}`, 'config', /the key k1\. Add this key to PARLEY_DATABASE_KEY/);
    await check(undefined, 'config', /the key k[12]\. Add this key/);
    await check(`k1:${second},k2:${first}`, 'storage', /cannot be decrypted with the key k[12]/);
    // A failed opening leaves the session free.
    await (await rotated.resume(path)).log.close();
  });

  test.each([
    [
      'lines of a session',
      'update parley.entries set body = (select body from parley.entries where position > 0 limit 1) where position = 0',
    ],
    ['a header and a summary', 'update parley.sessions set header = details'],
    [
      'parts of files',
      "insert into parley.files select tenant, session, 'x.log', part, hash, size, modified_ms, content, content_key from parley.files",
    ],
    ['a shortened line', 'update parley.entries set body = substring(body for 20) where position = 0'],
  ])('exchanged content is detected: %s', async (what, statement) => {
    const tenant = what.replaceAll(' ', '-');
    const { log, path, storage } = await createSession(tenant, { tenant, cipher: cipherOf(`k1:${first}`) });
    await log.close();
    await postgres.database.tenantTransaction(tenant, (connection) => connection.query(statement));
    const read = what.startsWith('parts')
      ? createPostgresIndex(storage).readSidecar(path, 'x.log')
      : openStore(storage).read(path);
    await expect(read).rejects.toMatchObject({
      message: expect.stringContaining('cannot be decrypted with the key k1'),
    });
  });
});
