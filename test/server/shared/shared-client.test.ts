// Clients whose connection is closed while they are attached, positions of sessions that are opened again, and memory without clients.
import { expect, test } from 'vitest';
import { createDeferred } from '../../../src/base/index.ts';
import { createOmpCodec } from '../../../src/dialects/omp/codec.ts';
import { addPosition } from '../../../src/dialects/positioned-frame.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { Outbox } from '../../../src/server/outbox.ts';
import { SharedClient } from '../../../src/server/shared/shared-client.ts';
import { createFakeClock } from '../../../src/testing/index.ts';
import { createMemoryTransport } from '../../../src/transports/index.ts';
import { createSharedSession, openAgain } from './clients.ts';

/** A client that does not read. The first frame that waits exceeds a small `maxWaitingBytes`. */
function createBlockedClient(maxWaitingBytes: number) {
  const { transport, host } = createMemoryTransport({ highWaterMark: 1 });
  host.pause();
  const outbox = new Outbox(transport);
  const clock = createFakeClock();
  const closed: string[] = [];
  const client = new SharedClient({
    ...{ name: 'blocked', access: 'full', outbox, clock, maxWaitingBytes, sessions: 'many' },
    codec: createOmpCodec({ version: '1', stream: 'delta', addPosition }),
    close: (reason) => void closed.push(reason),
  });
  return { client, outbox, clock, closed };
}

test('a client that is closed while it is attached is not kept by the session', async () => {
  const { agent, shared, close } = await createSharedSession([]);
  const { client, outbox, closed } = createBlockedClient(10);
  const session = shared.get(agent.session);
  await client.attach(session, '0');
  expect(closed).toEqual(['reads_too_slowly']);
  expect(session.clients.size).toBe(0);
  expect(session.feed.hasMembers).toBe(false);
  expect(outbox.waitingBytes).toBe(0);
  await close();
});

/** A client that waits for the todo list of the session while it is attached. */
async function attachSlowly() {
  const { agent, shared, close } = await createSharedSession([]);
  const { session } = agent;
  const { client, outbox, closed } = createBlockedClient(1e9);
  const list = createDeferred<Awaited<ReturnType<typeof session.todos.list>>>();
  session.todos.list = () => list.promise;
  const attached = client.attach(shared.get(session), '0');
  const finish = async () => {
    list.resolve([]);
    await attached;
  };
  return { session, shared, client, outbox, closed, finish, close };
}

test('a client whose session is closed while it is attached is disconnected', async () => {
  const { session, shared, client, closed, finish, close } = await attachSlowly();
  shared.remove(session, 'The session was closed.');
  await finish();
  expect({ closed, isAttached: client.isAttached(session) }).toEqual({ closed: ['session_closed'], isAttached: false });
  await close();
});

test('a client whose session is opened again while it is attached is attached to the new one', async () => {
  const { session, shared, client, closed, finish, close } = await attachSlowly();
  const other = openAgain(session);
  const { clients } = shared.get(other);
  await finish();
  expect({ closed, isAttached: client.isAttached(other), isListed: clients.has(client) }).toEqual({
    ...{ closed: [], isAttached: true, isListed: true },
  });
  expect(client.isAttached(session)).toBe(false);
  await close();
});

function createNotice(length: number): AgentEvent {
  return { type: 'notice', level: 'info', message: 'b'.repeat(length) };
}

test('events that a client has missed do not count as read too slowly, later ones do', async () => {
  const { agent, shared, connect, close } = await createSharedSession([{ text: ['a'.repeat(9000)] }]);
  const { feed, clients } = shared.get(agent.session);
  const { lastSeq } = feed.journal;
  const one = await connect('one');
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  const { client, outbox, clock, closed } = createBlockedClient(1000);
  await client.attach(shared.get(agent.session), String(lastSeq));
  expect(outbox.waitingBytes).toBeGreaterThan(9000);
  await clock.advance(60_000);
  feed.append(createNotice(500), undefined);
  feed.flush();
  await clock.advance(60_000);
  expect({ closed, isAttached: clients.has(client) }).toEqual({ closed: [], isAttached: true });
  feed.append(createNotice(2000), undefined);
  feed.flush();
  await clock.advance(10_000);
  expect({ closed, isAttached: clients.has(client) }).toEqual({ closed: ['reads_too_slowly'], isAttached: false });
  await close();
});

test('no event of the previous session follows when a client moves to another one', async () => {
  const [first, second] = [await createSharedSession([]), await createSharedSession([])];
  const { transport, host } = createMemoryTransport({ highWaterMark: 1e9 });
  const client = new SharedClient({
    ...{ name: 'moving', access: 'full', outbox: new Outbox(transport), clock: createFakeClock() },
    ...{ maxWaitingBytes: 1e9, sessions: 'many', close() {} },
    codec: createOmpCodec({ version: '1', stream: 'delta', addPosition }),
  });
  const [from, to] = [first.shared.get(first.agent.session), second.shared.get(second.agent.session)];
  await client.attach(from);
  from.feed.append({ type: 'notice', level: 'info', message: 'of the first session' }, undefined);
  await client.attach(to, '0', from.session);
  from.feed.append({ type: 'notice', level: 'info', message: 'later' }, undefined);
  from.feed.flush();
  to.feed.append({ type: 'notice', level: 'info', message: 'of the second session' }, undefined);
  to.feed.flush();
  transport.close();
  const received: unknown[] = [];
  for await (const line of host.frames()) received.push(JSON.parse(line));
  expect(received).toMatchObject([
    { type: 'session_attached' },
    { type: 'notice', message: 'of the first session' },
    { type: 'session_attached', replay: 'snapshot' },
    { type: 'session_snapshot' },
    { type: 'notice', message: 'of the second session' },
  ]);
  expect(from.clients.size).toBe(0);
  await Promise.all([first.close(), second.close()]);
});

test('a session that is opened again continues its numbers', async () => {
  const { agent, shared, connect, close } = await createSharedSession([{ text: ['a'] }]);
  const one = await connect('one');
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  const { lastSeq } = shared.get(agent.session).feed.journal;
  shared.remove(agent.session, 'idle');
  const two = await connect('two', { after: String(lastSeq), session: openAgain(agent.session) });
  expect(two.frames[1]).toMatchObject({ type: 'session_attached', replay: 'events', seq: lastSeq });
  await close();
});

test('after another process has changed a closed session, an earlier position gets a snapshot', async () => {
  const { agent, shared, connect, close } = await createSharedSession([{ text: ['a'] }]);
  const one = await connect('one');
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  const { lastSeq } = shared.get(agent.session).feed.journal;
  shared.remove(agent.session, 'idle');
  await agent.session.entries.append({ type: 'custom', customType: 'of another process' });
  const two = await connect('two', { after: String(lastSeq), session: openAgain(agent.session) });
  expect(two.frames[1]).toMatchObject({ type: 'session_attached', replay: 'snapshot' });
  expect(two.frames[2]).toMatchObject({ type: 'session_snapshot', reason: 'too_old' });
  await close();
});

test('the events of a run that ends without clients are not kept', async () => {
  const { agent, shared, connect, release, close } = await createSharedSession([
    { text: ['a'.repeat(100_000), 'b'], hold: 'gate', holdAfter: 1 },
  ]);
  const { journal } = shared.get(agent.session).feed;
  const { lastSeq } = journal;
  const one = await connect('one');
  await one.send({ id: 1, type: 'prompt', message: 'Hi' });
  one.host.end();
  await release('gate');
  expect(shared.get(agent.session).clients.size).toBe(0);
  expect(journal.readAfter(lastSeq)).toBeUndefined();
  expect(journal.readAfter(journal.lastSeq)).toEqual([]);
  await close();
});
