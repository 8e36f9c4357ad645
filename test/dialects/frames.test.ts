// How two lines become one while the host is slow, and that it costs no more than the lines themselves.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frame } from '../../src/contracts/index.ts';
import { plainFrame, toolUpdateFrame } from '../../src/dialects/frames.ts';
import { createOmpCodec } from '../../src/dialects/omp/codec.ts';
import type { StreamEvent } from '../../src/protocol/index.ts';
import { joined, workDone } from './joined.ts';
import { eventsOf, interleavedStream, type StreamScript, serialStream } from './streams.ts';

interface Update {
  type: string;
  message?: unknown;
  assistantMessageEvent: { type: string; contentIndex: number; delta?: string; partial?: unknown };
}

const read = (frame: Frame): Update => JSON.parse(joined(frame.chunks));

/** Each frame is made while the message is as it was then; what comes later must not show in it. */
function framesOf(script: StreamScript, stream: 'full' | 'delta'): { frame: Frame; event: StreamEvent }[] {
  const codec = createOmpCodec({ version: '0', stream });
  const made: { frame: Frame; event: StreamEvent }[] = [];
  for (const event of eventsOf(script)) {
    const frame = codec.event({ type: 'message_update', message: event.partial, assistantMessageEvent: event });
    made.push({ frame: frame as Frame, event });
  }
  return made;
}

describe.each(['full', 'delta'] as const)('updates of a %s stream', (stream) => {
  test('fold exactly when both add to the same block: both deltas, the later message', () => {
    fc.assert(
      fc.property(fc.oneof(serialStream, interleavedStream), (script) => {
        const frames = framesOf(script, stream);
        for (const [index, { frame, event }] of frames.entries()) {
          const next = frames[index + 1];
          if (!next) break;
          const folded = frame.fold?.(next.frame);
          const same =
            'delta' in event && event.type === next.event.type && event.contentIndex === next.event.contentIndex;
          expect(folded !== undefined).toBe(same);
          if (!folded) continue;
          const [first, second, both] = [frame, next.frame, folded].map(read) as [Update, Update, Update];
          const delta = `${first.assistantMessageEvent.delta}${second.assistantMessageEvent.delta}`;
          expect(both).toEqual({ ...second, assistantMessageEvent: { ...second.assistantMessageEvent, delta } });
        }
      }),
      { numRuns: 150 },
    );
  });

  test('any number of them fold, in any grouping, to the same line', () => {
    const deltas = ['a', '\ud83d', '\ude00"', '\u2028', 'z'];
    const script = { blocks: [{ kind: 'text', deltas, signature: undefined } as const], usageAt: [2], order: [] };
    const parts = () =>
      framesOf({ ...script, blocks: [...script.blocks] }, stream)
        .slice(1, -1)
        .map(({ frame }) => frame);
    const left = parts().reduce((a, b) => a.fold?.(b) as Frame);
    const right = parts().reduceRight((b, a) => a.fold?.(b) as Frame);
    expect(read(left)).toEqual(read(right));
    expect(read(left).assistantMessageEvent.delta).toBe(deltas.join(''));
    expect(joined(left.chunks)).toMatch(/^[^\n\u2028\u2029]+\n$/);
  });

  test('20,000 of them cost ten times what 2,000 cost, folded or not', () => {
    const cost = (count: number) =>
      workDone(() => {
        const codec = createOmpCodec({ version: '0', stream });
        const deltas = Array.from({ length: count }, (_, index) => `word${index % 10} `);
        let waiting: Frame | undefined;
        for (const event of eventsOf({
          blocks: [{ kind: 'text', deltas, signature: undefined }],
          usageAt: [],
          order: [],
        })) {
          const frame = codec.event({
            type: 'message_update',
            message: event.partial,
            assistantMessageEvent: event,
          }) as Frame;
          waiting = waiting?.fold?.(frame) ?? frame;
        }
      });
    expect(cost(20_000)).toBeLessThan(cost(2000) * 10.5);
  });
});

test('the size of a frame is that of its pieces', () => {
  for (const { frame } of framesOf(
    { blocks: [{ kind: 'text', deltas: ['abc'], signature: undefined }], usageAt: [], order: [] },
    'full',
  )) {
    expect(frame.bytes).toBe(joined(frame.chunks).length);
  }
});

describe('progress of tools', () => {
  const update = (toolCallId: string, text: string) =>
    toolUpdateFrame({
      type: 'tool_execution_update',
      toolCallId,
      toolName: 'bash',
      args: {},
      partialResult: { content: [{ type: 'text', text }] },
    });

  test('the later of two for the same call stands for both', () => {
    const later = update('c1', 'one two');
    expect(update('c1', 'one').fold?.(later)).toBe(later);
  });

  test('it does not fold with another call, nor with anything else', () => {
    expect(update('c1', 'one').fold?.(update('c2', 'one'))).toBeUndefined();
    expect(update('c1', 'one').fold?.(plainFrame({ type: 'agent_end' }))).toBeUndefined();
    expect(plainFrame({ type: 'agent_end' }).fold).toBeUndefined();
  });
});

test('separators never leave raw', () => {
  expect(joined(plainFrame({ text: 'a\u2028b\u2029c' }).chunks)).toBe('{"text":"a\\u2028b\\u2029c"}\n');
});
