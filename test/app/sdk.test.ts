// SDK: the same events as over RPC, custom tools and custom models.
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
  extractText,
  Fault,
  type Model,
  type Tool,
  tool,
} from '../../src/app/sdk.ts';
import { createFakeClock, createScriptedModels, type ScriptStep, scriptedModel } from '../../src/testing/index.ts';
import { startMemoryAgent } from '../client/memory-agent.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const add = tool({
  name: 'add',
  doc: 'Add two numbers.',
  effect: 'read',
  params: object({ a: number(), b: number() }),
  run: async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
});

interface OpenedSession extends AgentSessionHandle {
  readonly home: string;
}

async function openSession(options: AgentSessionOptions = {}, settings?: string): Promise<OpenedSession> {
  const home = createTemporaryDirectory();
  if (settings !== undefined) writeFileSync(join(home, 'settings.json'), settings);
  const handle = await createAgentSession({ cwd: createTemporaryDirectory(), agentDirectory: home, ...options });
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

test('without options the offline model answers, and the session is saved', async () => {
  const { prompt, session, home } = await openSession();
  const messages = await prompt('Hello');
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant']);
  expect(session.file?.startsWith(join(home, 'sessions'))).toBe(true);
  expect(readdirSync(join(home, 'sessions'))).toHaveLength(1);
});

test('a custom tool and a custom model', async () => {
  const script = [{ calls: [{ name: 'add', arguments: { a: 2, b: 3 } }] }, { text: 'Five.' }];
  const models = createScriptedModels(script);
  const { prompt, session } = await openSession({ models, tools: [add], toolNames: ['add', 'read'], persist: false });
  const messages = await prompt('What is 2 + 3?');
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
  expect(messages[2]).toMatchObject({ toolName: 'add', content: [{ type: 'text', text: '5' }], isError: false });
  expect(models.requests[0]?.tools.map((offeredTool) => offeredTool.name)).toEqual(['add', 'read']);
  expect(session.models.current).toEqual(scriptedModel);
});

test('sends the same events as over RPC, which omits the duration of tools', async () => {
  const script: ScriptStep[] = [
    { thinking: 'Hm', text: ['Let', ' me'], calls: [{ name: 'add', arguments: { a: 1, b: 1 } }] },
    { text: 'Two.' },
    { error: '400 no more' },
  ];
  const prompts = ['What is 1 + 1?', 'And 2 + 2?'];

  const { client } = await startMemoryAgent({ script, tools: [add] });
  const rpcEvents: AgentEvent[] = [];
  client.onEvent((event) => rpcEvents.push(event));
  for (const message of prompts) await client.promptAndWait(message);

  const clock = createFakeClock();
  const models = createScriptedModels(script, { now: () => clock.now() });
  const { subscribe, prompt } = await openSession({ models, tools: [add], persist: false, ports: { clock } });
  const sdkEvents: AgentEvent[] = [];
  // The partial message is one object that changes, so each event is copied.
  subscribe((event) => void sdkEvents.push(structuredClone(event)));
  for (const message of prompts) await prompt(message);

  expect(new Set(rpcEvents.map((event) => event.type)).size).toBeGreaterThan(8);
  const eventsWithoutDuration = sdkEvents.map((event) => ({ ...event, durationMs: undefined }));
  expect(eventsWithoutDuration).toEqual(rpcEvents);
});

describe('subscribers', () => {
  test('can unsubscribe, and can delay the run with a promise', async () => {
    const { subscribe, prompt, session } = await openSession({
      models: createScriptedModels([{ text: 'one' }, { text: 'two' }]),
      persist: false,
    });
    const received: string[] = [];
    let resume = () => {};
    const stop = subscribe((event) => {
      received.push(event.type);
      if (event.type !== 'turn_start') return undefined;
      return new Promise<void>((resolve) => {
        resume = resolve;
        received.push('held');
      });
    });
    const first = prompt('first');
    session.subscribe((event) => {
      if (event.type === 'turn_start') setImmediate(() => resume());
    });
    await first;
    expect(received.slice(0, 4)).toEqual(['agent_start', 'turn_start', 'held', 'message_start']);
    const before = received.length;
    stop();
    await prompt('second');
    expect(received).toHaveLength(before);
  });
});

describe('without persistence', () => {
  test('no files are written', async () => {
    const { prompt, session, home } = await openSession({
      models: createScriptedModels([{ text: 'ok' }]),
      persist: false,
    });
    await prompt('Hello');
    expect(session.file).toBeUndefined();
    expect(session.history.messages()).toHaveLength(2);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('prompts', () => {
  test('during a run a prompt is refused, or queued and handled by that run', async () => {
    const models = createScriptedModels([{ text: 'one', hold: 'go' }, { text: 'two' }]);
    const { prompt } = await openSession({ models, persist: false });
    const first = prompt('first');
    await models.waitForHold('go');
    await expect(prompt('no')).rejects.toBeInstanceOf(Fault);
    const second = prompt({ message: 'second', streamingBehavior: 'followUp' });
    models.release('go');
    expect((await second).map((message) => message.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(await first).toEqual(await second);
  });

  test('a model error is returned as a message, not thrown', async () => {
    const { prompt } = await openSession({ models: createScriptedModels([{ error: '400 no' }]), persist: false });
    expect((await prompt('Hello')).at(-1)).toMatchObject({ stopReason: 'error', errorMessage: '400 no' });
  });

  test('images are sent to the model', async () => {
    const models = createScriptedModels([{ text: 'a dot' }]);
    const { prompt } = await openSession({ models, persist: false });
    await prompt({ message: 'What?', images: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }] });
    expect(models.requests[0]?.messages[0]?.content).toContainEqual(expect.objectContaining({ data: 'iVBORw0KGgo=' }));
  });
});

describe('options', () => {
  test('options override the settings file, and invalid settings are reported', async () => {
    const problems: string[] = [];
    const { session } = await openSession(
      { settings: { followUpMode: 'all' }, onProblem: (sentence) => problems.push(sentence) },
      '{ "steeringMode": "all", "followUpMode": "one-at-a-time", "interruptMode": "never" }',
    );
    expect(session.state()).toMatchObject({ steeringMode: 'all', followUpMode: 'all', interruptMode: 'immediate' });
    expect(problems).toEqual([
      expect.stringContaining('interruptMode must be'),
      expect.stringContaining('so the offline model is used'),
    ]);
  });

  test('uses system prompt, name, thinking level and session directory', async () => {
    const directory = createTemporaryDirectory();
    const models = createScriptedModels([{ text: 'ok' }]);
    const { session, prompt } = await openSession({
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

  test('selects a model of a custom registry by name', async () => {
    const other = { ...scriptedModel, id: 'other', name: 'Other' };
    const models = createScriptedModels([{ text: 'I am other' }], { models: [scriptedModel, other] });
    const { session, prompt } = await openSession({ models, model: 'other', persist: false });
    expect(session.models.current?.id).toBe('other');
    const answer = (await prompt('Who?')).at(-1);
    expect(answer?.role === 'assistant' && extractText(answer.content)).toBe('I am other');
    expect(models.requests[0]?.model.id).toBe('other');
    await expect(openSession({ models, model: 'third' })).rejects.toThrow('Model not found: third');
  });

  test('an unknown directory, tool or model is refused with its name', async () => {
    await expect(openSession({ cwd: '/nowhere/at/all' })).rejects.toThrow(
      'Working directory does not exist: /nowhere/at/all',
    );
    await expect(openSession({ toolNames: ['fly'] })).rejects.toThrow('Unknown tool: fly');
    await expect(openSession({ model: 'no-such-model' })).rejects.toThrow('Model not found: no-such-model');
  });
});

test('close aborts the current run', async () => {
  const models = createScriptedModels([{ text: 'long', hold: 'for ever' }]);
  const { prompt, close } = await openSession({ models, persist: false });
  const running = prompt('Hello');
  await models.waitForHold('for ever');
  await close();
  expect((await running).at(-1)).toMatchObject({ role: 'assistant', stopReason: 'aborted' });
});
