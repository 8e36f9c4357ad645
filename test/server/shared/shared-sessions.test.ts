// Many shared sessions: the work to add one does not grow with their number, and a session can change its id.
import { expect, test } from 'vitest';
import type { AgentSession, HubListener, SessionHub } from '../../../src/contracts/index.ts';
import { createMultiSessionHub, type HubMember } from '../../../src/server/multi-session-hub.ts';
import { type AttachedClient, SharedSessions } from '../../../src/server/shared/shared-sessions.ts';
import { createCountingIds } from '../../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';

/** Sessions that count how often their ids are read. */
function createSessions() {
  const counts = { ids: 0 };
  const listeners = new Map<string, Set<(event: object) => void>>();
  const create = (name: string) => {
    const own = new Set<(event: object) => void>();
    listeners.set(name, own);
    const fake = {
      currentId: name,
      get id() {
        counts.ids += 1;
        return this.currentId;
      },
      state: () => ({ messageCount: 0 }),
      entries: { leafId: null },
      subscribe: (listener: (event: object) => void) => own.add(listener),
      switchTo(id: string) {
        fake.currentId = id;
        const event = { type: 'conversation_changed', sessionId: id, leafId: null, reason: 'switched' };
        for (const listener of own) listener(event);
        return event;
      },
    };
    return fake as unknown as AgentSession & Pick<typeof fake, 'switchTo'>;
  };
  return { counts, create };
}

function createShared() {
  let listener: HubListener = () => {};
  const hub = {
    connect(given: HubListener) {
      listener = given;
      return () => {};
    },
  } as unknown as SessionHub;
  const shared = new SharedSessions(hub, { clock: createFakeClock(), ids: createCountingIds(), log: () => {} });
  return { shared, emit: (...args: Parameters<HubListener>) => listener(...args) };
}

function toMember(session: AgentSession): HubMember {
  return { session, hub: { exitRequested: new Promise(() => {}) } as SessionHub, close: async () => {} };
}

const createHub = () => createMultiSessionHub(() => expect.unreachable());

test('adding a shared session does not read the ids of all others', () => {
  const { counts, create } = createSessions();
  const { shared } = createShared();
  for (let n = 0; n < 500; n++) shared.get(create(`s${n}`));
  counts.ids = 0;
  shared.get(create('last'));
  expect(counts.ids).toBeLessThan(10);
});

test('finding a session in the hub does not read the ids of all others', async () => {
  const { counts, create } = createSessions();
  const hub = createHub();
  for (let n = 0; n < 500; n++) hub.add(toMember(create(`s${n}`)));
  counts.ids = 0;
  expect(hub.find('s77')?.session.id).toBe('s77');
  expect(hub.find('unknown')).toBeUndefined();
  expect(counts.ids).toBeLessThan(10);
  await hub.closeSession('s77');
  expect(hub.find('s77')).toBeUndefined();
});

test('the hub finds a session by its new id, and no longer by the old one', () => {
  const { create } = createSessions();
  const hub = createHub();
  const session = create('old');
  hub.add(toMember(session));
  session.switchTo('new');
  expect(hub.find('new')?.session).toBe(session);
  expect(hub.find('old')).toBeUndefined();
});

test('a session that was opened again replaces the one with the same id, also if that has changed its id', () => {
  const { create } = createSessions();
  const { shared, emit } = createShared();
  const first = create('a');
  const client = {
    ...{ name: 'c', replaced: 0, renamedTo: '' },
    handleSessionReplaced: () => void client.replaced++,
    handleSessionRenamed: ({ id }: { id: string }) => {
      client.renamedTo = id;
    },
  };
  shared.get(first).clients.add(client as unknown as AttachedClient);
  emit(first.switchTo('b') as Parameters<HubListener>[0], first);
  expect(client.renamedTo).toBe('b');
  shared.get(create('a'));
  expect(client.replaced).toBe(0);
  shared.get(create('b'));
  expect(client.replaced).toBe(1);
  expect([...shared.all].map(({ session }) => session.id)).toEqual(['a', 'b']);
});

test('a session that is closed does not replace the one with its id that was opened since', () => {
  const { create } = createSessions();
  const { shared, emit } = createShared();
  const closed = create('a');
  const ended = shared.get(closed);
  shared.remove(closed, 'The session was closed.');
  const open = create('a');
  const { clients, feed } = shared.get(open);
  const client = { name: 'c', handleSessionReplaced: () => expect.unreachable() };
  clients.add(client as unknown as AttachedClient);
  expect(shared.get(closed)).toBe(ended);
  expect(shared.getLaneId(closed)).toBe(shared.getLaneId(open));
  const { lastSeq } = feed.journal;
  emit({ type: 'notice', level: 'info', message: 'late' }, closed);
  expect(feed.journal.lastSeq).toBe(lastSeq);
  expect([...shared.all].map(({ session }) => session)).toEqual([open]);
});
