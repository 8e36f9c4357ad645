// Variants of Chat Completions streams from different servers. Tests the reader without HTTP.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AssistantMessage } from '../../../src/protocol/index.ts';
import { expectGrammar, type Observation } from '../contract.ts';
import { chunk, DONE, frame, framesOf, usageChunk } from '../servers/openai-completions-frames.ts';
import { createModel, createRequest, readFrames } from './openai-completions-fixture.ts';
import { summarizeEvent } from './request-samples.ts';

const end = [chunk({}, 'tool_calls'), DONE];

function readCalls(...deltas: unknown[][]): Observation {
  const observed = readFrames([...deltas.map((list) => chunk({ tool_calls: list })), ...end]);
  expectGrammar(observed);
  return observed;
}

function summarizeContent({ message }: Observation): unknown[] {
  return message.content.map((block) => {
    if (block.type === 'text') return block.text;
    return block.type === 'thinking' ? ['thinking', block.thinking] : [block.id, block.name, block.arguments];
  });
}

const createFunction = (name: string | undefined, args: unknown) => ({ ...(name ? { name } : {}), arguments: args });

describe('tool calls', () => {
  test('that are interleaved are emitted one after another', () => {
    const observed = readCalls(
      [{ index: 0, id: 'a', function: createFunction('read', '') }],
      [{ index: 1, id: 'b', function: createFunction('bash', '') }],
      [{ index: 1, function: createFunction(undefined, '{"command":') }],
      [{ index: 0, function: createFunction(undefined, '{"path":"}"') }],
      [{ index: 1, function: createFunction(undefined, '"ls"}') }],
      [{ index: 0, function: createFunction(undefined, '}') }],
      [{ index: 1, function: createFunction(undefined, ' ') }],
    );
    expect(observed.events.map(summarizeEvent).filter(([type]) => type === 'toolcall_delta')).toEqual([
      ['toolcall_delta', 0, '{"path":"}"'],
      ['toolcall_delta', 0, '}'],
      ['toolcall_delta', 1, '{"command":"ls"}'],
      ['toolcall_delta', 1, ' '],
    ]);
    expect(summarizeContent(observed)).toEqual([
      ['a', 'read', { path: '}' }],
      ['b', 'bash', { command: 'ls' }],
    ]);
  });

  test('without arguments do not take those of the next call', () => {
    const observed = readCalls(
      [{ index: 0, id: 'a', function: createFunction('list', '') }],
      [{ index: 1, id: 'b', function: createFunction('read', '{"path":"x"}') }],
    );
    expect(summarizeContent(observed)).toEqual([
      ['a', 'list', {}],
      ['b', 'read', { path: 'x' }],
    ]);
  });

  test('complete in one chunk, with arguments as objects', () => {
    const observed = readCalls([
      { index: 0, id: 'a', function: createFunction('read', { path: 'x' }) },
      { index: 1, id: 'b', function: createFunction('read', { path: 'y' }) },
    ]);
    expect(summarizeContent(observed)).toEqual([
      ['a', 'read', { path: 'x' }],
      ['b', 'read', { path: 'y' }],
    ]);
  });

  test('all with index 0, distinguished by id', () => {
    const observed = readCalls(
      [{ index: 0, id: 'a', function: createFunction('read', '{"path":"x"}') }],
      [{ index: 0, id: 'b', function: createFunction('read', '{"path":"y"}') }],
    );
    expect(summarizeContent(observed)).toHaveLength(2);
  });

  test('without index', () => {
    const observed = readCalls(
      [{ id: 'a', function: createFunction('read', '{"path":') }],
      [{ function: createFunction(undefined, '"x"}') }],
      [{ id: 'b', function: createFunction('read', '{}') }],
    );
    expect(summarizeContent(observed)).toEqual([
      ['a', 'read', { path: 'x' }],
      ['b', 'read', {}],
    ]);
  });

  test('without index and ids: a name starts a new call, and ids are generated', () => {
    const observed = readCalls(
      [{ function: createFunction('read', '{"path":"x"}') }],
      [{ function: createFunction('read', '{"path":"y"}') }],
    );
    expect(summarizeContent(observed)).toEqual([
      ['call_1_0', 'read', { path: 'x' }],
      ['call_1_1', 'read', { path: 'y' }],
    ]);
  });

  test('with duplicate ids get unique ids', () => {
    const observed = readCalls(
      [{ index: 0, id: 'a', function: createFunction('read', '{}') }],
      [{ index: 1, id: 'a', function: createFunction('bash', '{}') }],
    );
    expect(summarizeContent(observed)).toEqual([
      ['a', 'read', {}],
      ['call_1_1', 'bash', {}],
    ]);
  });

  test('whose name arrives late or repeatedly', () => {
    const observed = readCalls(
      [{ index: 0, id: 'a', function: createFunction(undefined, null) }],
      [{ index: 0, function: createFunction(undefined, '{"path"') }],
      [{ index: 0, id: 'a', function: createFunction('read', ':') }],
      [{ index: 0, id: 'a', function: createFunction('read', '"x"}') }],
    );
    expect(summarizeContent(observed)).toEqual([['a', 'read', { path: 'x' }]]);
  });

  test('in the old function_call format', () => {
    const observed = readFrames([
      chunk({ content: null, function_call: { name: 'read', arguments: '' } }),
      chunk({ function_call: { arguments: '{"path":"x"}' } }),
      chunk({}, 'function_call'),
      DONE,
    ]);
    expect(observed.message).toMatchObject({
      content: [{ name: 'read', arguments: { path: 'x' } }],
      stopReason: 'toolUse',
    });
  });

  test('with the finish reason "stop" are still calls', () => {
    const observed = readFrames(framesOf({ calls: [{ id: 'a', name: 'read', pieces: ['{}'] }], finish: 'stop' }));
    expect(observed.message.stopReason).toBe('toolUse');
  });

  test('with white space and text around them', () => {
    const call = (index: number, id: string) =>
      chunk({ tool_calls: [{ index, id, function: createFunction('read', '{}') }] });
    const observed = readFrames([
      chunk({ content: '\n\n' }),
      call(0, 'a'),
      chunk({ content: '\n' }),
      call(1, 'b'),
      chunk({ content: ' ' }),
      chunk({ content: 'So.' }),
      ...end,
    ]);
    expectGrammar(observed);
    expect(summarizeContent(observed)).toEqual([['a', 'read', {}], ['b', 'read', {}], ' So.']);
  });

  test('interrupted by text', () => {
    const observed = readFrames([
      chunk({ tool_calls: [{ index: 0, id: 'a', function: createFunction('read', '{"path":') }] }),
      chunk({ content: 'Reading' }),
      chunk({ tool_calls: [{ index: 0, function: createFunction(undefined, '"x"}') }] }),
      chunk({ content: ' it.' }),
      ...end,
    ]);
    expectGrammar(observed);
    expect(summarizeContent(observed)).toEqual([['a', 'read', { path: 'x' }], 'Reading it.']);
  });

  test('without a name, or with arguments after they were complete, are rejected', () => {
    expect(() => readCalls([{ index: 0, id: 'a', function: createFunction(undefined, '{}') }])).toThrow(
      'without the name',
    );
    const deltas = [
      [{ index: 0, id: 'a', function: createFunction('read', '{}') }],
      [{ index: 1, id: 'b', function: createFunction('read', '{}') }],
      [{ index: 0, function: createFunction(undefined, '{"path":1}') }],
    ];
    expect(() => readCalls(...deltas)).toThrow('more arguments for the tool read');
  });

  test('are complete for any interleaving of their pieces', () => {
    const call = fc.record({
      args: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { minKeys: 1, maxKeys: 3 }),
      size: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat()), (calls, random) => {
        const queues = calls.map(({ args, size }, index) => [
          { index, id: `c${index}`, function: createFunction('read', '') },
          ...(JSON.stringify(args).match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []).map((piece) => ({
            index,
            function: createFunction(undefined, piece),
          })),
        ]);
        const deltas: unknown[][] = [];
        // The order of the call starts is the only order that servers guarantee.
        let startedCount = 0;
        for (
          let remaining = queues.filter((queue) => queue.length > 0);
          remaining.length > 0;
          remaining = queues.filter((queue) => queue.length > 0)
        ) {
          const candidates = remaining.filter((queue) => queues.indexOf(queue) <= startedCount);
          const queue = candidates[(random.next().value as number) % candidates.length]!;
          if (queues.indexOf(queue) === startedCount) startedCount++;
          deltas.push([queue.shift()]);
        }
        const observed = readCalls(...deltas);
        const expected = calls.map(({ args }) => JSON.parse(JSON.stringify(args)) as unknown);
        expect(observed.message.content.map((block) => block.type === 'toolCall' && block.arguments)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});

describe('thinking', () => {
  const tagged = { ...createRequest(createModel()), compat: { thinkTags: true } };

  test('between tags, split at any position', () => {
    const text = ' <think>\nso </thi so\n</think>\n\nYes, <think> is a tag.';
    const expected = [['thinking', '\nso </thi so\n'], 'Yes, <think> is a tag.'];
    const failedSplits: number[][] = [];
    for (let a = 0; a <= text.length; a++) {
      for (let b = a; b <= text.length; b++) {
        const observed = readFrames(framesOf({ text: [text.slice(0, a), text.slice(a, b), text.slice(b)] }), tagged);
        if (JSON.stringify(summarizeContent(observed)) !== JSON.stringify(expected)) failedSplits.push([a, b]);
      }
    }
    expect(failedSplits).toEqual([]);
  });

  test.each([
    ['text that is not a tag', ['<thin', 'k about it'], ['<think about it']],
    ['a partial tag', ['<thin'], ['<thin']],
    ['an unclosed tag', ['<think>so', ' on</th'], [['thinking', 'so on</th']]],
    ['a tag after text', ['Say ', '<think>x</think>'], ['Say <think>x</think>']],
    ['only thinking', ['<think>', 'so</think>'], [['thinking', 'so']]],
  ])('tags: %s', (_, text, expected) => {
    const observed = readFrames(framesOf({ text }), tagged);
    expectGrammar(observed);
    expect(summarizeContent(observed)).toEqual(expected);
  });

  test('tags are text without the thinkTags setting', () => {
    expect(summarizeContent(readFrames(framesOf({ text: ['<think>x</think>y'] })))).toEqual(['<think>x</think>y']);
  });

  test('as content parts', () => {
    const thinking = [{ type: 'text', text: 'Hm' }];
    const observed = readFrames([
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
    expectGrammar(observed);
    expect(summarizeContent(observed)).toEqual([['thinking', 'HmHm'], 'Yes']);
    expect(observed.message.content[0]).toMatchObject({ thinkingSignature: 'content' });
  });

  test('in two fields is emitted once', () => {
    const observed = readFrames([
      chunk({ reasoning_content: 'Hm', reasoning: 'Hm' }),
      chunk({ content: 'x' }, 'stop'),
      DONE,
    ]);
    expect(summarizeContent(observed)).toEqual([['thinking', 'Hm'], 'x']);
  });
});

describe('ends', () => {
  const hello = chunk({ content: 'Hi' });

  test.each([
    ['[DONE] without a finish reason', [hello, DONE]],
    ['a finish reason without [DONE]', [chunk({ content: 'Hi' }, 'stop')]],
    ['another name of the finish reason', [hello, chunk({}, 'EOS'), DONE]],
    ['an empty finish reason', [frame({ choices: [{ delta: { content: 'Hi' }, finish_reason: '' }] }), DONE]],
    ['empty chunks', [frame({}), frame({ choices: [] }), chunk({}), hello, frame(''), chunk({}, 'stop'), DONE]],
    ['data after the end', [hello, DONE, 'data: {"half\n\n']],
  ])('%s', (_, frames) => {
    const observed = readFrames(frames);
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ content: [{ text: 'Hi' }], stopReason: 'stop' });
  });

  test('a stream without an end is an error, unless the server sends no finish reasons', () => {
    expect(() => readFrames([hello])).toThrow('ended early');
    const request = { ...createRequest(createModel()), compat: { supportsFinishReason: false } };
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
    const open = chunk({ tool_calls: [{ index: 0, id: 'a', function: createFunction('read', '{"pa') }] });
    const readBroken = () => readFrames([open, chunk({}, reason), DONE]);
    expect(readBroken).toThrow(expect.objectContaining({ providerFailure: { kind } }));
  });

  test('a full context window without a reply is an overflow', () => {
    const readFull = () => readFrames(framesOf({ finish: 'model_context_window_exceeded' }));
    expect(readFull).toThrow(expect.objectContaining({ providerFailure: { kind: 'overflow' } }));
    const withText = readFrames(framesOf({ text: ['So'], finish: 'model_context_window_exceeded' }));
    expect(withText.message.stopReason).toBe('length');
  });
});

describe('usage', () => {
  const readUsage = (frames: string[]): AssistantMessage['usage'] => readFrames(frames).message.usage;
  const toList = ({ input, output, cacheRead, cacheWrite }: AssistantMessage['usage']) => [
    input,
    output,
    cacheRead,
    cacheWrite,
  ];
  const basic = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

  test.each([
    ['plain', basic, [100, 20, 0, 0]],
    ['cached', { ...basic, prompt_tokens_details: { cached_tokens: 64 } }, [36, 20, 64, 0]],
    [
      'cache write',
      { ...basic, prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 30 } },
      [6, 20, 64, 30],
    ],
    ['DeepSeek', { ...basic, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }, [36, 20, 64, 0]],
    ['Moonshot', { ...basic, cached_tokens: 64 }, [36, 20, 64, 0]],
    [
      'thinking counted in the completion',
      { ...basic, completion_tokens_details: { reasoning_tokens: 15 } },
      [100, 20, 0, 0],
    ],
    [
      'thinking counted separately',
      { ...basic, total_tokens: 135, completion_tokens_details: { reasoning_tokens: 15 } },
      [100, 35, 0, 0],
    ],
    ['invalid values', { prompt_tokens: 'many', completion_tokens: -3, prompt_tokens_details: null }, [0, 0, 0, 0]],
    [
      'more cached tokens than prompt tokens',
      { ...basic, prompt_tokens_details: { cached_tokens: 640 } },
      [0, 20, 100, 0],
    ],
  ])('%s', (_, usage, expected) => {
    expect(toList(readUsage(framesOf({ usage })))).toEqual(expected);
  });

  test('in other fields of the chunk', () => {
    const choice = { index: 0, delta: {}, finish_reason: 'stop', usage: basic };
    expect(toList(readUsage([frame({ choices: [choice] }), DONE]))).toEqual([100, 20, 0, 0]);
    expect(toList(readUsage([frame({ choices: [], x_groq: { usage: basic } }), chunk({}, 'stop'), DONE]))).toEqual([
      100, 20, 0, 0,
    ]);
  });

  test('in every chunk: the last one is used', () => {
    const chunks = [1, 2, 3].map((completion_tokens) => usageChunk({ ...basic, completion_tokens }));
    expect(readUsage([...chunks, chunk({}, 'stop'), DONE]).output).toBe(3);
  });

  test('without usage', () => {
    expect(toList(readUsage(framesOf({ text: ['Hi'], usage: null })))).toEqual([0, 0, 0, 0]);
  });
});
