// Events of a subagent are encoded like those of a main session, separately per subagent. Their deltas fold per subagent.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Codec, Frame } from '../../../src/contracts/index.ts';
import { createOmpCodec } from '../../../src/dialects/omp/codec.ts';
import { createSubagentEventEncoder } from '../../../src/dialects/omp/subagent-event-encoder.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { joinChunks } from '../frame-text.ts';
import { generateEvents, interleavedStream, serialStream } from '../streams.ts';

const IDS = ['One', 'One.Inner'];
const parseFrame = (frame: Frame | undefined) => frame && JSON.parse(joinChunks(frame.chunks));
const createChildEvent = (id: string, event: AgentEvent): AgentEvent => ({
  type: 'subagent_event',
  payload: { id, event },
});

function* generateUpdates(script: Parameters<typeof generateEvents>[0]): Generator<AgentEvent> {
  for (const event of generateEvents(script)) {
    yield { type: 'message_update', message: event.partial, assistantMessageEvent: event };
  }
}

async function createSubscribedCodec(stream: 'full' | 'delta'): Promise<Codec> {
  const codec = createOmpCodec({ version: '0', stream });
  await codec.setSubagentSubscription?.('events');
  return codec;
}

test.each(['full', 'delta'] as const)('two interleaved subagents are encoded separately, %s', async (stream) => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(fc.oneof(serialStream, interleavedStream), fc.oneof(serialStream, interleavedStream)),
      fc.array(fc.constantFrom(0, 1), { maxLength: 60 }),
      async (scripts, order) => {
        const codec = await createSubscribedCodec(stream);
        const separateCodecs = IDS.map(() => createOmpCodec({ version: '0', stream }));
        const sources = scripts.map(generateUpdates);
        let before: { child: number; frame: Frame; plainFrame: Frame } | undefined;
        for (const child of order) {
          const { value: event } = sources[child]?.next() ?? {};
          if (!event) continue;
          const id = IDS[child] as string;
          const frame = codec.encodeEvent(createChildEvent(id, event)) as Frame;
          const plainFrame = separateCodecs[child]?.encodeEvent(event) as Frame;
          const wrapped = { type: 'subagent_event', payload: { id, event: parseFrame(plainFrame) } };
          expect(parseFrame(frame)).toEqual(wrapped);
          expect(joinChunks(frame.chunks).length).toBe(
            frame.chunks.map((chunk) => joinChunks([chunk])).join('').length,
          );
          if (before) {
            const folded = before.frame.fold?.(frame);
            const expected = before.child === child ? before.plainFrame.fold?.(plainFrame) : undefined;
            expect(folded === undefined).toBe(expected === undefined);
            if (folded)
              expect(parseFrame(folded)).toEqual({ ...wrapped, payload: { id, event: parseFrame(expected) } });
          }
          before = { child, frame, plainFrame: plainFrame };
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('progress of a subagent replaces its earlier progress, but not that of another subagent', async () => {
  const codec = await createSubscribedCodec('full');
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
    (event) => codec.encodeEvent(event) as Frame,
  );
  expect(parseFrame(first?.fold?.(second as Frame))).toMatchObject({
    payload: { progress: { id: 'One', toolCount: 2 } },
  });
  expect(first?.fold?.(other as Frame)).toBeUndefined();
});

test('the encoder of a subagent is dropped when the subagent starts or ends', () => {
  let encoderCount = 0;
  const encode = createSubagentEventEncoder('events', () => {
    encoderCount += 1;
    return () => undefined;
  });
  const lifecycle = (id: string, status: 'started' | 'completed'): AgentEvent => ({
    type: 'subagent_lifecycle',
    payload: { id, index: 0, agent: 'task', agentSource: 'bundled', status },
  });
  const sendEvent = (id: string) => encode(createChildEvent(id, { type: 'agent_start' }));
  for (const id of ['One', 'One', 'Two', 'One']) sendEvent(id);
  expect(encoderCount).toBe(2);
  encode(lifecycle('One', 'completed'));
  for (const id of ['One', 'One', 'Two']) sendEvent(id);
  expect(encoderCount).toBe(3);
  encode(lifecycle('One', 'started'));
  sendEvent('One');
  expect(encoderCount).toBe(4);
});

test('events that omp does not define are not sent for a subagent', async () => {
  const codec = await createSubscribedCodec('full');
  expect(
    codec.encodeEvent(createChildEvent('One', { type: 'queue_update', steering: [], followUp: [] })),
  ).toBeUndefined();
  expect(parseFrame(codec.encodeEvent(createChildEvent('One', { type: 'agent_start' })))).toEqual({
    type: 'subagent_event',
    payload: { id: 'One', event: { type: 'agent_start' } },
  });
});
