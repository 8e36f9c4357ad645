// What subagents do is told as their own hosts would be told, each by itself; while the host is slow, growth folds for each.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Codec, Frame } from '../../../src/contracts/index.ts';
import { createOmpCodec } from '../../../src/dialects/omp/codec.ts';
import { createSubagentSpelling } from '../../../src/dialects/omp/subagents.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { joined } from '../joined.ts';
import { eventsOf, interleavedStream, serialStream } from '../streams.ts';

const IDS = ['One', 'One.Inner'];
const read = (frame: Frame | undefined) => frame && JSON.parse(joined(frame.chunks));
const ofChild = (id: string, event: AgentEvent): AgentEvent => ({ type: 'subagent_event', payload: { id, event } });

function* updatesOf(script: Parameters<typeof eventsOf>[0]): Generator<AgentEvent> {
  for (const event of eventsOf(script)) {
    yield { type: 'message_update', message: event.partial, assistantMessageEvent: event };
  }
}

async function watching(stream: 'full' | 'delta'): Promise<Codec> {
  const codec = createOmpCodec({ version: '0', stream });
  await codec.watchSubagents?.('events');
  return codec;
}

test.each(['full', 'delta'] as const)('two of them at once, %s', async (stream) => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(fc.oneof(serialStream, interleavedStream), fc.oneof(serialStream, interleavedStream)),
      fc.array(fc.constantFrom(0, 1), { maxLength: 60 }),
      async (scripts, order) => {
        const codec = await watching(stream);
        const own = IDS.map(() => createOmpCodec({ version: '0', stream }));
        const sources = scripts.map(updatesOf);
        let before: { child: number; frame: Frame; alone: Frame } | undefined;
        for (const child of order) {
          const { value: event } = sources[child]?.next() ?? {};
          if (!event) continue;
          const id = IDS[child] as string;
          const frame = codec.event(ofChild(id, event)) as Frame;
          const alone = own[child]?.event(event) as Frame;
          const wrapped = { type: 'subagent_event', payload: { id, event: read(alone) } };
          expect(read(frame)).toEqual(wrapped);
          expect(joined(frame.chunks).length).toBe(frame.chunks.map((chunk) => joined([chunk])).join('').length);
          if (before) {
            const folded = before.frame.fold?.(frame);
            const expected = before.child === child ? before.alone.fold?.(alone) : undefined;
            expect(folded === undefined).toBe(expected === undefined);
            if (folded) expect(read(folded)).toEqual({ ...wrapped, payload: { id, event: read(expected) } });
          }
          before = { child, frame, alone };
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('what one does now takes the place of what it did before, and of nothing that another does', async () => {
  const codec = await watching('full');
  const advance = (id: string, toolCount: number): AgentEvent => ({
    type: 'subagent_progress',
    payload: {
      ...{ index: 0, agent: 'task', agentSource: 'bundled', task: 'x' },
      progress: {
        ...{ index: 0, id, agent: 'task', status: 'running', recentTools: [], recentOutput: [] },
        ...{ toolCount, tokens: 0, durationMs: 0 },
      },
    },
  });
  const [first, second, other] = [advance('One', 1), advance('One', 2), advance('Two', 1)].map(
    (event) => codec.event(event) as Frame,
  );
  expect(read(first?.fold?.(second as Frame))).toMatchObject({ payload: { progress: { id: 'One', toolCount: 2 } } });
  expect(first?.fold?.(other as Frame)).toBeUndefined();
});

test('what is known of a subagent is forgotten with its start and its end', () => {
  let made = 0;
  const spell = createSubagentSpelling('events', () => {
    made += 1;
    return () => undefined;
  });
  const lifecycle = (id: string, status: 'started' | 'completed'): AgentEvent => ({
    type: 'subagent_lifecycle',
    payload: { id, index: 0, agent: 'task', agentSource: 'bundled', status },
  });
  const speak = (id: string) => spell(ofChild(id, { type: 'agent_start' }));
  for (const id of ['One', 'One', 'Two', 'One']) speak(id);
  expect(made).toBe(2);
  spell(lifecycle('One', 'completed'));
  for (const id of ['One', 'One', 'Two']) speak(id);
  expect(made).toBe(3);
  spell(lifecycle('One', 'started'));
  speak('One');
  expect(made).toBe(4);
});

test('what has no word here is not told of a subagent either', async () => {
  const codec = await watching('full');
  expect(codec.event(ofChild('One', { type: 'queue_update', steering: [], followUp: [] }))).toBeUndefined();
  expect(read(codec.event(ofChild('One', { type: 'agent_start' })))).toEqual({
    type: 'subagent_event',
    payload: { id: 'One', event: { type: 'agent_start' } },
  });
});
