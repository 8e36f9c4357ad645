// The growing JSON of an answer is what JSON.stringify would have said at every moment, at a cost that stays linear.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Chunk } from '../../src/contracts/index.ts';
import { GrowingMessage } from '../../src/dialects/growing-message.ts';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import { joined, workDone } from './joined.ts';
import { eventsOf, interleavedStream, type StreamScript, serialStream } from './streams.ts';

/** Each moment of the stream: what was said, and what the message was. Looked at when the stream is over. */
function moments(script: StreamScript): { chunks: Chunk[]; message: string }[] {
  const growing = new GrowingMessage();
  const taken: { chunks: Chunk[]; message: string }[] = [];
  for (const event of eventsOf(script)) {
    taken.push({ chunks: growing.after(event), message: JSON.stringify(event.partial) });
  }
  return taken;
}

/** Texts that differ only in how characters are escaped become equal; the order of keys still counts. */
const normal = (json: string) => JSON.stringify(JSON.parse(json));

test.each([
  ['one after another', serialStream],
  ['interleaved', interleavedStream],
])('blocks %s: every snapshot is the message of its moment, also after later growth', (_, stream) => {
  fc.assert(
    fc.property(stream, (script) => {
      for (const { chunks, message } of moments(script)) {
        const text = joined(chunks);
        expect(normal(text)).toBe(normal(message));
        expect(text).not.toMatch(/[\n\u2028\u2029]/);
      }
    }),
    { numRuns: 300 },
  );
});

test('text that did not come as deltas is still told', () => {
  const growing = new GrowingMessage();
  const last: string[] = [];
  for (const event of eventsOf({
    blocks: [{ kind: 'text', deltas: ['a', 'b'], signature: undefined }],
    usageAt: [],
    order: [],
  })) {
    const block = event.partial.content[0];
    if (event.type === 'text_delta' && event.delta === 'b' && block?.type === 'text') block.text = 'replaced';
    last.push(joined(growing.after(event)));
    expect(normal(last.at(-1) ?? '')).toBe(normal(JSON.stringify(event.partial)));
  }
  expect(last.at(-1)).toContain('replaced');
});

test.each(['text', 'thinking'] as const)('a %s block that is replaced by one of the same length is told', (kind) => {
  const growing = new GrowingMessage();
  const builder = new MessageBuilder({ api: 'a', provider: 'p', id: 'm' }, 0);
  const isText = kind === 'text';
  growing.after(isText ? builder.startText() : builder.startThinking());
  growing.after(isText ? builder.appendText('abc') : builder.appendThinking('abc'));
  builder.replace('xyz');
  const event = isText ? builder.endText('s') : builder.endThinking('s');
  expect(event).toMatchObject({ content: 'xyz' });
  expect(normal(joined(growing.after(event)))).toBe(normal(JSON.stringify(builder.message)));
});

test.each(['text', 'thinking', 'toolCall'] as const)('20,000 %s deltas cost ten times what 2,000 cost', (kind) => {
  const cost = (count: number) =>
    workDone(() => {
      const growing = new GrowingMessage();
      const deltas = Array.from({ length: count }, (_, index) => `word${index % 10} `);
      for (const event of eventsOf({
        blocks: [{ kind, deltas: deltas.map(plain(kind)), signature: 's' }],
        usageAt: [],
        order: [],
      })) {
        growing.after(event);
      }
    });
  expect(cost(20_000)).toBeLessThan(cost(2000) * 10.5);
});

/** The script reads a call's arguments again at every other delta; growing arguments would measure that, not us. */
function plain(kind: string) {
  return (delta: string) => (kind === 'toolCall' ? '' : delta);
}
