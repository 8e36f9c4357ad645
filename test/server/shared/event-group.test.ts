// Delivery to clients that receive the same frames: each event is encoded once, deltas are folded for a short time.
import { expect, test } from 'vitest';
import type { Frame } from '../../../src/contracts/index.ts';
import { createOmpCodec } from '../../../src/dialects/omp/codec.ts';
import { addPosition } from '../../../src/dialects/positioned-frame.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { EventGroup } from '../../../src/server/shared/event-group.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

function createDelta(delta: string): AgentEvent {
  const partial = { role: 'assistant', content: [{ type: 'text', text: delta }] };
  const assistantMessageEvent = { type: 'text_delta', contentIndex: 0, delta, partial };
  return { type: 'message_update', message: partial, assistantMessageEvent } as unknown as AgentEvent;
}

function createGroup(memberCount: number) {
  const clock = createFakeClock();
  let encoded = 0;
  const encoder = createOmpCodec({ version: '1', stream: 'delta', addPosition }).sharedEncoding?.createEncoder();
  const group = new EventGroup(clock, (event, position) => {
    encoded += 1;
    return encoder?.(event, position);
  });
  const received: Frame[][] = [];
  for (let i = 0; i < memberCount; i++) {
    const frames: Frame[] = [];
    received.push(frames);
    group.members.add({ receive: (batch) => void frames.push(...batch) });
  }
  return { clock, group, received, getEncoded: () => encoded };
}

function parse(frames: readonly Frame[] = []): Record<string, unknown>[] {
  return frames.map(({ chunks }) =>
    JSON.parse(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))).toString()),
  );
}

const microtasks = () => new Promise<void>((resolve) => setImmediate(resolve));

test('an event is encoded once for a hundred clients, which receive the same bytes', async () => {
  const { group, received, getEncoded } = createGroup(100);
  group.add({ type: 'agent_start' }, { seq: 7, client: 'a "b"' });
  await microtasks();
  expect(getEncoded()).toBe(1);
  expect(parse(received[0])).toEqual([{ seq: 7, client: 'a "b"', type: 'agent_start' }]);
  expect(new Set(received.map(([frame]) => frame)).size).toBe(1);
});

test('deltas within 16 ms are delivered as one frame with the range of their numbers', async () => {
  const { clock, group, received } = createGroup(2);
  group.add(createDelta('a'), { seq: 1 });
  await microtasks();
  for (const [i, text] of ['b', 'c', 'd'].entries()) group.add(createDelta(text), { seq: i + 2 });
  await microtasks();
  expect(received[0]).toHaveLength(1);
  clock.advance(16);
  expect(parse(received[0])).toEqual([
    { seq: 1, type: 'message_update', assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'a' } },
    {
      seq: 4,
      firstSeq: 2,
      type: 'message_update',
      assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'bcd' },
    },
  ]);
});

test.each([
  [32, 16],
  [60, 30],
  [100, 50],
  [1000, 50],
])('deltas for %i clients are delivered every %i ms', async (memberCount, windowMs) => {
  const { clock, group, received } = createGroup(memberCount);
  for (let ms = 0; ms < 10 * windowMs; ms++) {
    group.add(createDelta('a'), { seq: ms + 1 });
    await microtasks();
    clock.advance(1);
  }
  expect(received.at(-1)).toHaveLength(11);
});

test('an event that is not folded is delivered at once, after the deltas before it', async () => {
  const { group, received } = createGroup(1);
  group.add(createDelta('a'), { seq: 1 });
  await microtasks();
  group.add(createDelta('b'), { seq: 2 });
  group.add({ type: 'turn_start' }, { seq: 3 });
  await microtasks();
  expect(parse(received[0]).map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test('deltas that different clients have caused are not folded', async () => {
  const { clock, group, received } = createGroup(1);
  group.add(createDelta('a'), { seq: 1, client: 'one' });
  group.add(createDelta('b'), { seq: 2, client: 'two' });
  await microtasks();
  clock.advance(16);
  expect(parse(received[0]).map(({ seq, client }) => [seq, client])).toEqual([
    [1, 'one'],
    [2, 'two'],
  ]);
});

test('a slow client folds frames that were encoded for several clients', async () => {
  const { clock, group, received } = createGroup(2);
  for (const [i, text] of [...'abcdef'].entries()) {
    group.add(createDelta(text), { seq: i + 1 });
    await microtasks();
    clock.advance(20);
  }
  const [first, ...others] = received[0] as [Frame, ...Frame[]];
  // All of them become one frame, otherwise the memory of a slow client would grow with each delivery.
  const folded = others.reduce<Frame | undefined>((last, next) => last?.fold?.(next), first);
  expect(parse(folded ? [folded] : [])).toMatchObject([
    { seq: 6, firstSeq: 1, assistantMessageEvent: { delta: 'abcdef' } },
  ]);
});
