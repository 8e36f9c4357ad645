import { expect, test, vi } from 'vitest';
import type { ModelRequest } from '../../../src/contracts/index.ts';
import { createOfflineApi } from '../../../src/llm/offline/offline-api.ts';
import { offlineModel } from '../../../src/llm/offline/offline-model.ts';
import { extractText } from '../../../src/protocol/index.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { assistant, call, hasNoSplitCharacters, result, tools, user } from './conversation-helpers.ts';

const clock = { now: () => 1000 };

function request(text: string, overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: offlineModel,
    systemPrompt: 'You are an agent.',
    messages: [user(text)],
    tools,
    thinkingLevel: 'off',
    signal: new AbortController().signal,
    sessionId: 's',
    ...overrides,
  };
}

const stream = (text: string, overrides?: Partial<ModelRequest>) =>
  createOfflineApi({ clock }).stream(request(text, overrides));

modelApiContract('the offline API', () => ({
  api: createOfflineApi({ clock }),
  long: (signal) => request('count to 50', { signal }),
  calling: (signal) => request('list src and read README.md', { signal, thinkingLevel: 'low' }),
}));

test('counting sends one delta per number', async () => {
  const observed = await observe(stream('count to 10000'));
  const deltas = observed.events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
  expect(deltas).toHaveLength(10_000);
  expect(deltas.slice(0, 3)).toEqual(['1 ', '2 ', '3 ']);
  expect(extractText(observed.message.content).endsWith('9999 10000')).toBe(true);
});

test('text is streamed a few words at a time without splitting characters', async () => {
  const text = `${'😀'.repeat(100)} one two three four five`;
  const observed = await observe(stream(`say \`${text}\``));
  expectGrammar(observed);
  const deltas = observed.events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
  expect(deltas.length).toBeGreaterThan(4);
  for (const delta of deltas) {
    expect(hasNoSplitCharacters(delta)).toBe(true);
    expect(delta.trim().split(/\s+/).length).toBeLessThanOrEqual(3);
  }
  expect(extractText(observed.message.content)).toBe(text);
});

test('yields to the event loop', async () => {
  const yieldToEventLoop = vi.fn(async () => {});
  await observe(createOfflineApi({ clock, yieldToEventLoop: yieldToEventLoop }).stream(request('count to 320')));
  expect(yieldToEventLoop.mock.calls.length).toBeGreaterThanOrEqual(10);
});

test('an abort while yielding stops the stream', async () => {
  const aborter = new AbortController();
  const yieldToEventLoop = async () => aborter.abort();
  const observed = await observe(
    createOfflineApi({ clock, yieldToEventLoop: yieldToEventLoop }).stream(
      request('count to 999', { signal: aborter.signal }),
    ),
  );
  expectGrammar(observed);
  expect(observed.message.stopReason).toBe('aborted');
  expect(extractText(observed.message.content).startsWith('1 2 3 ')).toBe(true);
});

test('sends thinking first, then text, then calls', async () => {
  const { message } = await observe(stream('list src', { thinkingLevel: 'medium' }));
  expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'toolCall']);
});

test('call ids are unique, even after the history was compacted', async () => {
  const getCallIds = async (now: number, messages: ModelRequest['messages']) => {
    const api = createOfflineApi({ clock: { now: () => now } });
    const { message } = await observe(api.stream(request('', { messages })));
    return message.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
  };
  const prompt = user('list src then run `x`');
  const [first = ''] = await getCallIds(1000, [prompt]);
  const firstCall = call(first, 'ls', { path: 'src' });
  const second = await getCallIds(1000, [prompt, assistant([firstCall]), result(firstCall, 'a')]);
  const afterCompaction = await getCallIds(2000, [user('list a and list b')]);
  expect(new Set([first, ...second, ...afterCompaction]).size).toBe(4);
});

test('usage is an estimate at no cost', async () => {
  const { message, usages } = await observe(stream('count to 100'));
  expect(usages.size).toBe(2);
  expect(message.usage.input).toBeGreaterThan(20);
  expect(message.usage.output).toBe(Math.ceil(extractText(message.content).length / 4));
  expect(message.usage.cost.total).toBe(0);
});

test('respects the requested length limit', async () => {
  const observed = await observe(stream('count to 1000', { maxTokens: 10 }));
  expectGrammar(observed);
  expect(observed.message.stopReason).toBe('length');
  expect(extractText(observed.message.content).length).toBeLessThanOrEqual(40);
  expect(observed.message.usage.output).toBeLessThanOrEqual(10);
});

test('a reply of exactly the maximum length is not cut', async () => {
  const { message } = await observe(stream('say `12345678`', { maxTokens: 2 }));
  expect(message.stopReason).toBe('stop');
});

test('the same request gets the same reply', async () => {
  const once = await observe(stream('list src and say `x`'));
  const again = await observe(stream('list src and say `x`'));
  expect(again.message).toEqual(once.message);
});

test('a conversation to summarise is summarised', async () => {
  const text = '<conversation>\n[User]: Fix it\n</conversation>\n\nWrite a summary.';
  const { message } = await observe(stream(text));
  expect(extractText(message.content)).toMatch(/^## Goal\n- Fix it\n/);
});
