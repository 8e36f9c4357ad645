// The reader of the Responses format on its own: cuts, disorder, and the liberties that other servers take.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectGrammar } from '../contract.ts';
import { type Answer, frame, framesOf, streamOf } from '../servers/openai-responses-frames.ts';
import { type Reading, readBytes, readStream } from './openai-responses-reading.ts';
import { bare, called } from './openai-responses-stage.ts';

const RICH: Answer = {
  parts: [
    { thinking: [['Hm', ' 🎉'], 'So.'] },
    { text: ['né', 'ü\u2028'], phase: 'commentary' },
    { call: 'call_1', name: 'read', input: { path: 'ä' } },
    { call: 'call_2', name: 'bash', input: { command: 'ls' } },
  ],
};

function expectSound({ events, message }: Reading): void {
  expectGrammar({ events, message, usages: new Map() });
}

/** The frames of one item each, without the first two and the last. */
function byItem(frames: readonly string[]): string[][] {
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

describe('cuts', () => {
  const bytes = Buffer.from(framesOf(RICH).join(''));
  const whole = readBytes([bytes]);

  test('at every byte: the same events', () => {
    expectSound(whole);
    for (let at = 1; at < bytes.length; at++) {
      const { seen } = readBytes([bytes.subarray(0, at), bytes.subarray(at)]);
      if (seen !== whole.seen) expect(seen, `cut at byte ${at}`).toBe(whole.seen);
    }
  });

  test('into single bytes: the same events', () => {
    const single = readBytes(Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1)));
    expect(single.seen).toBe(whole.seen);
    expect(single.message).toEqual(whole.message);
  });

  test('line ends of any kind', () => {
    const windows = Buffer.from(framesOf(RICH).join('').replaceAll('\n', '\r\n'));
    expect(readBytes([windows]).seen).toBe(whole.seen);
  });
});

describe('items that come at the same time', () => {
  const frames = framesOf(RICH);
  const whole = readStream(frames);
  const items = byItem(frames);

  test('two calls in turns', () => {
    const [, , first = [], second = []] = items;
    const mixed = first.flatMap((text, n) => [text, ...second.slice(n, n + 1)]);
    const rest = second.slice(first.length);
    const seen = readStream([
      ...frames.slice(0, 2),
      ...(items[0] ?? []),
      ...(items[1] ?? []),
      ...mixed,
      ...rest,
      frames.at(-1)!,
    ]);
    expectSound(seen);
    expect(seen.seen).toBe(whole.seen);
  });

  test('any disorder between items: whole blocks, in the order in which they began', () => {
    const order = items.flatMap((item, index) => item.map(() => index));
    fc.assert(
      fc.property(fc.shuffledSubarray(order, { minLength: order.length }), (mixed) => {
        const left = items.map((item) => [...item]);
        const stream = mixed.map((index) => left[index]?.shift() ?? '');
        const seen = readStream([...frames.slice(0, 2), ...stream, frames.at(-1)!]);
        expectSound(seen);
        const begun = [...new Set(mixed)];
        expect(seen.message.content).toEqual(begun.map((index) => whole.message.content[index]));
        expect(seen.message.stopReason).toBe('toolUse');
      }),
      { numRuns: 100 },
    );
  });

  test('one that is never finished does not hide the others', () => {
    const [thinking = [], text = []] = items;
    const seen = readStream([...frames.slice(0, 2), ...thinking.slice(0, 4), ...text, frames.at(-1)!]);
    expectSound(seen);
    expect(seen.message.content).toEqual([
      { type: 'thinking', thinking: 'Hm 🎉' },
      { type: 'text', text: 'néü\u2028' },
    ]);
  });
});

test('several that are never finished', () => {
  const frames = without(framesOf(RICH), 'response.output_item.done');
  const seen = readStream(frames);
  expectSound(seen);
  expect(seen.message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'toolCall', 'toolCall']);
});

describe('the liberties of other servers', () => {
  const whole = readStream(framesOf(RICH));

  test('events, fields and lines that nobody knows', () => {
    const noise = [
      ': keep-alive\n\n',
      frame({ type: 'response.queued', response: {} }),
      frame({ type: 'response.output_text.annotation.added', output_index: 1, annotation: {} }),
      frame({ type: 'response.future.delta', output_index: 2, delta: 'x' }),
      frame({ type: 'keepalive' }),
    ];
    const noisy = framesOf(RICH).flatMap((text) => [...noise, text]);
    expect(readStream([...noisy, 'data: [DONE]\n\n', frame({ type: 'error' })]).seen).toBe(whole.seen);
  });

  test('no deltas, only finished items', () => {
    const deltas = [
      'response.output_text.delta',
      'response.reasoning_summary_text.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
    ];
    const seen = readStream(without(framesOf(RICH), ...deltas));
    expectSound(seen);
    expect(seen.message).toEqual(whole.message);
    expect(seen.events.filter(({ type }) => type.endsWith('_delta'))).toHaveLength(4);
  });

  test('arguments only when they are whole, and not in the item', () => {
    const frames = without(framesOf(RICH), 'response.function_call_arguments.delta').map((text) =>
      text.startsWith('event: response.output_item.done')
        ? text.replace(/"arguments":".*?[^\\]"/, '"arguments":""')
        : text,
    );
    const seen = readStream(frames);
    expectSound(seen);
    expect(seen.message).toEqual(whole.message);
  });

  test('items that nobody announced', () => {
    const seen = readStream(without(framesOf(RICH), 'response.output_item.added'));
    expectSound(seen);
    expect(seen.message).toEqual(whole.message);
  });

  test('everything at the end', () => {
    const seen = readStream(framesOf(RICH).slice(-1));
    expectSound(seen);
    expect(seen.message).toEqual(whole.message);
  });

  test('every item under the same number', () => {
    const seen = readStream(framesOf(RICH).map((text) => text.replace(/"output_index":\d/, '"output_index":0')));
    expectSound(seen);
    expect(seen.message).toEqual(whole.message);
  });

  describe('an item that ends in other words than it was streamed in: the finished item counts', () => {
    const finishedAs = (parts: Answer['parts'], from: string, to: string) =>
      readStream(framesOf({ parts }).map((text) => (text.includes('.done\n') ? text.replaceAll(from, to) : text)));

    test.each([
      ['another text', 'Another text.'],
      ['a text as long', 'Sharp.'],
      ['a shorter text', 'Short'],
    ])('%s', (_name, text) => {
      const { message, events } = finishedAs([{ text: 'Short.' }, { text: 'Next' }], 'Short.', text);
      expect(message.content).toMatchObject([{ text }, { text: 'Next' }]);
      expect(events.map(bare)).toContainEqual(['text_end', 0, text]);
    });

    test('other thinking', () => {
      const { message, events } = finishedAs([{ thinking: ['Hm.'] }, { text: 'A' }], 'Hm.', 'Oh!');
      expect(message.content[0]).toMatchObject({ thinking: 'Oh!' });
      expect(events.map(bare)).toContainEqual(['thinking_end', 0, 'Oh!']);
    });

    test('other arguments', () => {
      const { message, events } = finishedAs([{ call: 'call_1', name: 'read', input: { path: 'abc' } }], 'abc', 'xyz');
      expect(message.content).toMatchObject([{ name: 'read', arguments: { path: 'xyz' } }]);
      expect(events.at(-2)).toMatchObject({ type: 'toolcall_end', toolCall: { arguments: { path: 'xyz' } } });
    });

    test('an item without its text does not take back what was streamed', () => {
      const { message } = finishedAs([{ text: 'Short.' }], 'Short.', '');
      expect(message.content).toMatchObject([{ text: 'Short.' }]);
    });

    test('thinking that was streamed in full and as a summary keeps both', () => {
      const frames = framesOf({ parts: [{ thinking: ['Sum.'] }, { text: 'A' }] });
      const at = frames.findIndex((text) => text.includes('reasoning_summary_text.delta'));
      const more = frame({ type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'All.' });
      const { message } = readStream([...frames.slice(0, at), more, ...frames.slice(at)]);
      expect(message.content[0]).toMatchObject({ thinking: 'All.\n\nSum.' });
    });
  });

  test('an item that is finished twice', () => {
    const twice = framesOf(RICH).flatMap((text) => (text.includes('output_item.done') ? [text, text] : [text]));
    expect(readStream(twice).seen).toBe(whole.seen);
  });

  test('an item that ends where the next begins', () => {
    const frames = without(framesOf(RICH), 'response.output_item.done', 'response.function_call_arguments.done');
    const seen = readStream(frames.map((text) => text.replace(/"output_index":\d/, '"output_index":0')));
    expectSound(seen);
    expect(seen.message.content).toMatchObject([
      { thinking: 'Hm 🎉\n\nSo.' },
      { text: 'néü\u2028' },
      called('call_1', 'read', { path: 'ä' }),
      called('call_2', 'bash', { command: 'ls' }),
    ]);
  });

  test('pieces that are no text are passed over', () => {
    const odd = [undefined, null, 7, ''].map((delta) =>
      frame({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta }),
    );
    const frames = framesOf({ parts: [{ text: 'A' }] });
    expect(readStream([...frames.slice(0, 4), ...odd, ...frames.slice(4)]).message.content).toMatchObject([
      { text: 'A' },
    ]);
  });
});

describe('what is kept to be sent back', () => {
  /** As `counting` makes them. */
  const ids = ['rs_0002', 'msg_0003', 'fc_0004'];
  const parts: Answer['parts'] = [{ thinking: ['Hm.'] }, { text: 'A' }, { call: 'call_1', name: 'read', input: {} }];

  function kept(change: (text: string) => string): (string | undefined)[] {
    const { content } = readStream(framesOf({ parts }).map(change)).message;
    return content.map((block) => {
      if (block.type === 'thinking') return block.thinkingSignature;
      return block.type === 'text' ? block.textSignature : block.id;
    });
  }

  test('ids and the seal, nothing else', () => {
    const seal =
      '{"type":"reasoning","id":"rs_0002","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"gAAAAAB-rs_0002=="}';
    expect(streamOf({ parts }).output.map(({ id }) => id)).toEqual(ids);
    expect(kept((text) => text)).toEqual([seal, 'msg_0003', 'call_1|fc_0004']);
    expect(kept((text) => text.replace('"summary":[{', '"status":"completed","content":[],"summary":[{'))).toEqual([
      seal,
      'msg_0003',
      'call_1|fc_0004',
    ]);
  });

  test('no ids after reasoning that cannot be sent back', () => {
    const unsealed = [undefined, undefined, 'call_1'];
    expect(kept((text) => text.replace(/"encrypted_content":".*?"/, '"encrypted_content":null'))).toEqual(unsealed);
    expect(kept((text) => text.replaceAll('rs_0002', 'r'.repeat(65)))).toEqual(unsealed);
  });

  test('no ids after what is not sent back', () => {
    const lastAfter = (part: Answer['parts'][number]) => {
      const { content } = readStream(framesOf({ parts: [{ thinking: [] }, part, { text: 'A' }] })).message;
      return content.at(-1);
    };
    expect(lastAfter({ text: ' ' })).toEqual({ type: 'text', text: 'A' });
    expect(lastAfter({ text: 'B' })).toEqual({ type: 'text', text: 'A', textSignature: 'msg_0004' });
  });

  test('what the provider’s own tools did after reasoning, and the ids behind it', () => {
    const contentOf = (parts: Answer['parts']) => readStream(framesOf({ parts })).message.content;
    const search = (id: string) =>
      JSON.stringify({ id, type: 'web_search_call', status: 'completed', action: { query: 'x' } });
    expect(contentOf([{ thinking: [] }, { search: 'x' }, { text: 'A' }]).slice(1)).toEqual([
      { type: 'thinking', thinking: '', thinkingSignature: search('ws_0003'), redacted: true },
      { type: 'text', text: 'A', textSignature: 'msg_0004' },
    ]);
    // Without reasoning before it nothing asks for it.
    expect(contentOf([{ search: 'x' }, { thinking: ['Hm.'] }, { text: 'A' }])).toMatchObject([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'A', textSignature: 'msg_0004' },
    ]);
  });

  test('no ids behind a hosted tool that never finished, is misnumbered, or is too large', () => {
    const lastOf = (frames: readonly string[]) => readStream(frames).message.content.at(-1);
    const frames = framesOf({ parts: [{ thinking: [] }, { search: 'x' }, { text: 'A' }] });
    const unfinished = frames.filter((text) => !(text.includes('output_item.done') && text.includes('ws_0003')));
    expect(lastOf(unfinished)).toEqual({ type: 'text', text: 'A' });
    const sameNumber = frames.map((text) => text.replace(/"output_index":\d/, '"output_index":0'));
    expect(lastOf(sameNumber)).toEqual({ type: 'text', text: 'A' });
    const large = frames.map((text) => text.replaceAll('"query":"x"', `"query":"${'x'.repeat(300_000)}"`));
    expect(lastOf(large)).toEqual({ type: 'text', text: 'A' });
  });

  test('no ids that would be refused', () => {
    const long = 'x'.repeat(65);
    expect(kept((text) => text.replaceAll('msg_0003', long)).slice(1)).toEqual([undefined, 'call_1|fc_0004']);
    expect(kept((text) => text.replaceAll('"id":"fc_0004",', ''))[2]).toBe('call_1');
    expect(kept((text) => text.replaceAll('"call_id":"call_1",', ''))[2]).toBe('fc_0004|fc_0004');
  });
});

describe('answers that were cut', () => {
  const half = { call: 'call_1', name: 'bash', input: '{"command":"rm -rf /tmp/bui' };
  const cutCall = called('call_1|fc_0002', 'bash', {});

  test('said of the item and of the answer', () => {
    const seen = readStream(framesOf({ parts: [{ ...half, cut: true }], incomplete: 'max_output_tokens' }));
    expectSound(seen);
    expect(seen.events.slice(-2).map(bare)).toEqual([
      ['toolcall_end', 0, cutCall],
      ['done', 'length'],
    ]);
  });

  test('said of the answer only', () => {
    const seen = readStream(framesOf({ parts: [half, { text: 'x' }], incomplete: 'max_output_tokens' }));
    expectSound(seen);
    expect(seen.message).toMatchObject({ stopReason: 'length', content: [cutCall, { text: 'x' }] });
  });

  test('said of the item only: nobody runs half a command', () => {
    const frames = framesOf({ parts: [{ ...half, cut: true }], incomplete: 'max_output_tokens' });
    const last = framesOf({ parts: [] }).at(-1)!;
    expect(readStream([...frames.slice(0, -1), last]).message).toMatchObject({
      stopReason: 'length',
      content: [cutCall],
    });
  });

  test('said in the answer’s state', () => {
    const frames = framesOf({ parts: [{ text: 'A' }], incomplete: 'max_output_tokens' });
    const renamed = frames.map((text) => text.replaceAll('"response.incomplete"', '"response.completed"'));
    expect(readStream(renamed).message.stopReason).toBe('length');
  });

  test('before anything was finished', () => {
    const frames = framesOf({ parts: [{ text: ['A', 'B'] }], incomplete: 'max_output_tokens' });
    const seen = readStream([...frames.slice(0, 5), frames.at(-1)!]);
    expectSound(seen);
    expect(seen.events.slice(-2).map(bare)).toEqual([
      ['text_end', 0, 'A'],
      ['done', 'length'],
    ]);
  });
});
