// QueueFacet, with a log whose writes are completed by the test.
import { expect, test } from 'vitest';
import { createDeferred, type Deferred } from '../../../src/base/index.ts';
import { PromptOutcomes } from '../../../src/core/session/prompt-outcomes.ts';
import { QueueFacet } from '../../../src/core/session/queue-facet.ts';
import type { SessionState } from '../../../src/core/session/session-state.ts';
import type { AgentEvent, UserMessage } from '../../../src/protocol/index.ts';

const userMessage = (text: string): UserMessage => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 0 });

function open() {
  const writes: Deferred<void>[] = [];
  const events: AgentEvent[] = [];
  let idCount = 0;
  const state = {
    options: { steeringMode: 'all', followUpMode: 'all', interruptMode: 'wait' },
    ports: { ids: { entryId: () => `q${++idCount}` } },
    broadcast: { emit: (event: AgentEvent) => void events.push(event) },
    conversation: {
      file: '/log.jsonl',
      async commit() {
        const write = createDeferred();
        writes.push(write);
        await write.promise;
      },
    },
  } as unknown as SessionState;
  return { queues: new QueueFacet(state, new PromptOutcomes(() => true)), writes, events };
}

const getTexts = (deliveries: readonly { message: unknown }[]) =>
  deliveries.map(({ message }) => (message as { content: { text: string }[] }).content[0]?.text);

test.each(['steer', 'followUp'] as const)('%s: a message is not delivered before it is on disk', async (kind) => {
  const { queues, writes } = open();
  let isAcknowledged = false;
  const onAccepted = () => {
    isAcknowledged = true;
  };
  const added = queues.add(kind, userMessage('one'), { onAccepted });
  expect(queues.count).toBe(1);
  expect(queues.take(kind)).toEqual([]);
  expect(queues.takeForNewRun()).toEqual([]);
  writes[0]?.resolve();
  await added;
  expect(isAcknowledged).toBe(true);
  expect(getTexts(queues.take(kind))).toEqual(['one']);
  expect(queues.take(kind)).toEqual([]);
});

test('a message that cannot be written is removed from the queue and not acknowledged', async () => {
  const { queues, writes, events } = open();
  const added = queues.add('followUp', userMessage('one'));
  writes[0]?.reject(new Error('full'));
  await expect(added).rejects.toThrow('full');
  expect(queues.count).toBe(0);
  queues.reportNotRun('the test ends');
  expect(events).toEqual([]);
});

test('each message that was not run is reported once; taken and cleared messages are not reported', async () => {
  const { queues, writes, events } = open();
  const reports: string[] = [];
  const add = async (text: string) => {
    const added = queues.add('followUp', userMessage(text), {
      onNotRun: ({ code, message }) => reports.push(`${code}: ${message}`),
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
  queues.reset([
    { id: 'old', kind: 'steer', message: userMessage(`of an earlier\nprocess ${'and long '.repeat(20)}`) },
  ]);
  queues.reportNotRun('the test ends');
  queues.reportNotRun('the test ends again');
  expect(reports).toEqual([
    'not_run: The message "left" was not run: the test ends. It stays queued in /log.jsonl and is sent before the next prompt of that session.',
  ]);
  const notices = events.filter(({ type }) => type === 'notice');
  expect(notices).toEqual([expect.objectContaining({ level: 'error', source: 'queue' })]);
  expect(JSON.stringify(notices)).toContain('The message \\"of an earlier process and long');
});
