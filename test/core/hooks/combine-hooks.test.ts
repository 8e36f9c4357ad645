// combineHooks: order of calls, early stops, and no hook if no source defines it.
import { expect, test } from 'vitest';
import type { Hooks, PlannedToolCall, SubmittedInput } from '../../../src/contracts/index.ts';
import { combineHooks } from '../../../src/core/hooks/combine-hooks.ts';

const { signal } = new AbortController();
const submittedInput: SubmittedInput = { text: 'a', images: [], via: 'prompt', source: 'rpc', signal };
const call: PlannedToolCall = {
  toolCallId: '1',
  toolName: 't',
  effect: 'read',
  input: { n: 1 },
  signal,
  cwd: '/',
  listSubjects: () => [],
  isEscalated: () => false,
  previewDiff: async () => undefined,
};

test('a hook is undefined if no source defines it', () => {
  expect(combineHooks([])).toEqual({});
  const two = combineHooks([{}, {}]);
  expect([two.input, two.toolCall, two.context, two.onLifecycleEvent, two.beforeMove]).toEqual([...new Array(5)]);
});

test('a source can add a hook later', async () => {
  const source: { input?: Hooks['input'] } = {};
  const combined = combineHooks([{}, source]);
  expect(combined.input).toBeUndefined();
  source.input = async () => ({ text: 'b' });
  expect(await combined.input?.(submittedInput)).toEqual({ text: 'b' });
});

test('input: each hook gets the text of the previous one, and a hook that handles the input ends the chain', async () => {
  const add = (letter: string): Hooks => ({ input: async ({ text }) => ({ text: text + letter }) });
  const pass: Hooks = { input: async () => undefined };
  expect(await combineHooks([add('b'), pass, add('c')]).input?.(submittedInput)).toMatchObject({ text: 'abc' });
  expect(await combineHooks([pass, pass]).input?.(submittedInput)).toBeUndefined();
  const never: Hooks = {
    input: () => {
      throw new Error('called');
    },
  };
  const handled = { handled: true } as const;
  expect(await combineHooks([{ input: async () => handled }, never]).input?.(submittedInput)).toBe(handled);
});

test('beforeRun: messages are collected, and each hook gets the system prompt of the previous one', async () => {
  const add = (letter: string): Hooks => ({
    beforeRun: async ({ systemPrompt }) => ({
      systemPrompt: systemPrompt + letter,
      messages: [{ role: 'custom', customType: letter, content: letter, display: true, timestamp: 0 }],
    }),
  });
  const merged = await combineHooks([add('b'), add('c')]).beforeRun?.({
    prompt: 'p',
    images: [],
    systemPrompt: 'a',
    sources: { cwd: '/project', tools: [], contextFiles: [], skills: [] },
  });
  expect(merged?.systemPrompt).toBe('abc');
  expect(merged?.messages?.map((message) => message.customType)).toEqual(['b', 'c']);
});

test('toolCall: changes accumulate, and the first block ends the chain', async () => {
  const increment: Hooks = { toolCall: async ({ input }) => ({ input: { n: Number(input.n) + 1 } }) };
  const block: Hooks = { toolCall: async ({ input }) => ({ block: true, reason: `no ${input.n}` }) };
  expect(await combineHooks([increment, increment]).toolCall?.(call)).toEqual({ input: { n: 3 } });
  expect(await combineHooks([increment, block, increment]).toolCall?.(call)).toEqual({ block: true, reason: 'no 2' });
});

test('toolResult: later changes override earlier ones', async () => {
  const finished = { ...call, content: [], details: undefined, isError: false };
  const hooks = combineHooks([
    { toolResult: async () => ({ isError: true, details: 1 }) },
    { toolResult: async ({ isError }) => ({ details: isError }) },
  ]);
  expect(await hooks.toolResult?.(finished)).toEqual({ isError: true, details: true });
});

test('the first cancel ends the chain', async () => {
  const called: string[] = [];
  const createSource = (name: string, cancel: boolean): Hooks => ({
    beforeSwitch: async () => {
      called.push(name);
      return { cancel };
    },
  });
  const hooks = combineHooks([createSource('a', false), createSource('b', true), createSource('c', true)]);
  expect(await hooks.beforeSwitch?.({ reason: 'new' })).toEqual({ cancel: true });
  expect(called).toEqual(['a', 'b']);
});

test('onLifecycleEvent: all hooks are called, one after another', async () => {
  const calls: string[] = [];
  const createSource = (name: string): Hooks => ({
    async onLifecycleEvent() {
      calls.push(`${name} begins`);
      await Promise.resolve();
      calls.push(`${name} ends`);
    },
  });
  await combineHooks([createSource('a'), createSource('b')]).onLifecycleEvent?.({ type: 'session_shutdown' });
  expect(calls).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});
