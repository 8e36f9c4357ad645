// A snapshot and the events after it contain each message once, at every moment of a run.
import { expect, test } from 'vitest';
import type { SessionStore } from '../../../src/contracts/index.ts';
import type { AgentMessage } from '../../../src/protocol/index.ts';
import { createMemoryStore } from '../../../src/store/index.ts';
import { createSharedSession, type Frame } from './clients.ts';

interface TakenSnapshot {
  readonly seq: number;
  readonly messages: readonly AgentMessage[];
}

test('a message that is stored, but whose message_end event is not sent yet, is not part of a snapshot', async () => {
  const { agent, shared, connect, close } = await createSharedSession(
    [{ text: ['a', 'b'] }, { text: ['c'] }],
    createSlowStore(),
  );
  const client = await connect('one');
  const { feed } = shared.get(agent.session);
  const snapshots: TakenSnapshot[] = [];
  let isOver = false;
  const takeSnapshots = async () => {
    while (!isOver) {
      const { seq, messages } = feed.createSnapshot('too_old', []);
      snapshots.push({ seq, messages });
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const taking = takeSnapshots();
  await client.send({ id: 1, type: 'prompt', message: 'first' });
  await client.send({ id: 2, type: 'prompt', message: 'second' });
  isOver = true;
  await taking;
  const final = agent.session.history.messages();
  expect(final.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  const ended = client.events.filter(({ type }) => type === 'message_end') as (Frame & { seq: number })[];
  const joined = snapshots.map(({ seq, messages }) =>
    [...messages, ...ended.filter((event) => event.seq > seq).map(({ message }) => message as AgentMessage)].map(
      ({ timestamp, role }) => `${role} ${timestamp}`,
    ),
  );
  const expected = final.map(({ timestamp, role }) => `${role} ${timestamp}`);
  expect(joined.filter((list) => list.join() !== expected.join())).toEqual([]);
  expect(new Set(snapshots.map(({ messages }) => messages.length)).size).toBe(5);
  await close();
});

/** A write takes some turns of the event loop, as on a disk. */
function createSlowStore(): SessionStore {
  const store = createMemoryStore();
  return {
    ...store,
    create(header) {
      const log = store.create(header);
      const append: typeof log.append = async (entries) => {
        for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
        await log.append(entries);
      };
      return { ...log, append };
    },
  };
}
