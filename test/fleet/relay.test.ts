// Tests of relaying messages between nodes through the database.
import { expect, test } from 'vitest';
import { createIds } from '../../src/app/system-ports/ids.ts';
import type { Database } from '../../src/contracts/index.ts';
import { createContentCipher } from '../../src/store/postgres/content-cipher.ts';
import { waitUntil } from '../support/wait-until.ts';
import { connect, openRelays, take } from './relay-fixture.ts';

const text = (message: string) => Buffer.from(message);

/** No notification arrives. */
const withoutNotifications = (database: Database): Database => ({
  ...database,
  query: (...args) => database.query(...args),
  listen: async () => async () => {},
});

test('messages arrive in both directions, in order, and nothing is left in the database', async () => {
  const { startNode, count } = await openRelays();
  const [a, b] = [await startNode('a'), await startNode('b')];
  const { near, far } = await connect(a, b, 'what for');
  expect(far).toMatchObject({ id: near.id, peer: 'a', opening: text('what for') });
  const sent = Array.from({ length: 500 }, (_, at) => `message ${at}`);
  for (const message of sent) near.send(text(message));
  for (const message of sent) far.send(text(`to a: ${message}`));
  expect(await take(far, 500)).toEqual(sent);
  expect(await take(near, 500)).toEqual(sent.map((message) => `to a: ${message}`));
  near.send(text('last'));
  near.close(text('the reason'));
  expect(await far.end).toEqual({ kind: 'closed', reason: text('the reason') });
  expect(await near.end).toEqual({ kind: 'left' });
  await waitUntil(async () => (await count('relay_channels')) + (await count('relay_frames')) === 0);
  expect([a.relay.channelCount, b.relay.channelCount]).toEqual([0, 0]);
});

test('what was sent before the close is read after it', async () => {
  const { startNode } = await openRelays();
  const [a, b] = [await startNode('a'), await startNode('b')];
  const { near, far } = await connect(a, b);
  for (const message of ['one', 'two']) near.send(text(message));
  near.close();
  await far.end;
  expect(await take(far, 10)).toEqual(['one', 'two']);
});

test('long messages, empty ones, and messages with the opening', async () => {
  const { startNode } = await openRelays();
  const [a, b] = [await startNode('a'), await startNode('b')];
  const long = Buffer.alloc(5_000_000, 'long ');
  const near = await a.relay.open('b', text('x'), [text('first'), long]);
  near?.send(text(''));
  const far = await b.nextChannel();
  expect(await take(far, 3)).toEqual(['first', long.toString(), '']);
});

test('several channels do not wait for each other', async () => {
  const { startNode } = await openRelays();
  const [a, b] = [await startNode('a'), await startNode('b')];
  const stuck = await connect(a, b);
  const other = await connect(a, b);
  for (let i = 0; i < 40; i++) stuck.near.send(Buffer.alloc(100_000, 's'));
  other.near.send(text('not stuck'));
  expect(await take(other.far, 1)).toEqual(['not stuck']);
  expect(await take(stuck.far, 40)).toHaveLength(40);
});

test('a reader that does not read stops the sender, and does not fill the table', async () => {
  const { startNode, count, database } = await openRelays();
  const [a, b] = [await startNode('a'), await startNode('b')];
  const { near, far } = await connect(a, b);
  const message = Buffer.alloc(50_000, 'm');
  let sent = 0;
  while (near.send(message)) sent += 1;
  for (let i = 0; i < 100; i++) near.send(message);
  // Another channel goes through the same statements: what may be sent was sent.
  const other = await connect(a, b);
  other.near.send(text('go on'));
  await take(other.far, 1);
  await waitUntil(async () => (await count('relay_frames')) === 0);
  let isDrained = false;
  void near.waitForDrain().then(() => {
    isDrained = true;
  });
  await database.query('select 1');
  expect(isDrained).toBe(false);
  expect(await take(far, sent + 101)).toHaveLength(sent + 101);
  await near.waitForDrain();
  near.close(text('end'));
  await far.end;
});

test('the close arrives although the reader does not read', async () => {
  const { startNode } = await openRelays();
  const [a, b] = [await startNode('a'), await startNode('b')];
  const { near, far } = await connect(a, b);
  for (let i = 0; i < 60; i++) near.send(Buffer.alloc(50_000, 'm'));
  near.close(text('too slow'));
  expect(await far.end).toEqual({ kind: 'closed', reason: text('too slow') });
});

test('messages arrive without notifications', async () => {
  const { startNode } = await openRelays();
  const a = await startNode('a', { wrap: withoutNotifications });
  const b = await startNode('b', { wrap: withoutNotifications });
  const { near, far } = await connect(a, b);
  near.send(text('one'));
  expect(await take(far, 1)).toEqual(['one']);
  far.send(text('two'));
  expect(await take(near, 1)).toEqual(['two']);
});

test('failures of the connection repeat nothing and lose nothing', async () => {
  const { startNode } = await openRelays();
  let calls = 0;
  /** Every third call takes effect, and its result is lost. */
  const unreliable = (database: Database): Database => ({
    ...database,
    listen: (...args) => database.listen(...args),
    async query(statement, values) {
      const rows = await database.query(statement, values);
      calls += 1;
      if (calls % 3 === 0 && /relay_(send|receive)/.test(statement)) throw new Error('the connection is lost');
      return rows as never;
    },
  });
  const a = await startNode('a', { wrap: unreliable });
  const b = await startNode('b', { wrap: unreliable });
  const { near, far } = await connect(a, b);
  const sent = Array.from({ length: 30 }, (_, at) => `message ${at}`);
  const received = take(far, 30);
  for (const message of sent) {
    near.send(text(message));
    await near.flush();
  }
  expect(await received).toEqual(sent);
});

test('a channel ends when the registration of the other node has expired', async () => {
  const { startNode, count } = await openRelays();
  const [a, b, c] = [await startNode('a'), await startNode('b'), await startNode('c')];
  const [first, second] = [await connect(a, b), await connect(c, b)];
  first.far.send(text('before'));
  await first.far.flush();
  await b.die();
  expect(await first.near.end).toEqual({ kind: 'ended' });
  expect(await second.near.end).toEqual({ kind: 'ended' });
  expect(await take(first.near, 5)).toEqual(['before']);
  expect(await a.relay.open('b', text(''))).toBeUndefined();
  await waitUntil(async () => (await count('relay_channels')) === 0);
});

test('a channel ends when the process of the other node is known to have ended', async () => {
  const { startNode } = await openRelays();
  let hasEnded = false;
  const a = await startNode('a', { hasEnded: async (process) => hasEnded && process === 'process of b' });
  const [b, c] = [await startNode('b'), await startNode('c')];
  const [{ near }, other] = [await connect(a, b), await connect(a, c)];
  hasEnded = true;
  expect(await near.end).toEqual({ kind: 'ended' });
  other.near.send(text('alive'));
  expect(await take(other.far, 1)).toEqual(['alive']);
});

test('channels end when the database has lost them, as after a crash', async () => {
  const { startNode, database } = await openRelays();
  const [a, b] = [await startNode('a'), await startNode('b')];
  const { near, far } = await connect(a, b);
  await database.query('truncate parley.relay_channels, parley.relay_frames');
  expect(await near.end).toEqual({ kind: 'ended' });
  expect(await far.end).toEqual({ kind: 'ended' });
});

test('a missing row ends the channel: messages are never skipped', async () => {
  const { startNode, database } = await openRelays();
  let isPaused = false;
  let receiving: Promise<unknown> = Promise.resolve();
  const pause = (inner: Database): Database => ({
    ...inner,
    query(statement, values) {
      if (isPaused && statement.includes('relay_receive')) return Promise.resolve([]);
      const reply = inner.query(statement, values);
      receiving = reply;
      return reply as never;
    },
  });
  const [a, b] = [await startNode('a'), await startNode('b', { wrap: pause })];
  const { near, far } = await connect(a, b);
  isPaused = true;
  await receiving;
  near.send(text('one'));
  await near.flush();
  await database.tenantTransaction('default', (connection) =>
    connection.query('delete from parley.relay_frames where channel = $1', [near.id]),
  );
  near.send(text('two'));
  await near.flush();
  isPaused = false;
  expect(await far.end).toEqual({ kind: 'broken' });
  expect(await take(far, 5)).toEqual([]);
});

test('what ended nodes left is deleted', async () => {
  const { startNode, database, count } = await openRelays();
  const [a, b] = [await startNode('a'), await startNode('b')];
  await database.tenantTransaction('default', (connection) =>
    connection.query(
      `insert into parley.relay_channels (id, tenant, opener, acceptor) values ('old', 'default', 'x', 'a')`,
    ),
  );
  await database.tenantTransaction('default', (connection) =>
    connection.query(
      `insert into parley.relay_frames (tenant, recipient, channel, seq, body) values ('default', 'x', 'old', 1, ''), ('default', 'a', 'old', 1, '')`,
    ),
  );
  const { near, far } = await connect(a, b);
  await startNode('c');
  await waitUntil(async () => (await count('relay_channels')) === 1 && (await count('relay_frames')) === 0);
  near.send(text('still open'));
  expect(await take(far, 1)).toEqual(['still open']);
});

test('only nodes can be reached', async () => {
  const { startNode } = await openRelays();
  const a = await startNode('a');
  await startNode('p', { kind: 'process' });
  expect(await a.relay.open('p', text(''))).toBeUndefined();
  expect(await a.relay.open('unknown', text(''))).toBeUndefined();
});

test('the end of a relay closes its channels', async () => {
  const { startNode, count } = await openRelays();
  const [a, b] = [await startNode('a'), await startNode('b')];
  const { near, far } = await connect(a, b);
  far.send(text('goes out'));
  await b.relay.close();
  expect(await near.end).toEqual({ kind: 'closed', reason: text('') });
  expect(await take(near, 5)).toEqual(['goes out']);
  await expect(b.relay.open('a', text(''))).rejects.toMatchObject({ code: 'busy' });
  await waitUntil(async () => (await count('relay_channels')) === 0);
});

test('frames are encrypted, and cannot be read with another key or in another place', async () => {
  const { startNode, database } = await openRelays();
  const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
  const createCipher = (keys: string) => createContentCipher(keys, createIds());
  const a = await startNode('a', { cipher: createCipher(key('k1', 1)) });
  const b = await startNode('b', { cipher: createCipher(`${key('k2', 2)},${key('k1', 1)}`) });
  const c = await startNode('c', { cipher: createCipher(key('k3', 3)) });
  const { near, far } = await connect(a, b);
  near.send(text('secret'));
  expect(await take(far, 1)).toEqual(['secret']);
  // A node that has ended reads nothing, so its rows stay.
  await database.query(
    `insert into parley.holders (id, process, kind, expires_at) values ('d', '', 'node', clock_timestamp() + interval '1 hour')`,
  );
  await a.relay.open('d', text('secret opening'));
  const rows = await database.tenantTransaction('default', (connection) =>
    connection.query<{ body: Uint8Array; body_key: string }>(
      `select body, body_key from parley.relay_frames where recipient = 'd'`,
    ),
  );
  expect(rows).toMatchObject([{ body_key: 'k1' }]);
  expect(Buffer.from(rows[0]?.body ?? []).includes('secret')).toBe(false);
  const refused = await a.relay.open('c', text('not for c'));
  expect(await refused?.end).toEqual({ kind: 'ended' });
  expect(c.relay.channelCount).toBe(0);
});

test('another tenant sees neither frames nor channels', async () => {
  const { startNode, database } = await openRelays();
  const a = await startNode('a');
  await database.query(
    `insert into parley.holders (id, process, kind, expires_at) values ('d', '', 'node', clock_timestamp() + interval '1 hour')`,
  );
  await a.relay.open('d', text('opening'));
  const count = (tenant: string, table: string) =>
    database.tenantTransaction(tenant, (connection) => connection.query(`select 1 from parley.${table}`));
  for (const table of ['relay_channels', 'relay_frames']) {
    expect(await count('default', table)).toHaveLength(1);
    expect(await count('other', table)).toHaveLength(0);
    expect(await database.query(`select 1 from parley.${table}`)).toHaveLength(0);
  }
  const other = await startNode('d2', { tenant: 'other' });
  await insertSession(database, 'default', 's', 'a');
  expect(await other.relay.database.listHeldSessions(['s'])).toEqual(new Map());
});

test('which of some sessions other processes have open', async () => {
  const { startNode, database } = await openRelays();
  const [a, b] = [await startNode('a'), await startNode('b')];
  for (const [id, holder] of [
    ['of-a', 'a'],
    ['of-b', 'b'],
    ['closed', null],
    ['other', 'b'],
  ] as const)
    await insertSession(database, 'default', id, holder);
  const list = (...ids: string[]) => a.relay.database.listHeldSessions(ids);
  expect(await list('of-a', 'of-b', 'closed', 'unknown')).toEqual(new Map([['of-b', false]]));
  expect(await list()).toEqual(new Map());
  await b.die();
  expect(await list('of-b')).toEqual(new Map());
});

function insertSession(database: Database, tenant: string, id: string, holder: string | null): Promise<unknown> {
  return database.tenantTransaction(tenant, (connection) =>
    connection.query(
      `insert into parley.sessions (tenant, id, header, cwd, created_ms, modified_ms, details, holder)
        values ($1, $2, '', '/', 1, 1, '', $3)`,
      [tenant, id, holder],
    ),
  );
}
