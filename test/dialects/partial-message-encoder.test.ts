// The JSON of a growing message equals JSON.stringify of the message after every event, at linear cost.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Chunk } from '../../src/contracts/index.ts';
import { PartialMessageEncoder } from '../../src/dialects/partial-message-encoder.ts';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import { joinChunks, measureEncoding } from './frame-text.ts';
import { generateEvents, interleavedStream, type StreamScript, serialStream } from './streams.ts';

/** Returns the encoded chunks and the expected JSON after each event. The chunks are read after the stream has ended. */
function encodeStream(script: StreamScript): { chunks: Chunk[]; message: string }[] {
  const encoder = new PartialMessageEncoder();
  const snapshots: { chunks: Chunk[]; message: string }[] = [];
  for (const event of generateEvents(script)) {
    snapshots.push({ chunks: encoder.encode(event), message: JSON.stringify(event.partial) });
  }
  return snapshots;
}

/** Makes texts equal that differ only in how characters are escaped. The order of keys still counts. */
const normalizeJson = (json: string) => JSON.stringify(JSON.parse(json));

test.each([
  ['one after another', serialStream],
  ['interleaved', interleavedStream],
])('blocks %s: every snapshot equals the message at that time, and does not change later', (_, stream) => {
  fc.assert(
    fc.property(stream, (script) => {
      for (const { chunks, message } of encodeStream(script)) {
        const text = joinChunks(chunks);
        expect(normalizeJson(text)).toBe(normalizeJson(message));
        expect(text).not.toMatch(/[\n\u2028\u2029]/);
      }
    }),
    { numRuns: 300 },
  );
});

test('text that did not arrive as deltas is included', () => {
  const encoder = new PartialMessageEncoder();
  const last: string[] = [];
  for (const event of generateEvents({
    blocks: [{ kind: 'text', deltas: ['a', 'b'], signature: undefined }],
    usageAt: [],
    order: [],
  })) {
    const block = event.partial.content[0];
    if (event.type === 'text_delta' && event.delta === 'b' && block?.type === 'text') block.text = 'replaced';
    last.push(joinChunks(encoder.encode(event)));
    expect(normalizeJson(last.at(-1) ?? '')).toBe(normalizeJson(JSON.stringify(event.partial)));
  }
  expect(last.at(-1)).toContain('replaced');
});

test.each(['text', 'thinking'] as const)(
  'a %s block that is replaced by one of the same length is included',
  (kind) => {
    const encoder = new PartialMessageEncoder();
    const builder = new MessageBuilder({ api: 'a', provider: 'p', id: 'm' }, 0);
    const isText = kind === 'text';
    encoder.encode(isText ? builder.startText() : builder.startThinking());
    encoder.encode(isText ? builder.appendText('abc') : builder.appendThinking('abc'));
    builder.replaceOpenBlock('xyz');
    const event = isText ? builder.endText('s') : builder.endThinking('s');
    expect(event).toMatchObject({ content: 'xyz' });
    expect(normalizeJson(joinChunks(encoder.encode(event)))).toBe(normalizeJson(JSON.stringify(builder.message)));
  },
);

test.each(['text', 'thinking', 'toolCall'] as const)('the cost of %s deltas is linear', (kind) => {
  const cost = (count: number) =>
    measureEncoding(() => {
      const encoder = new PartialMessageEncoder();
      const deltas = Array.from({ length: count }, (_, index) => `word${index % 10} `);
      for (const event of generateEvents({
        blocks: [{ kind, deltas: deltas.map(emptyToolDeltas(kind)), signature: 's' }],
        usageAt: [],
        order: [],
      })) {
        encoder.encode(event);
      }
    });
  expect(cost(20_000)).toBeLessThan(cost(2000) * 10.5);
});

/** The generator rebuilds tool arguments at every other delta. Growing arguments would measure the generator. */
function emptyToolDeltas(kind: string) {
  return (delta: string) => (kind === 'toolCall' ? '' : delta);
}
