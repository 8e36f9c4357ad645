import { expect, test, vi } from 'vitest';
import type { ModelRequest } from '../../../src/contracts/index.ts';
import { createOfflineApi } from '../../../src/llm/offline/api.ts';
import { offlineModel } from '../../../src/llm/offline/model.ts';
import { textOf } from '../../../src/protocol/index.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { assistant, call, isWhole, result, tools, user } from './talk.ts';

const clock = { now: () => 1000 };

function request(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: offlineModel,
    systemPrompt: 'You are an agent.',
    messages: [user(text)],
    tools,
    thinkingLevel: 'off',
    signal: new AbortController().signal,
    sessionId: 's',
    ...more,
  };
}

const stream = (text: string, more?: Partial<ModelRequest>) => createOfflineApi({ clock }).stream(request(text, more));

modelApiContract('the offline API', () => ({
  api: createOfflineApi({ clock }),
  long: (signal) => request('count to 50', { signal }),
  calling: (signal) => request('list src and read README.md', { signal, thinkingLevel: 'low' }),
}));

test('counting gives one delta for each number', async () => {
  const seen = await observe(stream('count to 10000'));
  const deltas = seen.events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
  expect(deltas).toHaveLength(10_000);
  expect(deltas.slice(0, 3)).toEqual(['1 ', '2 ', '3 ']);
  expect(textOf(seen.message.content).endsWith('9999 10000')).toBe(true);
});

test('text arrives a few words at a time, whole characters only', async () => {
  const text = `${'😀'.repeat(100)} one two three four five`;
  const seen = await observe(stream(`say \`${text}\``));
  expectGrammar(seen);
  const deltas = seen.events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
  expect(deltas.length).toBeGreaterThan(4);
  for (const delta of deltas) {
    expect(isWhole(delta)).toBe(true);
    expect(delta.trim().split(/\s+/).length).toBeLessThanOrEqual(3);
  }
  expect(textOf(seen.message.content)).toBe(text);
});

test('the event loop gets its turns', async () => {
  const pause = vi.fn(async () => {});
  await observe(createOfflineApi({ clock, pause }).stream(request('count to 320')));
  expect(pause.mock.calls.length).toBeGreaterThanOrEqual(10);
});

test('an abort during a pause is heard before the next word', async () => {
  const aborter = new AbortController();
  const pause = async () => aborter.abort();
  const seen = await observe(
    createOfflineApi({ clock, pause }).stream(request('count to 999', { signal: aborter.signal })),
  );
  expectGrammar(seen);
  expect(seen.message.stopReason).toBe('aborted');
  expect(textOf(seen.message.content).startsWith('1 2 3 ')).toBe(true);
});

test('thinking comes first, then words, then calls', async () => {
  const { message } = await observe(stream('list src', { thinkingLevel: 'medium' }));
  expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'toolCall']);
});

test('ids differ from call to call, also when the history was cut', async () => {
  const idsOf = async (now: number, messages: ModelRequest['messages']) => {
    const api = createOfflineApi({ clock: { now: () => now } });
    const { message } = await observe(api.stream(request('', { messages })));
    return message.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
  };
  const asked = user('list src then run `x`');
  const [first = ''] = await idsOf(1000, [asked]);
  const made = call(first, 'ls', { path: 'src' });
  const second = await idsOf(1000, [asked, assistant([made]), result(made, 'a')]);
  const afterCut = await idsOf(2000, [user('list a and list b')]);
  expect(new Set([first, ...second, ...afterCut]).size).toBe(4);
});

test('usage is an estimate at no cost', async () => {
  const { message, usages } = await observe(stream('count to 100'));
  expect(usages.size).toBe(2);
  expect(message.usage.input).toBeGreaterThan(20);
  expect(message.usage.output).toBe(Math.ceil(textOf(message.content).length / 4));
  expect(message.usage.cost.total).toBe(0);
});

test('the length limit that was asked for is kept', async () => {
  const seen = await observe(stream('count to 1000', { maxTokens: 10 }));
  expectGrammar(seen);
  expect(seen.message.stopReason).toBe('length');
  expect(textOf(seen.message.content).length).toBeLessThanOrEqual(40);
  expect(seen.message.usage.output).toBeLessThanOrEqual(10);
});

test('an answer that fits its limit exactly is whole', async () => {
  const { message } = await observe(stream('say `12345678`', { maxTokens: 2 }));
  expect(message.stopReason).toBe('stop');
});

test('the same request gets the same answer', async () => {
  const once = await observe(stream('list src and say `x`'));
  const again = await observe(stream('list src and say `x`'));
  expect(again.message).toEqual(once.message);
});

test('a conversation to summarise is summarised', async () => {
  const text = '<conversation>\n[User]: Fix it\n</conversation>\n\nWrite a summary.';
  const { message } = await observe(stream(text));
  expect(textOf(message.content)).toMatch(/^## Goal\n- Fix it\n/);
});
