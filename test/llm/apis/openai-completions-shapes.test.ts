// The many shapes in which servers of all makes send Chat Completions. Through the reader alone; no HTTP.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AssistantMessage } from '../../../src/protocol/index.ts';
import { expectGrammar, type Observation } from '../contract.ts';
import { chunk, DONE, frame, framesOf, usageChunk } from '../servers/openai-completions-frames.ts';
import { bare, modelOf, readFrames, requestFor } from './openai-completions-stage.ts';

const end = [chunk({}, 'tool_calls'), DONE];

function calls(...deltas: unknown[][]): Observation {
  const seen = readFrames([...deltas.map((list) => chunk({ tool_calls: list })), ...end]);
  expectGrammar(seen);
  return seen;
}

function inShort({ message }: Observation): unknown[] {
  return message.content.map((block) => {
    if (block.type === 'text') return block.text;
    return block.type === 'thinking' ? ['thinking', block.thinking] : [block.id, block.name, block.arguments];
  });
}

const fn = (name: string | undefined, args: unknown) => ({ ...(name ? { name } : {}), arguments: args });

describe('tool calls', () => {
  test('that come interleaved wait for one another', () => {
    const seen = calls(
      [{ index: 0, id: 'a', function: fn('read', '') }],
      [{ index: 1, id: 'b', function: fn('bash', '') }],
      [{ index: 1, function: fn(undefined, '{"command":') }],
      [{ index: 0, function: fn(undefined, '{"path":"}"') }],
      [{ index: 1, function: fn(undefined, '"ls"}') }],
      [{ index: 0, function: fn(undefined, '}') }],
      [{ index: 1, function: fn(undefined, ' ') }],
    );
    expect(seen.events.map(bare).filter(([type]) => type === 'toolcall_delta')).toEqual([
      ['toolcall_delta', 0, '{"path":"}"'],
      ['toolcall_delta', 0, '}'],
      ['toolcall_delta', 1, '{"command":"ls"}'],
      ['toolcall_delta', 1, ' '],
    ]);
    expect(inShort(seen)).toEqual([
      ['a', 'read', { path: '}' }],
      ['b', 'bash', { command: 'ls' }],
    ]);
  });

  test('without arguments do not swallow those of the next', () => {
    const seen = calls(
      [{ index: 0, id: 'a', function: fn('list', '') }],
      [{ index: 1, id: 'b', function: fn('read', '{"path":"x"}') }],
    );
    expect(inShort(seen)).toEqual([
      ['a', 'list', {}],
      ['b', 'read', { path: 'x' }],
    ]);
  });

  test('whole in one chunk, with arguments as objects', () => {
    const seen = calls([
      { index: 0, id: 'a', function: fn('read', { path: 'x' }) },
      { index: 1, id: 'b', function: fn('read', { path: 'y' }) },
    ]);
    expect(inShort(seen)).toEqual([
      ['a', 'read', { path: 'x' }],
      ['b', 'read', { path: 'y' }],
    ]);
  });

  test('all with the index 0, told apart by their ids', () => {
    const seen = calls(
      [{ index: 0, id: 'a', function: fn('read', '{"path":"x"}') }],
      [{ index: 0, id: 'b', function: fn('read', '{"path":"y"}') }],
    );
    expect(inShort(seen)).toHaveLength(2);
  });

  test('without index', () => {
    const seen = calls(
      [{ id: 'a', function: fn('read', '{"path":') }],
      [{ function: fn(undefined, '"x"}') }],
      [{ id: 'b', function: fn('read', '{}') }],
    );
    expect(inShort(seen)).toEqual([
      ['a', 'read', { path: 'x' }],
      ['b', 'read', {}],
    ]);
  });

  test('without index and ids: a name begins another, and ids are made', () => {
    const seen = calls([{ function: fn('read', '{"path":"x"}') }], [{ function: fn('read', '{"path":"y"}') }]);
    expect(inShort(seen)).toEqual([
      ['call_1_0', 'read', { path: 'x' }],
      ['call_1_1', 'read', { path: 'y' }],
    ]);
  });

  test('with the same id twice get different ones', () => {
    const seen = calls(
      [{ index: 0, id: 'a', function: fn('read', '{}') }],
      [{ index: 1, id: 'a', function: fn('bash', '{}') }],
    );
    expect(inShort(seen)).toEqual([
      ['a', 'read', {}],
      ['call_1_1', 'bash', {}],
    ]);
  });

  test('whose name comes late, or again and again', () => {
    const seen = calls(
      [{ index: 0, id: 'a', function: fn(undefined, null) }],
      [{ index: 0, function: fn(undefined, '{"path"') }],
      [{ index: 0, id: 'a', function: fn('read', ':') }],
      [{ index: 0, id: 'a', function: fn('read', '"x"}') }],
    );
    expect(inShort(seen)).toEqual([['a', 'read', { path: 'x' }]]);
  });

  test('in the older spelling', () => {
    const seen = readFrames([
      chunk({ content: null, function_call: { name: 'read', arguments: '' } }),
      chunk({ function_call: { arguments: '{"path":"x"}' } }),
      chunk({}, 'function_call'),
      DONE,
    ]);
    expect(seen.message).toMatchObject({
      content: [{ name: 'read', arguments: { path: 'x' } }],
      stopReason: 'toolUse',
    });
  });

  test('under the reason "stop" are still calls', () => {
    const seen = readFrames(framesOf({ calls: [{ id: 'a', name: 'read', pieces: ['{}'] }], finish: 'stop' }));
    expect(seen.message.stopReason).toBe('toolUse');
  });

  test('with empty space and words around them', () => {
    const call = (index: number, id: string) => chunk({ tool_calls: [{ index, id, function: fn('read', '{}') }] });
    const seen = readFrames([
      chunk({ content: '\n\n' }),
      call(0, 'a'),
      chunk({ content: '\n' }),
      call(1, 'b'),
      chunk({ content: ' ' }),
      chunk({ content: 'So.' }),
      ...end,
    ]);
    expectGrammar(seen);
    expect(inShort(seen)).toEqual([['a', 'read', {}], ['b', 'read', {}], ' So.']);
  });

  test('interrupted by words', () => {
    const seen = readFrames([
      chunk({ tool_calls: [{ index: 0, id: 'a', function: fn('read', '{"path":') }] }),
      chunk({ content: 'Reading' }),
      chunk({ tool_calls: [{ index: 0, function: fn(undefined, '"x"}') }] }),
      chunk({ content: ' it.' }),
      ...end,
    ]);
    expectGrammar(seen);
    expect(inShort(seen)).toEqual([['a', 'read', { path: 'x' }], 'Reading it.']);
  });

  test('without a name, or with more arguments after they were whole, are refused', () => {
    expect(() => calls([{ index: 0, id: 'a', function: fn(undefined, '{}') }])).toThrow('without the name');
    const late = [
      [{ index: 0, id: 'a', function: fn('read', '{}') }],
      [{ index: 1, id: 'b', function: fn('read', '{}') }],
      [{ index: 0, function: fn(undefined, '{"path":1}') }],
    ];
    expect(() => calls(...late)).toThrow('more arguments for the tool read');
  });

  test('come out whole however their pieces are mixed', () => {
    const call = fc.record({
      args: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { minKeys: 1, maxKeys: 3 }),
      size: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat()), (given, dice) => {
        const queues = given.map(({ args, size }, index) => [
          { index, id: `c${index}`, function: fn('read', '') },
          ...(JSON.stringify(args).match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []).map((piece) => ({
            index,
            function: fn(undefined, piece),
          })),
        ]);
        const deltas: unknown[][] = [];
        // Calls begin in order, which is all that can be relied on.
        let begun = 0;
        for (
          let left = queues.filter((queue) => queue.length > 0);
          left.length > 0;
          left = queues.filter((queue) => queue.length > 0)
        ) {
          const open = left.filter((queue) => queues.indexOf(queue) <= begun);
          const queue = open[(dice.next().value as number) % open.length]!;
          if (queues.indexOf(queue) === begun) begun++;
          deltas.push([queue.shift()]);
        }
        const seen = calls(...deltas);
        const whole = given.map(({ args }) => JSON.parse(JSON.stringify(args)) as unknown);
        expect(seen.message.content.map((block) => block.type === 'toolCall' && block.arguments)).toEqual(whole);
      }),
      { numRuns: 40 },
    );
  });
});

describe('thinking', () => {
  const tagged = { ...requestFor(modelOf()), compat: { thinkTags: true } };

  test('between tags, wherever the pieces are cut', () => {
    const text = ' <think>\nso </thi so\n</think>\n\nYes, <think> is a tag.';
    const expected = [['thinking', '\nso </thi so\n'], 'Yes, <think> is a tag.'];
    const wrong: number[][] = [];
    for (let a = 0; a <= text.length; a++) {
      for (let b = a; b <= text.length; b++) {
        const seen = readFrames(framesOf({ text: [text.slice(0, a), text.slice(a, b), text.slice(b)] }), tagged);
        if (JSON.stringify(inShort(seen)) !== JSON.stringify(expected)) wrong.push([a, b]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['no tag', ['<thin', 'k about it'], ['<think about it']],
    ['half a tag', ['<thin'], ['<thin']],
    ['never closed', ['<think>so', ' on</th'], [['thinking', 'so on</th']]],
    ['later on', ['Say ', '<think>x</think>'], ['Say <think>x</think>']],
    ['nothing but thinking', ['<think>', 'so</think>'], [['thinking', 'so']]],
  ])('tags: %s', (_, text, expected) => {
    const seen = readFrames(framesOf({ text }), tagged);
    expectGrammar(seen);
    expect(inShort(seen)).toEqual(expected);
  });

  test('tags are words where nobody said that they are tags', () => {
    expect(inShort(readFrames(framesOf({ text: ['<think>x</think>y'] })))).toEqual(['<think>x</think>y']);
  });

  test('as parts of the content', () => {
    const thinking = [{ type: 'text', text: 'Hm' }];
    const seen = readFrames([
      chunk({ content: [{ type: 'thinking', thinking }] }),
      chunk({
        content: [
          { type: 'thinking', thinking },
          { type: 'text', text: 'Ye' },
        ],
      }),
      chunk({ content: 's' }, 'stop'),
      DONE,
    ]);
    expectGrammar(seen);
    expect(inShort(seen)).toEqual([['thinking', 'HmHm'], 'Yes']);
    expect(seen.message.content[0]).toMatchObject({ thinkingSignature: 'content' });
  });

  test('in two fields at once counts once', () => {
    const seen = readFrames([
      chunk({ reasoning_content: 'Hm', reasoning: 'Hm' }),
      chunk({ content: 'x' }, 'stop'),
      DONE,
    ]);
    expect(inShort(seen)).toEqual([['thinking', 'Hm'], 'x']);
  });
});

describe('ends', () => {
  const hello = chunk({ content: 'Hi' });

  test.each([
    ['[DONE] without a reason', [hello, DONE]],
    ['a reason without [DONE]', [chunk({ content: 'Hi' }, 'stop')]],
    ['another word for it', [hello, chunk({}, 'EOS'), DONE]],
    ['an empty reason on the way', [frame({ choices: [{ delta: { content: 'Hi' }, finish_reason: '' }] }), DONE]],
    [
      'chunks that say nothing',
      [frame({}), frame({ choices: [] }), chunk({}), hello, frame(''), chunk({}, 'stop'), DONE],
    ],
    ['something after the end', [hello, DONE, 'data: {"half\n\n']],
  ])('%s', (_, frames) => {
    const seen = readFrames(frames);
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ content: [{ text: 'Hi' }], stopReason: 'stop' });
  });

  test('a stream that just stops is no answer, unless the server never says why', () => {
    expect(() => readFrames([hello])).toThrow('ended early');
    const request = { ...requestFor(modelOf()), compat: { supportsFinishReason: false } };
    expect(readFrames([hello], request).message.stopReason).toBe('stop');
  });

  test.each([
    ['content_filter', 'filter'],
    ['sensitive', 'filter'],
    ['network_error', 'network'],
    ['insufficient_system_resource', 'overloaded'],
    ['error', 'server'],
    ['abort', 'server'],
  ])('%s is a failure', (reason, kind) => {
    const open = chunk({ tool_calls: [{ index: 0, id: 'a', function: fn('read', '{"pa') }] });
    const broken = () => readFrames([open, chunk({}, reason), DONE]);
    expect(broken).toThrow(expect.objectContaining({ failure: { kind } }));
  });

  test('a full window without an answer is an overflow', () => {
    const full = () => readFrames(framesOf({ finish: 'model_context_window_exceeded' }));
    expect(full).toThrow(expect.objectContaining({ failure: { kind: 'overflow' } }));
    const some = readFrames(framesOf({ text: ['So'], finish: 'model_context_window_exceeded' }));
    expect(some.message.stopReason).toBe('length');
  });
});

describe('usage', () => {
  const counted = (frames: string[]): AssistantMessage['usage'] => readFrames(frames).message.usage;
  const tokens = ({ input, output, cacheRead, cacheWrite }: AssistantMessage['usage']) => [
    input,
    output,
    cacheRead,
    cacheWrite,
  ];
  const basic = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

  test.each([
    ['plain', basic, [100, 20, 0, 0]],
    ['cached', { ...basic, prompt_tokens_details: { cached_tokens: 64 } }, [36, 20, 64, 0]],
    ['written', { ...basic, prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 30 } }, [6, 20, 64, 30]],
    ['DeepSeek', { ...basic, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }, [36, 20, 64, 0]],
    ['Moonshot', { ...basic, cached_tokens: 64 }, [36, 20, 64, 0]],
    ['thinking inside', { ...basic, completion_tokens_details: { reasoning_tokens: 15 } }, [100, 20, 0, 0]],
    [
      'thinking beside',
      { ...basic, total_tokens: 135, completion_tokens_details: { reasoning_tokens: 15 } },
      [100, 35, 0, 0],
    ],
    ['nonsense', { prompt_tokens: 'many', completion_tokens: -3, prompt_tokens_details: null }, [0, 0, 0, 0]],
    ['more cached than asked', { ...basic, prompt_tokens_details: { cached_tokens: 640 } }, [0, 20, 100, 0]],
  ])('%s', (_, usage, expected) => {
    expect(tokens(counted(framesOf({ usage })))).toEqual(expected);
  });

  test('elsewhere in the chunk', () => {
    const choice = { index: 0, delta: {}, finish_reason: 'stop', usage: basic };
    expect(tokens(counted([frame({ choices: [choice] }), DONE]))).toEqual([100, 20, 0, 0]);
    expect(tokens(counted([frame({ choices: [], x_groq: { usage: basic } }), chunk({}, 'stop'), DONE]))).toEqual([
      100, 20, 0, 0,
    ]);
  });

  test('in every chunk: the last one counts', () => {
    const growing = [1, 2, 3].map((completion_tokens) => usageChunk({ ...basic, completion_tokens }));
    expect(counted([...growing, chunk({}, 'stop'), DONE]).output).toBe(3);
  });

  test('none at all', () => {
    expect(tokens(counted(framesOf({ text: ['Hi'], usage: null })))).toEqual([0, 0, 0, 0]);
  });
});
