// The queues of one session, with a log whose writes the test holds back.
import { expect, test } from 'vitest';
import { type Deferred, deferred } from '../../../src/base/index.ts';
import { QueueFacet } from '../../../src/core/session/queues.ts';
import type { Seat } from '../../../src/core/session/seat.ts';
import type { AgentEvent, UserMessage } from '../../../src/protocol/index.ts';

const said = (text: string): UserMessage => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 0 });

function open() {
  const writes: Deferred<void>[] = [];
  const events: AgentEvent[] = [];
  let ids = 0;
  const seat = {
    options: { steeringMode: 'all', followUpMode: 'all', interruptMode: 'wait' },
    ports: { ids: { entry: () => `q${++ids}` } },
    broadcast: { emit: (event: AgentEvent) => void events.push(event) },
    conversation: {
      file: '/log.jsonl',
      async commit() {
        const write = deferred();
        writes.push(write);
        await write.promise;
      },
    },
  } as unknown as Seat;
  return { queues: new QueueFacet(seat), writes, events };
}

const textsOf = (deliveries: readonly { message: unknown }[]) =>
  deliveries.map(({ message }) => (message as { content: { text: string }[] }).content[0]?.text);

test.each(['steer', 'followUp'] as const)('%s: a message is delivered when it is on disk, not before', async (kind) => {
  const { queues, writes } = open();
  let acknowledged = false;
  const accepted = () => {
    acknowledged = true;
  };
  const added = queues.add(kind, said('one'), { accepted });
  expect(queues.count).toBe(1);
  expect(queues.take(kind)).toEqual([]);
  expect(queues.takeOpening()).toEqual([]);
  writes[0]?.resolve();
  await added;
  expect(acknowledged).toBe(true);
  expect(textsOf(queues.take(kind))).toEqual(['one']);
  expect(queues.take(kind)).toEqual([]);
});

test('a message that the disk refuses leaves the queue, and is not reported as accepted', async () => {
  const { queues, writes, events } = open();
  const added = queues.add('followUp', said('one'));
  writes[0]?.reject(new Error('full'));
  await expect(added).rejects.toThrow('full');
  expect(queues.count).toBe(0);
  queues.reportNotRun('the test ends');
  expect(events).toEqual([]);
});

test('each message that was not run is reported once, and what was taken or cleared is not', async () => {
  const { queues, writes, events } = open();
  const reports: string[] = [];
  const add = async (text: string) => {
    const added = queues.add('followUp', said(text), {
      notRun: ({ code, message }) => reports.push(`${code}: ${message}`),
    });
    writes.at(-1)?.resolve();
    await added;
  };
  await add('taken');
  queues.take('followUp');
  await add('cleared');
  const cleared = queues.clear();
  writes.at(-1)?.resolve();
  await cleared;
  await add('left');
  queues.reset([{ id: 'old', kind: 'steer', message: said(`of an earlier\nprocess ${'and long '.repeat(20)}`) }]);
  queues.reportNotRun('the test ends');
  queues.reportNotRun('the test ends again');
  expect(reports).toEqual([
    'not_run: The message "left" was not run: the test ends. It stays queued in /log.jsonl and goes before the next prompt of that session.',
  ]);
  const notices = events.filter(({ type }) => type === 'notice');
  expect(notices).toEqual([expect.objectContaining({ level: 'error', source: 'queue' })]);
  expect(JSON.stringify(notices)).toContain('The message \\"of an earlier process and long');
});
