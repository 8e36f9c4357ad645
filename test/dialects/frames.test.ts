// Tests of folding: two queued frames merge into one while the host is slow, at linear cost.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frame } from '../../src/contracts/index.ts';
import { createFrame, createToolUpdateFrame } from '../../src/dialects/frames.ts';
import { createOmpCodec } from '../../src/dialects/omp/codec.ts';
import type { StreamEvent } from '../../src/protocol/index.ts';
import { joinChunks, measureEncoding } from './frame-text.ts';
import { generateEvents, interleavedStream, type StreamScript, serialStream } from './streams.ts';

interface Update {
  type: string;
  message?: unknown;
  assistantMessageEvent: { type: string; contentIndex: number; delta?: string; partial?: unknown };
}

const parseUpdate = (frame: Frame): Update => JSON.parse(joinChunks(frame.chunks));

/** Encodes each frame immediately, because the message object changes later and must not change earlier frames. */
function encodeStream(script: StreamScript, stream: 'full' | 'delta'): { frame: Frame; event: StreamEvent }[] {
  const codec = createOmpCodec({ version: '0', stream });
  const encoded: { frame: Frame; event: StreamEvent }[] = [];
  for (const event of generateEvents(script)) {
    const frame = codec.encodeEvent({ type: 'message_update', message: event.partial, assistantMessageEvent: event });
    encoded.push({ frame: frame as Frame, event });
  }
  return encoded;
}

describe.each(['full', 'delta'] as const)('updates of a %s stream', (stream) => {
  test('fold only when both are deltas of the same block, into both deltas and the later message', () => {
    fc.assert(
      fc.property(fc.oneof(serialStream, interleavedStream), (script) => {
        const frames = encodeStream(script, stream);
        for (const [index, { frame, event }] of frames.entries()) {
          const next = frames[index + 1];
          if (!next) break;
          const folded = frame.fold?.(next.frame);
          const same =
            'delta' in event && event.type === next.event.type && event.contentIndex === next.event.contentIndex;
          expect(folded !== undefined).toBe(same);
          if (!folded) continue;
          const [first, second, both] = [frame, next.frame, folded].map(parseUpdate) as [Update, Update, Update];
          const delta = `${first.assistantMessageEvent.delta}${second.assistantMessageEvent.delta}`;
          expect(both).toEqual({ ...second, assistantMessageEvent: { ...second.assistantMessageEvent, delta } });
        }
      }),
      { numRuns: 150 },
    );
  });

  test('fold to the same line in any grouping', () => {
    const deltas = ['a', '\ud83d', '\ude00"', '\u2028', 'z'];
    const script = { blocks: [{ kind: 'text', deltas, signature: undefined } as const], usageAt: [2], order: [] };
    const encodeParts = () =>
      encodeStream({ ...script, blocks: [...script.blocks] }, stream)
        .slice(1, -1)
        .map(({ frame }) => frame);
    const left = encodeParts().reduce((a, b) => a.fold?.(b) as Frame);
    const right = encodeParts().reduceRight((b, a) => a.fold?.(b) as Frame);
    expect(parseUpdate(left)).toEqual(parseUpdate(right));
    expect(parseUpdate(left).assistantMessageEvent.delta).toBe(deltas.join(''));
    expect(joinChunks(left.chunks)).toMatch(/^[^\n\u2028\u2029]+\n$/);
  });

  test('encoding cost is linear in the number of deltas, folded or not', () => {
    const cost = (count: number) =>
      measureEncoding(() => {
        const codec = createOmpCodec({ version: '0', stream });
        const deltas = Array.from({ length: count }, (_, index) => `word${index % 10} `);
        let queued: Frame | undefined;
        for (const event of generateEvents({
          blocks: [{ kind: 'text', deltas, signature: undefined }],
          usageAt: [],
          order: [],
        })) {
          const frame = codec.encodeEvent({
            type: 'message_update',
            message: event.partial,
            assistantMessageEvent: event,
          }) as Frame;
          queued = queued?.fold?.(frame) ?? frame;
        }
      });
    expect(cost(20_000)).toBeLessThan(cost(2000) * 10.5);
  });
});

test('the size of a frame is the sum of its chunks', () => {
  for (const { frame } of encodeStream(
    { blocks: [{ kind: 'text', deltas: ['abc'], signature: undefined }], usageAt: [], order: [] },
    'full',
  )) {
    expect(frame.bytes).toBe(joinChunks(frame.chunks).length);
  }
});

describe('tool updates', () => {
  const update = (toolCallId: string, text: string) =>
    createToolUpdateFrame({
      type: 'tool_execution_update',
      toolCallId,
      toolName: 'bash',
      args: {},
      partialResult: { content: [{ type: 'text', text }] },
    });

  test('the later of two updates of the same call replaces the earlier one', () => {
    const later = update('c1', 'one two');
    expect(update('c1', 'one').fold?.(later)).toBe(later);
  });

  test('an update does not fold with other calls or other frames', () => {
    expect(update('c1', 'one').fold?.(update('c2', 'one'))).toBeUndefined();
    expect(update('c1', 'one').fold?.(createFrame({ type: 'agent_end' }))).toBeUndefined();
    expect(createFrame({ type: 'agent_end' }).fold).toBeUndefined();
  });
});

test('line separators U+2028 and U+2029 are escaped', () => {
  expect(joinChunks(createFrame({ text: 'a\u2028b\u2029c' }).chunks)).toBe('{"text":"a\\u2028b\\u2029c"}\n');
});
