// Conversion of AI SDK stream parts in any order.
import { describe, expect, test } from 'vitest';
import { convertSdkError } from '../../../src/llm/apis/ai-sdk/convert-sdk-error.ts';
import type { StreamPart } from '../../../src/llm/apis/ai-sdk/language-model.ts';
import { PartReader } from '../../../src/llm/apis/ai-sdk/part-reader.ts';
import { ProviderFault } from '../../../src/llm/http/provider-fault.ts';
import { MessageBuilder } from '../../../src/llm/message-builder.ts';
import { expectGrammar, observe } from '../contract.ts';
import { createModel } from './ai-sdk-fixture.ts';
import { summarizeEvent } from './request-samples.ts';

const model = createModel({ id: 'any' });

function readParts(parts: readonly StreamPart[]) {
  const builder = new MessageBuilder(model, 1);
  const reader = new PartReader(builder, {
    model,
    secrets: [],
    format: { readSignature: ({ any }) => ({ signature: String(any?.signature) }) },
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
const startInput = (id: string): StreamPart => ({ type: 'tool-input-start', id, toolName: 'read' });
const call = (id: string, fullInput: string): StreamPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'read',
  input: fullInput,
});

describe('interleaved parts', () => {
  test('two interleaved texts become two blocks', async () => {
    const observed = await readParts([
      text('a', 'A1'),
      text('b', 'B1'),
      text('a', 'A2'),
      text('b', 'B2'),
      { type: 'text-end', id: 'b' },
      { type: 'text-end', id: 'a' },
      finish(),
    ]);
    expectGrammar(observed);
    expect(observed.message.content).toEqual([
      { type: 'text', text: 'A1A2' },
      { type: 'text', text: 'B1B2' },
    ]);
  });

  test('two interleaved calls with text in between', async () => {
    const observed = await readParts([
      startInput('a'),
      startInput('b'),
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
    expectGrammar(observed);
    expect(observed.message).toMatchObject({
      stopReason: 'toolUse',
      content: [{ id: 'a', arguments: { path: 'a' } }, { id: 'b', arguments: { path: 'b' } }, { text: 'Meanwhile' }],
    });
  });

  test('the same id for text and thinking', async () => {
    const observed = await readParts([
      { type: 'reasoning-start', id: '0' },
      thought('0', 'Hm'),
      text('0', 'Yes'),
      { type: 'reasoning-end', id: '0' },
      finish(),
    ]);
    expectGrammar(observed);
    expect(observed.message.content).toMatchObject([{ thinking: 'Hm' }, { text: 'Yes' }]);
  });

  test('open text and thinking are closed before a call', async () => {
    const observed = await readParts([
      thought('0', 'Hm'),
      startInput('a'),
      call('a', '{}'),
      thought('0', 'Well'),
      { type: 'reasoning-end', id: '0' },
      finish('tool-calls'),
    ]);
    expectGrammar(observed);
    expect(observed.message.content).toMatchObject([
      { thinking: 'Hm' },
      { id: 'a', arguments: {} },
      { thinking: 'Well' },
    ]);
  });
});

describe('block contents', () => {
  test('a signature in any part of the block', async () => {
    const providerMetadata = { any: { signature: 'S' } };
    const observed = await readParts([
      { type: 'reasoning-start', id: '0', providerMetadata },
      { type: 'reasoning-end', id: '0' },
      { ...text('1', 'A'), providerMetadata } as StreamPart,
      text('1', 'B'),
      { type: 'text-end', id: '1' },
      startInput('c'),
      { ...call('c', '{"path":"c"}'), providerMetadata } as StreamPart,
      finish(),
    ]);
    expectGrammar(observed);
    expect(observed.message.content).toEqual([
      { type: 'thinking', thinking: '', thinkingSignature: 'S' },
      { type: 'text', text: 'AB', textSignature: 'S' },
      { type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'c' }, thoughtSignature: 'S' },
    ]);
  });

  test('arguments that are sent only in the final part', async () => {
    const observed = await readParts([call('a', '{"path":"a"}'), finish('tool-calls')]);
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent)).toEqual([
      ['start'],
      ['toolcall_start', 0],
      ['toolcall_delta', 0, '{"path":"a"}'],
      ['toolcall_end', 0, { type: 'toolCall', id: 'a', name: 'read', arguments: { path: 'a' } }],
      ['done', 'toolUse'],
    ]);
  });

  test('tools executed by the provider are omitted', async () => {
    const flag = { providerExecuted: true };
    const observed = await readParts([
      text('t', 'Searching'),
      { ...startInput('s'), ...flag } as StreamPart,
      { ...call('s', '{}'), ...flag } as StreamPart,
      { type: 'tool-result', toolCallId: 's', toolName: 'read', result: {} },
      { type: 'source', sourceType: 'url', id: '1', url: 'https://x.test' },
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
      text('t', ' done.'),
      { type: 'text-end', id: 't' },
      finish(),
    ]);
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ stopReason: 'stop', content: [{ text: 'Searching done.' }] });
  });

  test('open blocks are closed at the end', async () => {
    const observed = await readParts([text('t', 'Half'), finish('length')]);
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ stopReason: 'length', content: [{ text: 'Half' }] });
    expect(observed.message.usage).toMatchObject({ input: 10, output: 5, cacheRead: 0, cacheWrite: 0 });
  });

  test('a call without a name is rejected', async () => {
    await expect(readParts([{ type: 'tool-input-start', id: 'a', toolName: '' }, finish()])).rejects.toThrow(
      'The model sent a tool call without a name or an id',
    );
  });

  test('a call with incomplete arguments is rejected, unless the length limit cut it', async () => {
    const broken = [startInput('a'), input('a', '{"path'), call('a', '{"path')];
    await expect(readParts([...broken, finish('tool-calls')])).rejects.toThrow(
      /unreadable arguments for the tool read/,
    );
    expect((await readParts([...broken, finish('length')])).message.content).toMatchObject([{ arguments: {} }]);
  });
});

describe('SDK errors', () => {
  const error = (name: string, fields: object) => Object.assign(new Error('words'), { name, ...fields });

  test('an HTTP error has the status, the body and the retry delay', () => {
    const responseHeaders = { 'retry-after': '3', 'set-cookie': undefined };
    const thrown = error('AI_APICallError', { statusCode: 429, responseBody: 'slow down sesame', responseHeaders });
    const failure = convertSdkError(thrown, ['sesame']) as ProviderFault;
    expect(failure.providerFailure).toEqual({ kind: 'rate_limit', status: 429, retryAfterMs: 3000 });
    expect(failure.message).toBe('429 slow down [redacted]');
  });

  test.each([
    ['AI_APICallError', {}, 'server', 'words'],
    ['AI_UnsupportedFunctionalityError', {}, 'refused', 'words'],
    ['AI_JSONParseError', { text: '{"x' }, 'malformed', 'The provider sent an unreadable event: {"x'],
    ['AI_TypeValidationError', { value: [1] }, 'malformed', 'The provider sent an unreadable event: [1]'],
    ['RangeError', {}, 'malformed', 'The provider sent an unreadable stream: words'],
  ])('%s', (name, fields, kind, message) => {
    const failure = convertSdkError(error(name, fields), []) as ProviderFault;
    expect([failure.providerFailure.kind, failure.message]).toEqual([kind, message]);
  });

  test('an error without name and message', () => {
    const failure = convertSdkError({}, []) as ProviderFault;
    expect([failure.providerFailure.kind, failure.message]).toEqual(['server', 'error: The provider gave no reason']);
  });

  test('a ProviderFault is returned unchanged', () => {
    const fault = new ProviderFault({ kind: 'timeout' }, 'too long');
    expect(convertSdkError(fault, [])).toBe(fault);
  });
});
