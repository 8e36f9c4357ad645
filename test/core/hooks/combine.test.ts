// Several who may object, as one: the order, who stops whom, and that nobody costs nothing.
import { expect, test } from 'vitest';
import type { Hooks, PlannedCall, Said } from '../../../src/contracts/index.ts';
import { combineHooks } from '../../../src/core/hooks/combine.ts';

const { signal } = new AbortController();
const said: Said = { text: 'a', images: [], via: 'prompt', source: 'rpc', signal };
const call: PlannedCall = { toolCallId: '1', toolName: 't', effect: 'read', input: { n: 1 }, signal };

test('nobody there: no hook at all', () => {
  expect(combineHooks([])).toEqual({});
  const two = combineHooks([{}, {}]);
  expect([two.input, two.toolCall, two.context, two.observe, two.beforeMove]).toEqual([...new Array(5)]);
});

test('hooks may come and go', async () => {
  const coming: { input?: Hooks['input'] } = {};
  const all = combineHooks([{}, coming]);
  expect(all.input).toBeUndefined();
  coming.input = async () => ({ text: 'b' });
  expect(await all.input?.(said)).toEqual({ text: 'b' });
});

test('input: each sees what the one before left; who handles it is the last', async () => {
  const add = (letter: string): Hooks => ({ input: async ({ text }) => ({ text: text + letter }) });
  const pass: Hooks = { input: async () => undefined };
  expect(await combineHooks([add('b'), pass, add('c')]).input?.(said)).toMatchObject({ text: 'abc' });
  expect(await combineHooks([pass, pass]).input?.(said)).toBeUndefined();
  const never: Hooks = {
    input: () => {
      throw new Error('asked');
    },
  };
  const handled = { handled: true } as const;
  expect(await combineHooks([{ input: async () => handled }, never]).input?.(said)).toBe(handled);
});

test('a run: all messages, and the system prompt as it grows', async () => {
  const add = (letter: string): Hooks => ({
    beforeRun: async ({ systemPrompt }) => ({
      systemPrompt: systemPrompt + letter,
      messages: [{ role: 'custom', customType: letter, content: letter, display: true, timestamp: 0 }],
    }),
  });
  const sum = await combineHooks([add('b'), add('c')]).beforeRun?.({
    prompt: 'p',
    images: [],
    systemPrompt: 'a',
    sources: { cwd: '/project', tools: [], contextFiles: [], skills: [] },
  });
  expect(sum?.systemPrompt).toBe('abc');
  expect(sum?.messages?.map((message) => message.customType)).toEqual(['b', 'c']);
});

test('a tool call: changes add up, the first objection stops', async () => {
  const more: Hooks = { toolCall: async ({ input }) => ({ input: { n: Number(input.n) + 1 } }) };
  const block: Hooks = { toolCall: async ({ input }) => ({ block: true, reason: `no ${input.n}` }) };
  expect(await combineHooks([more, more]).toolCall?.(call)).toEqual({ input: { n: 3 } });
  expect(await combineHooks([more, block, more]).toolCall?.(call)).toEqual({ block: true, reason: 'no 2' });
});

test('a result: later changes are laid over earlier ones', async () => {
  const finished = { ...call, content: [], details: undefined, isError: false };
  const hooks = combineHooks([
    { toolResult: async () => ({ isError: true, details: 1 }) },
    { toolResult: async ({ isError }) => ({ details: isError }) },
  ]);
  expect(await hooks.toolResult?.(finished)).toEqual({ isError: true, details: true });
});

test('the first cancel counts, and nobody is asked after it', async () => {
  const asked: string[] = [];
  const one = (name: string, cancel: boolean): Hooks => ({
    beforeSwitch: async () => {
      asked.push(name);
      return { cancel };
    },
  });
  const hooks = combineHooks([one('a', false), one('b', true), one('c', true)]);
  expect(await hooks.beforeSwitch?.({ reason: 'new' })).toEqual({ cancel: true });
  expect(asked).toEqual(['a', 'b']);
});

test('everybody is told, one after another', async () => {
  const told: string[] = [];
  const one = (name: string): Hooks => ({
    async observe() {
      told.push(`${name} begins`);
      await Promise.resolve();
      told.push(`${name} ends`);
    },
  });
  await combineHooks([one('a'), one('b')]).observe?.({ type: 'session_shutdown' });
  expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});
