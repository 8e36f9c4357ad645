// The reader of the Responses format: splits, interleaving, and deviations of other servers.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectGrammar } from '../contract.ts';
import { type Answer, createStream, frame, framesOf } from '../servers/openai-responses-frames.ts';

import { type Reading, readBytes, readStream } from './openai-responses-reading.ts';
import { summarizeEvent, toolCall } from './request-samples.ts';

const FULL_ANSWER: Answer = {
  parts: [
    { thinking: [['Hm', ' 🎉'], 'So.'] },
    { text: ['né', 'ü\u2028'], phase: 'commentary' },
    { call: 'call_1', name: 'read', input: { path: 'ä' } },
    { call: 'call_2', name: 'bash', input: { command: 'ls' } },
  ],
};

function expectValid({ events, message }: Reading): void {
  expectGrammar({ events, message, usages: new Map() });
}

/** The frames grouped by item, without those of no item. */
function groupByItem(frames: readonly string[]): string[][] {
  const items: string[][] = [];
  for (const text of frames) {
    const index = /"output_index":(\d+)/.exec(text)?.[1];
    if (index === undefined) continue;
    const item = items[Number(index)] ?? [];
    items[Number(index)] = item;
    item.push(text);
  }
  return items;
}

function without(frames: readonly string[], ...types: string[]): string[] {
  return frames.filter((text) => !types.some((type) => text.startsWith(`event: ${type}\n`)));
}

describe('splitting the stream', () => {
  const bytes = Buffer.from(framesOf(FULL_ANSWER).join(''));
  const expected = readBytes([bytes]);

  test('at every byte gives the same events', () => {
    expectValid(expected);
    for (let index = 1; index < bytes.length; index++) {
      const { summary: seen } = readBytes([bytes.subarray(0, index), bytes.subarray(index)]);
      if (seen !== expected.summary) expect(seen, `split at byte ${index}`).toBe(expected.summary);
    }
  });

  test('into single bytes gives the same events', () => {
    const single = readBytes(Array.from({ length: bytes.length }, (_, index) => bytes.subarray(index, index + 1)));
    expect(single.summary).toBe(expected.summary);
    expect(single.message).toEqual(expected.message);
  });

  test('accepts CRLF line ends', () => {
    const windows = Buffer.from(framesOf(FULL_ANSWER).join('').replaceAll('\n', '\r\n'));
    expect(readBytes([windows]).summary).toBe(expected.summary);
  });
});

describe('interleaved items', () => {
  const frames = framesOf(FULL_ANSWER);
  const expected = readStream(frames);
  const items = groupByItem(frames);

  test('two interleaved calls', () => {
    const [, , first = [], second = []] = items;
    const mixed = first.flatMap((text, n) => [text, ...second.slice(n, n + 1)]);
    const rest = second.slice(first.length);
    const reading = readStream([
      ...frames.slice(0, 2),
      ...(items[0] ?? []),
      ...(items[1] ?? []),
      ...mixed,
      ...rest,
      frames.at(-1)!,
    ]);
    expectValid(reading);
    expect(reading.summary).toBe(expected.summary);
  });

  test('any interleaving gives complete blocks in the order of their start', () => {
    const order = items.flatMap((item, index) => item.map(() => index));
    fc.assert(
      fc.property(fc.shuffledSubarray(order, { minLength: order.length }), (mixed) => {
        const remaining = items.map((item) => [...item]);
        const stream = mixed.map((index) => remaining[index]?.shift() ?? '');
        const reading = readStream([...frames.slice(0, 2), ...stream, frames.at(-1)!]);
        expectValid(reading);
        const startOrder = [...new Set(mixed)];
        expect(reading.message.content).toEqual(startOrder.map((index) => expected.message.content[index]));
        expect(reading.message.stopReason).toBe('toolUse');
      }),
      { numRuns: 100 },
    );
  });

  test('an unfinished item does not hide the others', () => {
    const [thinking = [], text = []] = items;
    const reading = readStream([...frames.slice(0, 2), ...thinking.slice(0, 4), ...text, frames.at(-1)!]);
    expectValid(reading);
    expect(reading.message.content).toEqual([
      { type: 'thinking', thinking: 'Hm 🎉' },
      { type: 'text', text: 'néü\u2028' },
    ]);
  });
});

test('several unfinished items', () => {
  const frames = without(framesOf(FULL_ANSWER), 'response.output_item.done');
  const reading = readStream(frames);
  expectValid(reading);
  expect(reading.message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'toolCall', 'toolCall']);
});

describe('deviations of other servers', () => {
  const expected = readStream(framesOf(FULL_ANSWER));

  test('unknown events, fields and lines', () => {
    const noise = [
      ': keep-alive\n\n',
      frame({ type: 'response.queued', response: {} }),
      frame({ type: 'response.output_text.annotation.added', output_index: 1, annotation: {} }),
      frame({ type: 'response.future.delta', output_index: 2, delta: 'x' }),
      frame({ type: 'keepalive' }),
    ];
    const frames = framesOf(FULL_ANSWER).flatMap((text) => [...noise, text]);
    expect(readStream([...frames, 'data: [DONE]\n\n', frame({ type: 'error' })]).summary).toBe(expected.summary);
  });

  test('no deltas, only finished items', () => {
    const deltas = [
      'response.output_text.delta',
      'response.reasoning_summary_text.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
    ];
    const reading = readStream(without(framesOf(FULL_ANSWER), ...deltas));
    expectValid(reading);
    expect(reading.message).toEqual(expected.message);
    expect(reading.events.filter(({ type }) => type.endsWith('_delta'))).toHaveLength(4);
  });

  test('arguments only in the done event and not in the item', () => {
    const frames = without(framesOf(FULL_ANSWER), 'response.function_call_arguments.delta').map((text) =>
      text.startsWith('event: response.output_item.done')
        ? text.replace(/"arguments":".*?[^\\]"/, '"arguments":""')
        : text,
    );
    const reading = readStream(frames);
    expectValid(reading);
    expect(reading.message).toEqual(expected.message);
  });

  test('items without an added event', () => {
    const reading = readStream(without(framesOf(FULL_ANSWER), 'response.output_item.added'));
    expectValid(reading);
    expect(reading.message).toEqual(expected.message);
  });

  test('everything in the final event', () => {
    const reading = readStream(framesOf(FULL_ANSWER).slice(-1));
    expectValid(reading);
    expect(reading.message).toEqual(expected.message);
  });

  test('every item with the same index', () => {
    const reading = readStream(
      framesOf(FULL_ANSWER).map((text) => text.replace(/"output_index":\d/, '"output_index":0')),
    );
    expectValid(reading);
    expect(reading.message).toEqual(expected.message);
  });

  describe('a finished item that differs from its deltas wins', () => {
    const readWithFinalText = (parts: Answer['parts'], from: string, to: string) =>
      readStream(framesOf({ parts }).map((text) => (text.includes('.done\n') ? text.replaceAll(from, to) : text)));

    test.each([
      ['another text', 'Another text.'],
      ['a text of the same length', 'Sharp.'],
      ['a shorter text', 'Short'],
    ])('%s', (_name, text) => {
      const { message, events } = readWithFinalText([{ text: 'Short.' }, { text: 'Next' }], 'Short.', text);
      expect(message.content).toMatchObject([{ text }, { text: 'Next' }]);
      expect(events.map(summarizeEvent)).toContainEqual(['text_end', 0, text]);
    });

    test('other thinking', () => {
      const { message, events } = readWithFinalText([{ thinking: ['Hm.'] }, { text: 'A' }], 'Hm.', 'Oh!');
      expect(message.content[0]).toMatchObject({ thinking: 'Oh!' });
      expect(events.map(summarizeEvent)).toContainEqual(['thinking_end', 0, 'Oh!']);
    });

    test('other arguments', () => {
      const { message, events } = readWithFinalText(
        [{ call: 'call_1', name: 'read', input: { path: 'abc' } }],
        'abc',
        'xyz',
      );
      expect(message.content).toMatchObject([{ name: 'read', arguments: { path: 'xyz' } }]);
      expect(events.at(-2)).toMatchObject({ type: 'toolcall_end', toolCall: { arguments: { path: 'xyz' } } });
    });

    test('a finished item without text keeps the streamed text', () => {
      const { message } = readWithFinalText([{ text: 'Short.' }], 'Short.', '');
      expect(message.content).toMatchObject([{ text: 'Short.' }]);
    });

    test('thinking that was streamed in full and as a summary keeps both', () => {
      const frames = framesOf({ parts: [{ thinking: ['Sum.'] }, { text: 'A' }] });
      const index = frames.findIndex((text) => text.includes('reasoning_summary_text.delta'));
      const reasoningDelta = frame({
        type: 'response.reasoning_text.delta',
        output_index: 0,
        content_index: 0,
        delta: 'All.',
      });
      const { message } = readStream([...frames.slice(0, index), reasoningDelta, ...frames.slice(index)]);
      expect(message.content[0]).toMatchObject({ thinking: 'All.\n\nSum.' });
    });
  });

  test('an item that is finished twice', () => {
    const frames = framesOf(FULL_ANSWER).flatMap((text) => (text.includes('output_item.done') ? [text, text] : [text]));
    expect(readStream(frames).summary).toBe(expected.summary);
  });

  test('an item that ends with the start of the next', () => {
    const frames = without(framesOf(FULL_ANSWER), 'response.output_item.done', 'response.function_call_arguments.done');
    const reading = readStream(frames.map((text) => text.replace(/"output_index":\d/, '"output_index":0')));
    expectValid(reading);
    expect(reading.message.content).toMatchObject([
      { thinking: 'Hm 🎉\n\nSo.' },
      { text: 'néü\u2028' },
      toolCall('call_1', 'read', { path: 'ä' }),
      toolCall('call_2', 'bash', { command: 'ls' }),
    ]);
  });

  test('deltas that are not text are ignored', () => {
    const invalidDeltas = [undefined, null, 7, ''].map((delta) =>
      frame({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta }),
    );
    const frames = framesOf({ parts: [{ text: 'A' }] });
    expect(readStream([...frames.slice(0, 4), ...invalidDeltas, ...frames.slice(4)]).message.content).toMatchObject([
      { text: 'A' },
    ]);
  });
});

describe('stored signatures', () => {
  /** As `createSequentialIds` generates them. */
  const ids = ['rs_0002', 'msg_0003', 'fc_0004'];
  const parts: Answer['parts'] = [{ thinking: ['Hm.'] }, { text: 'A' }, { call: 'call_1', name: 'read', input: {} }];

  function readSignatures(change: (text: string) => string): (string | undefined)[] {
    const { content } = readStream(framesOf({ parts }).map(change)).message;
    return content.map((block) => {
      if (block.type === 'thinking') return block.thinkingSignature;
      return block.type === 'text' ? block.textSignature : block.id;
    });
  }

  test('ids and encrypted content only', () => {
    const reasoning =
      '{"type":"reasoning","id":"rs_0002","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"gAAAAAB-rs_0002=="}';
    expect(createStream({ parts }).output.map(({ id }) => id)).toEqual(ids);
    expect(readSignatures((text) => text)).toEqual([reasoning, 'msg_0003', 'call_1|fc_0004']);
    expect(
      readSignatures((text) => text.replace('"summary":[{', '"status":"completed","content":[],"summary":[{')),
    ).toEqual([reasoning, 'msg_0003', 'call_1|fc_0004']);
  });

  test('no ids after reasoning that cannot be sent back', () => {
    const withoutIds = [undefined, undefined, 'call_1'];
    expect(readSignatures((text) => text.replace(/"encrypted_content":".*?"/, '"encrypted_content":null'))).toEqual(
      withoutIds,
    );
    expect(readSignatures((text) => text.replaceAll('rs_0002', 'r'.repeat(65)))).toEqual(withoutIds);
  });

  test('no ids after a message that is not sent back', () => {
    const readLastBlock = (part: Answer['parts'][number]) => {
      const { content } = readStream(framesOf({ parts: [{ thinking: [] }, part, { text: 'A' }] })).message;
      return content.at(-1);
    };
    expect(readLastBlock({ text: ' ' })).toEqual({ type: 'text', text: 'A' });
    expect(readLastBlock({ text: 'B' })).toEqual({ type: 'text', text: 'A', textSignature: 'msg_0004' });
  });

  test('items of hosted tools after reasoning, and the ids after them', () => {
    const readContent = (parts: Answer['parts']) => readStream(framesOf({ parts })).message.content;
    const createSearchSignature = (id: string) =>
      JSON.stringify({ id, type: 'web_search_call', status: 'completed', action: { query: 'x' } });
    expect(readContent([{ thinking: [] }, { search: 'x' }, { text: 'A' }]).slice(1)).toEqual([
      { type: 'thinking', thinking: '', thinkingSignature: createSearchSignature('ws_0003'), redacted: true },
      { type: 'text', text: 'A', textSignature: 'msg_0004' },
    ]);
    // Without reasoning before it, the item is not needed.
    expect(readContent([{ search: 'x' }, { thinking: ['Hm.'] }, { text: 'A' }])).toMatchObject([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'A', textSignature: 'msg_0004' },
    ]);
  });

  test('no ids after a hosted tool that is unfinished, misnumbered or too large', () => {
    const readLastBlock = (frames: readonly string[]) => readStream(frames).message.content.at(-1);
    const frames = framesOf({ parts: [{ thinking: [] }, { search: 'x' }, { text: 'A' }] });
    const unfinished = frames.filter((text) => !(text.includes('output_item.done') && text.includes('ws_0003')));
    expect(readLastBlock(unfinished)).toEqual({ type: 'text', text: 'A' });
    const sameNumber = frames.map((text) => text.replace(/"output_index":\d/, '"output_index":0'));
    expect(readLastBlock(sameNumber)).toEqual({ type: 'text', text: 'A' });
    const large = frames.map((text) => text.replaceAll('"query":"x"', `"query":"${'x'.repeat(300_000)}"`));
    expect(readLastBlock(large)).toEqual({ type: 'text', text: 'A' });
  });

  test('no ids that the API would reject', () => {
    const long = 'x'.repeat(65);
    expect(readSignatures((text) => text.replaceAll('msg_0003', long)).slice(1)).toEqual([undefined, 'call_1|fc_0004']);
    expect(readSignatures((text) => text.replaceAll('"id":"fc_0004",', ''))[2]).toBe('call_1');
    expect(readSignatures((text) => text.replaceAll('"call_id":"call_1",', ''))[2]).toBe('fc_0004|fc_0004');
  });
});

describe('replies cut by the length limit', () => {
  const partialCall = { call: 'call_1', name: 'bash', input: '{"command":"rm -rf /tmp/bui' };
  const cutCall = toolCall('call_1|fc_0002', 'bash', {});

  test('reported in the item and in the response', () => {
    const reading = readStream(framesOf({ parts: [{ ...partialCall, cut: true }], incomplete: 'max_output_tokens' }));
    expectValid(reading);
    expect(reading.events.slice(-2).map(summarizeEvent)).toEqual([
      ['toolcall_end', 0, cutCall],
      ['done', 'length'],
    ]);
  });

  test('reported in the response only', () => {
    const reading = readStream(framesOf({ parts: [partialCall, { text: 'x' }], incomplete: 'max_output_tokens' }));
    expectValid(reading);
    expect(reading.message).toMatchObject({ stopReason: 'length', content: [cutCall, { text: 'x' }] });
  });

  test('reported in the item only: the partial call is not run', () => {
    const frames = framesOf({ parts: [{ ...partialCall, cut: true }], incomplete: 'max_output_tokens' });
    const last = framesOf({ parts: [] }).at(-1)!;
    expect(readStream([...frames.slice(0, -1), last]).message).toMatchObject({
      stopReason: 'length',
      content: [cutCall],
    });
  });

  test('reported in the status of the response', () => {
    const frames = framesOf({ parts: [{ text: 'A' }], incomplete: 'max_output_tokens' });
    const renamed = frames.map((text) => text.replaceAll('"response.incomplete"', '"response.completed"'));
    expect(readStream(renamed).message.stopReason).toBe('length');
  });

  test('before any item was finished', () => {
    const frames = framesOf({ parts: [{ text: ['A', 'B'] }], incomplete: 'max_output_tokens' });
    const reading = readStream([...frames.slice(0, 5), frames.at(-1)!]);
    expectValid(reading);
    expect(reading.events.slice(-2).map(summarizeEvent)).toEqual([
      ['text_end', 0, 'A'],
      ['done', 'length'],
    ]);
  });
});
