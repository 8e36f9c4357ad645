// The agent inside the program that uses it: the same events as on the wire, with tools and models of one's own.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { number, object } from 'valibot';
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import {
  type AgentEvent,
  type AgentMessage,
  type AgentSession,
  type AgentSessionHandle,
  type AgentSessionOptions,
  createAgentSession,
  Fault,
  type Model,
  type Tool,
  textOf,
  tool,
} from '../../src/app/sdk.ts';
import { createFakeClock, createScriptedModels, type ScriptStep, scriptedModel } from '../../src/testing/index.ts';
import { startMemoryAgent } from '../client/memory-agent.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const add = tool({
  name: 'add',
  doc: 'Add two numbers.',
  effect: 'read',
  params: object({ a: number(), b: number() }),
  run: async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
});

interface Opened extends AgentSessionHandle {
  readonly home: string;
}

async function open(options: AgentSessionOptions = {}, settings?: string): Promise<Opened> {
  const home = temporaryDirectory();
  if (settings !== undefined) writeFileSync(join(home, 'settings.json'), settings);
  const handle = await createAgentSession({ cwd: temporaryDirectory(), agentDirectory: home, ...options });
  onTestFinished(() => handle.close());
  return Object.assign(handle, { home });
}

test('types', () => {
  expectTypeOf(createAgentSession).returns.resolves.toEqualTypeOf<AgentSessionHandle>();
  expectTypeOf<AgentSessionHandle['session']>().toEqualTypeOf<AgentSession>();
  expectTypeOf<AgentSessionHandle['prompt']>().returns.resolves.toEqualTypeOf<AgentMessage[]>();
  expectTypeOf(add).toExtend<Tool>();
  expectTypeOf(add.run).parameter(0).toEqualTypeOf<{ a: number; b: number }>();
  expectTypeOf<AgentSession['models']['current']>().toEqualTypeOf<Model | null>();
});

test('with nothing but a prompt: the offline model answers, and the session is kept', async () => {
  const { prompt, session, home } = await open();
  const messages = await prompt('Hello');
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant']);
  expect(session.file?.startsWith(join(home, 'sessions'))).toBe(true);
  expect(readdirSync(join(home, 'sessions'))).toHaveLength(1);
});

test('a tool and a model of one’s own', async () => {
  const script = [{ calls: [{ name: 'add', arguments: { a: 2, b: 3 } }] }, { text: 'Five.' }];
  const models = createScriptedModels(script);
  const { prompt, session } = await open({ models, tools: [add], toolNames: ['add', 'read'], persist: false });
  const messages = await prompt('What is 2 + 3?');
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
  expect(messages[2]).toMatchObject({ toolName: 'add', content: [{ type: 'text', text: '5' }], isError: false });
  expect(models.requests[0]?.tools.map((offer) => offer.name)).toEqual(['add', 'read']);
  expect(session.models.current).toEqual(scriptedModel);
});

test('the events are those of the wire, which does not say how long a tool took', async () => {
  const script: ScriptStep[] = [
    { thinking: 'Hm', text: ['Let', ' me'], calls: [{ name: 'add', arguments: { a: 1, b: 1 } }] },
    { text: 'Two.' },
    { error: '400 no more' },
  ];
  const prompts = ['What is 1 + 1?', 'And 2 + 2?'];

  const { client } = await startMemoryAgent({ script, tools: [add] });
  const onTheWire: AgentEvent[] = [];
  client.on((event) => onTheWire.push(event));
  for (const message of prompts) await client.promptAndWait(message);

  const clock = createFakeClock();
  const models = createScriptedModels(script, { now: () => clock.now() });
  const { subscribe, prompt } = await open({ models, tools: [add], persist: false, ports: { clock } });
  const inProcess: AgentEvent[] = [];
  // The growing message is one object; what it was at the time has to be copied.
  subscribe((event) => void inProcess.push(structuredClone(event)));
  for (const message of prompts) await prompt(message);

  expect(new Set(onTheWire.map((event) => event.type)).size).toBeGreaterThan(8);
  const told = inProcess.map((event) => ({ ...event, durationMs: undefined }));
  expect(told).toEqual(onTheWire);
});

describe('subscribers', () => {
  test('stop, and may hold the run up', async () => {
    const { subscribe, prompt, session } = await open({
      models: createScriptedModels([{ text: 'one' }, { text: 'two' }]),
      persist: false,
    });
    const seen: string[] = [];
    let mayGoOn = () => {};
    const stop = subscribe((event) => {
      seen.push(event.type);
      if (event.type !== 'turn_start') return undefined;
      return new Promise<void>((resolve) => {
        mayGoOn = resolve;
        seen.push('held');
      });
    });
    const first = prompt('first');
    session.subscribe((event) => {
      if (event.type === 'turn_start') setImmediate(() => mayGoOn());
    });
    await first;
    expect(seen.slice(0, 4)).toEqual(['agent_start', 'turn_start', 'held', 'message_start']);
    const before = seen.length;
    stop();
    await prompt('second');
    expect(seen).toHaveLength(before);
  });
});

describe('in memory', () => {
  test('nothing is written', async () => {
    const { prompt, session, home } = await open({ models: createScriptedModels([{ text: 'ok' }]), persist: false });
    await prompt('Hello');
    expect(session.file).toBeUndefined();
    expect(session.history.messages()).toHaveLength(2);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('prompts', () => {
  test('during a run they are refused, or queued and done with it', async () => {
    const models = createScriptedModels([{ text: 'one', hold: 'go' }, { text: 'two' }]);
    const { prompt } = await open({ models, persist: false });
    const first = prompt('first');
    await models.reached('go');
    await expect(prompt('no')).rejects.toBeInstanceOf(Fault);
    const second = prompt({ message: 'second', streamingBehavior: 'followUp' });
    models.release('go');
    expect((await second).map((message) => message.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(await first).toEqual(await second);
  });

  test('a failing model is a message, not an exception', async () => {
    const { prompt } = await open({ models: createScriptedModels([{ error: '400 no' }]), persist: false });
    expect((await prompt('Hello')).at(-1)).toMatchObject({ stopReason: 'error', errorMessage: '400 no' });
  });

  test('images go along', async () => {
    const models = createScriptedModels([{ text: 'a dot' }]);
    const { prompt } = await open({ models, persist: false });
    await prompt({ message: 'What?', images: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }] });
    expect(models.requests[0]?.messages[0]?.content).toContainEqual(expect.objectContaining({ data: 'iVBORw0KGgo=' }));
  });
});

describe('options', () => {
  test('the settings file gives the defaults, options go before it, and what is wrong is told', async () => {
    const problems: string[] = [];
    const { session } = await open(
      { settings: { followUpMode: 'all' }, onProblem: (sentence) => problems.push(sentence) },
      '{ "steeringMode": "all", "followUpMode": "one-at-a-time", "interruptMode": "never" }',
    );
    expect(session.state()).toMatchObject({ steeringMode: 'all', followUpMode: 'all', interruptMode: 'immediate' });
    expect(problems).toEqual([
      expect.stringContaining('interruptMode must be'),
      expect.stringContaining('so the offline model answers'),
    ]);
  });

  test('system prompt, name, thinking, session directory', async () => {
    const directory = temporaryDirectory();
    const models = createScriptedModels([{ text: 'ok' }]);
    const { session, prompt } = await open({
      models,
      systemPrompt: 'You are a parrot.',
      name: 'Polly',
      thinkingLevel: 'high',
      sessionDirectory: directory,
    });
    await prompt('Hello');
    expect(models.requests[0]).toMatchObject({ thinkingLevel: 'high' });
    expect(models.requests[0]?.systemPrompt).toMatch(/^You are a parrot\./);
    expect(session.naming.name).toBe('Polly');
    expect(readdirSync(directory).filter((name) => name.endsWith('.jsonl'))).toHaveLength(1);
  });

  test('a model is chosen among those that were brought along', async () => {
    const other = { ...scriptedModel, id: 'other', name: 'Other' };
    const models = createScriptedModels([{ text: 'I am other' }], { models: [scriptedModel, other] });
    const { session, prompt } = await open({ models, model: 'other', persist: false });
    expect(session.models.current?.id).toBe('other');
    const answer = (await prompt('Who?')).at(-1);
    expect(answer?.role === 'assistant' && textOf(answer.content)).toBe('I am other');
    expect(models.requests[0]?.model.id).toBe('other');
    await expect(open({ models, model: 'third' })).rejects.toThrow('Model not found: third');
  });

  test('what does not exist is refused by name', async () => {
    await expect(open({ cwd: '/nowhere/at/all' })).rejects.toThrow('Working directory does not exist: /nowhere/at/all');
    await expect(open({ toolNames: ['fly'] })).rejects.toThrow('Unknown tool: fly');
    await expect(open({ model: 'no-such-model' })).rejects.toThrow('Model not found: no-such-model');
  });
});

test('close ends what runs', async () => {
  const models = createScriptedModels([{ text: 'long', hold: 'for ever' }]);
  const { prompt, close } = await open({ models, persist: false });
  const running = prompt('Hello');
  await models.reached('for ever');
  await close();
  expect((await running).at(-1)).toMatchObject({ role: 'assistant', stopReason: 'aborted' });
});
