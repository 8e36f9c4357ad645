// The reader without a network, to test every split and unusual event orders.
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createReader } from '../../../src/llm/apis/anthropic-messages/reader.ts';
import { MessageBuilder } from '../../../src/llm/message-builder.ts';
import type { AssistantMessageEvent } from '../../../src/protocol/index.ts';
import { expectGrammar, observe } from '../contract.ts';
import { type Answer, frame, framesOf } from '../servers/anthropic-messages-frames.ts';
import { claude, createRequest } from './anthropic-fixture.ts';
import { summarizeEvent, toolCall } from './request-samples.ts';

const model = claude('claude-sonnet-4-5');

/** The events for a stream that arrives in these chunks. */
function readBytes(pieces: readonly Uint8Array[]): AssistantMessageEvent[] {
  const builder = new MessageBuilder(model, 1);
  const reader = createReader(builder, createRequest(model));
  const events: AssistantMessageEvent[] = [builder.start()];
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: (event) => events.push(...reader.read(event)) });
  for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
  const end = reader.end();
  for (let step = end.next(); ; step = end.next()) {
    events.push(step.done ? builder.finish(step.value) : step.value);
    if (step.done) return events;
  }
}

const read = (frames: readonly string[]) => readBytes([Buffer.from(frames.join(''))]);
const summarize = (frames: readonly string[]) => read(frames).map(summarizeEvent);

const EVERYTHING: Answer = {
  parts: [
    { thinking: ['Hm, ', 'ä', '😀'] },
    { redacted: 'b3BhcXVl' },
    { text: ['Grüße ', '\u2028 and 😀'] },
    { search: 'x' },
    { call: 'toolu_1', name: 'read', input: { path: 'ä/😀.ts', deep: [{ a: null }] }, pieces: 3 },
    { call: 'toolu_2', name: 'bash', input: {} },
  ],
};

describe('splitting the stream', () => {
  const frames = framesOf(EVERYTHING);
  const expectedEvents = read(frames);
  const bytes = Buffer.from(frames.join(''));

  test('at every byte gives the same events', async () => {
    expectGrammar(await observe(toAsync(expectedEvents)));
    const expected = JSON.stringify(expectedEvents.map(summarizeEvent));
    for (let index = 1; index < bytes.length; index++) {
      const splitEvents = readBytes([bytes.subarray(0, index), bytes.subarray(index)]);
      if (JSON.stringify(splitEvents.map(summarizeEvent)) !== expected) expect.fail(`cut at byte ${index}`);
    }
  });

  test('into single bytes gives the same events', () => {
    expect(readBytes([...bytes].map((byte) => Uint8Array.of(byte))).map(summarizeEvent)).toEqual(
      expectedEvents.map(summarizeEvent),
    );
  });

  test('CRLF line ends are accepted', () => {
    expect(summarize(frames.map((text) => text.replaceAll('\n', '\r\n')))).toEqual(expectedEvents.map(summarizeEvent));
  });
});

describe('unusual streams', () => {
  const block = (index: number, ...events: { type: string }[]) => events.map((event) => frame({ index, ...event }));
  const start = (content_block: object) => ({ type: 'content_block_start', content_block });
  const delta = (inner: object) => ({ type: 'content_block_delta', delta: inner });
  const STOP = { type: 'content_block_stop' };
  const [BEGIN = '', ...END] = framesOf({ parts: [], usage: { output_tokens: 5 } });
  const text = (content: string) => delta({ type: 'text_delta', text: content });

  test('interleaved blocks are emitted one after another', () => {
    const call = start({ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} });
    expect(
      summarize([
        BEGIN,
        ...block(0, start({ type: 'text', text: '' }), text('a')),
        ...block(2, call, delta({ type: 'input_json_delta', partial_json: '{"x"' })),
        ...block(1, start({ type: 'text', text: '' }), text('c'), STOP),
        ...block(0, text('b'), STOP),
        ...block(2, delta({ type: 'input_json_delta', partial_json: ':1}' }), STOP),
        ...END,
      ]),
    ).toEqual([
      ['start'],
      ['text_start', 0],
      ['text_delta', 0, 'a'],
      ['text_delta', 0, 'b'],
      ['text_end', 0, 'ab'],
      ['text_start', 1],
      ['text_delta', 1, 'c'],
      ['text_end', 1, 'c'],
      ['toolcall_start', 2],
      ['toolcall_delta', 2, '{"x"'],
      ['toolcall_delta', 2, ':1}'],
      ['toolcall_end', 2, toolCall('toolu_1', 'read', { x: 1 })],
      ['done', 'toolUse'],
    ]);
  });

  test('servers that send whole blocks in the start event and no stop event', () => {
    expect(
      summarize([
        BEGIN,
        ...block(0, start({ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }), STOP),
        ...block(1, start({ type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } }), STOP),
        ...block(2, start({ type: 'text', text: 'All.' })),
        ...END,
      ]),
    ).toEqual([
      ['start'],
      ['thinking_start', 0],
      ['thinking_delta', 0, 'Hm.'],
      ['thinking_end', 0, 'Hm.'],
      ['toolcall_start', 1],
      ['toolcall_delta', 1, '{"path":"a"}'],
      ['toolcall_end', 1, toolCall('toolu_1', 'read', { path: 'a' })],
      ['text_start', 2],
      ['text_delta', 2, 'All.'],
      ['text_end', 2, 'All.'],
      ['done', 'toolUse'],
    ]);
  });

  test('unknown events are ignored', () => {
    expect(
      summarize([
        'event: brand_new\ndata: {"type":"brand_new","x":1}\n\n',
        BEGIN,
        ...block(0, start({ type: 'brand_new_block' }), delta({ type: 'brand_new_delta' }), STOP),
        ...block(
          1,
          start({ type: 'text', text: '' }),
          delta({ type: 'citations_delta', citation: {} }),
          text('a'),
          STOP,
        ),
        ...block(7, text('nowhere'), STOP),
        ...END,
        'data: [DONE]\n\n',
      ]),
    ).toEqual([['start'], ['text_start', 0], ['text_delta', 0, 'a'], ['text_end', 0, 'a'], ['done', 'stop']]);
  });

  test('a signature may arrive in pieces, and thinking may have none', () => {
    const signature = (piece: string) => delta({ type: 'signature_delta', signature: piece });
    const thinking = start({ type: 'thinking', thinking: '', signature: '' });
    const observed = read([
      BEGIN,
      ...block(0, thinking, signature('ab'), signature('cd'), STOP),
      ...block(1, thinking, STOP),
      ...END,
    ]);
    expect(observed.at(-1)).toMatchObject({
      message: {
        content: [
          { type: 'thinking', thinking: '', thinkingSignature: 'abcd' },
          { type: 'thinking', thinking: '' },
        ],
      },
    });
  });

  test('a later null does not clear the stop reason', () => {
    const end = (stop_reason: string | null) => frame({ type: 'message_delta', delta: { stop_reason } });
    expect(summarize([BEGIN, end(null), end('max_tokens'), end(null), frame({ type: 'message_stop' })]).at(-1)).toEqual(
      ['done', 'length'],
    );
  });

  test('the latest counts win', () => {
    const start = (usage: object) => frame({ type: 'message_start', message: { usage } });
    const delta = (usage: object) => frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });
    const observed = read([
      start({ input_tokens: 100, output_tokens: 50, cache_read_input_tokens: 40, cache_creation_input_tokens: 30 }),
      delta({ input_tokens: 80, output_tokens: 20, cache_read_input_tokens: 35, cache_creation_input_tokens: 25 }),
      frame({ type: 'message_stop' }),
    ]);
    expect(observed.at(-1)).toMatchObject({
      message: { usage: { input: 80, output: 20, cacheRead: 35, cacheWrite: 25 } },
    });
  });

  test('a missing or zero input count keeps the earlier value', () => {
    const end = frame({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 0, output_tokens: 9 },
    });
    const observed = read([
      BEGIN,
      frame({ type: 'message_delta', delta: { stop_reason: null } }),
      end,
      frame({ type: 'message_stop' }),
    ]);
    expect(observed.at(-1)).toMatchObject({
      reason: 'stop',
      message: { usage: { input: 12, output: 9, cacheRead: 0, cacheWrite: 0 } },
    });
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'stop'],
    ['brand_new_reason', 'stop'],
  ])('%s without a call is %s', (stop, reason) => {
    expect(summarize(framesOf({ parts: [{ text: 'a' }], stop })).at(-1)).toEqual(['done', reason]);
  });
});

test('any reply is read without loss', async () => {
  const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 4 });
  const part = fc.oneof(
    fc.record({ text: words }),
    fc.record({ thinking: words, signature: fc.base64String({ minLength: 4 }) }),
    fc.record({ redacted: fc.base64String({ minLength: 4 }) }),
    fc.record({
      call: fc.uuid(),
      name: fc.constant('read'),
      input: fc.dictionary(fc.string(), fc.jsonValue()),
      pieces: fc.integer({ min: 1, max: 20 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const observed = await observe(toAsync(read(framesOf({ parts }))));
      expectGrammar(observed);
      expect(observed.message.content).toEqual(
        parts.map((part) => {
          if ('text' in part) return { type: 'text', text: part.text.join('') };
          if ('redacted' in part)
            return { type: 'thinking', thinking: '', thinkingSignature: part.redacted, redacted: true };
          if ('call' in part)
            return toolCall(part.call, 'read', JSON.parse(JSON.stringify(part.input)) as Record<string, unknown>);
          return { type: 'thinking', thinking: part.thinking.join(''), thinkingSignature: part.signature };
        }),
      );
    }),
    { numRuns: 60 },
  );
});

async function* toAsync<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
