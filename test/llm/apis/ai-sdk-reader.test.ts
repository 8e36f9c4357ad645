// Stream parts of the AI SDK as any provider may send them: what our message becomes, whatever their order.
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../src/llm/apis/ai-sdk/failure.ts';
import type { StreamPart } from '../../../src/llm/apis/ai-sdk/language-model.ts';
import { PartReader } from '../../../src/llm/apis/ai-sdk/reader.ts';
import { ProviderFault } from '../../../src/llm/http/failure.ts';
import { MessageBuilder } from '../../../src/llm/message-builder.ts';
import { expectGrammar, observe } from '../contract.ts';
import { bare, modelOf } from './ai-sdk-stage.ts';

const model = modelOf({ id: 'any' });

function follow(parts: readonly StreamPart[]) {
  const builder = new MessageBuilder(model, 1);
  const reader = new PartReader(builder, {
    model,
    secrets: [],
    format: { sealIn: ({ any }) => ({ signature: String(any?.seal) }) },
  });
  async function* events() {
    yield builder.start();
    for (const part of parts) yield* reader.read(part);
    yield builder.finish(yield* reader.end());
  }
  return observe(events());
}

const finish = (unified = 'stop', raw: string | undefined = unified): StreamPart =>
  ({
    type: 'finish',
    finishReason: { unified, raw },
    usage: { inputTokens: { total: 10 }, outputTokens: { total: 5 } },
  }) as StreamPart;
const text = (id: string, delta: string): StreamPart => ({ type: 'text-delta', id, delta });
const thought = (id: string, delta: string): StreamPart => ({ type: 'reasoning-delta', id, delta });
const input = (id: string, delta: string): StreamPart => ({ type: 'tool-input-delta', id, delta });
const begin = (id: string): StreamPart => ({ type: 'tool-input-start', id, toolName: 'read' });
const call = (id: string, whole: string): StreamPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'read',
  input: whole,
});

describe('parts that do not wait for one another', () => {
  test('two texts at once become two blocks', async () => {
    const seen = await follow([
      text('a', 'A1'),
      text('b', 'B1'),
      text('a', 'A2'),
      text('b', 'B2'),
      { type: 'text-end', id: 'b' },
      { type: 'text-end', id: 'a' },
      finish(),
    ]);
    expectGrammar(seen);
    expect(seen.message.content).toEqual([
      { type: 'text', text: 'A1A2' },
      { type: 'text', text: 'B1B2' },
    ]);
  });

  test('two calls at once, with words between', async () => {
    const seen = await follow([
      begin('a'),
      begin('b'),
      input('b', '{"path":'),
      input('a', '{"path":'),
      text('t', 'Meanwhile'),
      input('b', '"b"}'),
      { type: 'tool-input-end', id: 'b' },
      call('b', '{"path":"b"}'),
      input('a', '"a"}'),
      call('a', '{"path":"a"}'),
      { type: 'text-end', id: 't' },
      finish('tool-calls'),
    ]);
    expectGrammar(seen);
    expect(seen.message).toMatchObject({
      stopReason: 'toolUse',
      content: [{ id: 'a', arguments: { path: 'a' } }, { id: 'b', arguments: { path: 'b' } }, { text: 'Meanwhile' }],
    });
  });

  test('the same id for text and thinking', async () => {
    const seen = await follow([
      { type: 'reasoning-start', id: '0' },
      thought('0', 'Hm'),
      text('0', 'Yes'),
      { type: 'reasoning-end', id: '0' },
      finish(),
    ]);
    expectGrammar(seen);
    expect(seen.message.content).toMatchObject([{ thinking: 'Hm' }, { text: 'Yes' }]);
  });

  test('text and thinking that stay open give way to a call', async () => {
    const seen = await follow([
      thought('0', 'Hm'),
      begin('a'),
      call('a', '{}'),
      thought('0', 'Well'),
      { type: 'reasoning-end', id: '0' },
      finish('tool-calls'),
    ]);
    expectGrammar(seen);
    expect(seen.message.content).toMatchObject([{ thinking: 'Hm' }, { id: 'a', arguments: {} }, { thinking: 'Well' }]);
  });
});

describe('what belongs to a block', () => {
  test('a seal that comes with any of its parts', async () => {
    const providerMetadata = { any: { seal: 'S' } };
    const seen = await follow([
      { type: 'reasoning-start', id: '0', providerMetadata },
      { type: 'reasoning-end', id: '0' },
      { ...text('1', 'A'), providerMetadata } as StreamPart,
      text('1', 'B'),
      { type: 'text-end', id: '1' },
      begin('c'),
      { ...call('c', '{"path":"c"}'), providerMetadata } as StreamPart,
      finish(),
    ]);
    expectGrammar(seen);
    expect(seen.message.content).toEqual([
      { type: 'thinking', thinking: '', thinkingSignature: 'S' },
      { type: 'text', text: 'AB', textSignature: 'S' },
      { type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'c' }, thoughtSignature: 'S' },
    ]);
  });

  test('arguments that are said only at the end', async () => {
    const seen = await follow([call('a', '{"path":"a"}'), finish('tool-calls')]);
    expectGrammar(seen);
    expect(seen.events.map(bare)).toEqual([
      ['start'],
      ['toolcall_start', 0],
      ['toolcall_delta', 0, '{"path":"a"}'],
      ['toolcall_end', 0, { type: 'toolCall', id: 'a', name: 'read', arguments: { path: 'a' } }],
      ['done', 'toolUse'],
    ]);
  });

  test('what the provider’s own tools did leaves no trace', async () => {
    const own = { providerExecuted: true };
    const seen = await follow([
      text('t', 'Searching'),
      { ...begin('s'), ...own } as StreamPart,
      { ...call('s', '{}'), ...own } as StreamPart,
      { type: 'tool-result', toolCallId: 's', toolName: 'read', result: {} },
      { type: 'source', sourceType: 'url', id: '1', url: 'https://x.test' },
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
      text('t', ' done.'),
      { type: 'text-end', id: 't' },
      finish(),
    ]);
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ stopReason: 'stop', content: [{ text: 'Searching done.' }] });
  });

  test('what is still open at the end is closed', async () => {
    const seen = await follow([text('t', 'Half'), finish('length')]);
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ stopReason: 'length', content: [{ text: 'Half' }] });
    expect(seen.message.usage).toMatchObject({ input: 10, output: 5, cacheRead: 0, cacheWrite: 0 });
  });

  test('a call without a name is refused', async () => {
    await expect(follow([{ type: 'tool-input-start', id: 'a', toolName: '' }, finish()])).rejects.toThrow(
      'The model called a tool without saying which, or under which id',
    );
  });

  test('a call whose arguments stay broken is not run, unless the length limit cut it', async () => {
    const broken = [begin('a'), input('a', '{"path'), call('a', '{"path')];
    await expect(follow([...broken, finish('tool-calls')])).rejects.toThrow(/unreadable arguments for the tool read/);
    expect((await follow([...broken, finish('length')])).message.content).toMatchObject([{ arguments: {} }]);
  });
});

describe('what the SDK throws', () => {
  const error = (name: string, facts: object) => Object.assign(new Error('words'), { name, ...facts });

  test('an HTTP error has the status, the body and the wait', () => {
    const responseHeaders = { 'retry-after': '3', 'set-cookie': undefined };
    const thrown = error('AI_APICallError', { statusCode: 429, responseBody: 'slow down sesame', responseHeaders });
    const failure = failureOf(thrown, ['sesame']) as ProviderFault;
    expect(failure.failure).toEqual({ kind: 'rate_limit', status: 429, retryAfterMs: 3000 });
    expect(failure.message).toBe('429 slow down [redacted]');
  });

  test.each([
    ['AI_APICallError', {}, 'server', 'words'],
    ['AI_UnsupportedFunctionalityError', {}, 'refused', 'words'],
    ['AI_JSONParseError', { text: '{"x' }, 'malformed', 'The provider sent an unreadable event: {"x'],
    ['AI_TypeValidationError', { value: [1] }, 'malformed', 'The provider sent an unreadable event: [1]'],
    ['RangeError', {}, 'malformed', 'The provider sent an unreadable stream: words'],
  ])('%s', (name, facts, kind, message) => {
    const failure = failureOf(error(name, facts), []) as ProviderFault;
    expect([failure.failure.kind, failure.message]).toEqual([kind, message]);
  });

  test('an error without a name or words', () => {
    const failure = failureOf({}, []) as ProviderFault;
    expect([failure.failure.kind, failure.message]).toEqual(['server', 'error: The provider gave no reason']);
  });

  test('a failure of ours stays what it is', () => {
    const own = new ProviderFault({ kind: 'timeout' }, 'too long');
    expect(failureOf(own, [])).toBe(own);
  });
});
