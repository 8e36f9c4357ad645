// Modes, config options, and the permissions that follow from them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionConfigOption, SetSessionConfigOptionResponse } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { refusalOf, select } from './acp-host.ts';
import { call, startScriptedHost } from './scripted-host.ts';

const write = (path: string) => call('write', { path, content: path });
const PERMISSION = 'session/request_permission';

test('permissions are asked for with five options, and the answer counts', async () => {
  const answers = ['reject_once', 'allow_once', 'allow_always'];
  const { host, sessionId } = await startScriptedHost({
    replies: ['a', 'b', 'c', 'd'].map((name) => write(`${name}.txt`)),
    handlers: { [PERMISSION]: (params) => select(params, answers.shift() ?? 'reject_once') },
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'ask' });
  expect(await host.prompt(sessionId, 'Write')).toMatchObject({ stopReason: 'end_turn' });
  const requests = host.requests(PERMISSION);
  expect(requests).toHaveLength(3);
  const first = requests[0] as { options: { kind: string }[]; toolCall: { toolCallId: string } };
  expect(first.options.map(({ kind }) => kind).sort()).toEqual([
    'allow_always',
    'allow_always',
    'allow_once',
    'reject_always',
    'reject_once',
  ]);
  const known = host.updates('tool_call').map(({ toolCallId }) => toolCallId);
  expect(known).toContain(first.toolCall.toolCallId);
  expect(JSON.stringify(first.toolCall)).toContain('a.txt');
  const exists = ['a', 'b', 'c', 'd'].map((name) => existsSync(join(host.program.cwd, `${name}.txt`)));
  expect(exists).toEqual([false, true, true, true]);
});

test('reject_always refuses later calls of the tool without a request', async () => {
  const { host, sessionId } = await startScriptedHost({
    replies: [write('a.txt'), write('b.txt')],
    handlers: { [PERMISSION]: (params) => select(params, 'reject_always') },
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'ask' });
  await host.prompt(sessionId, 'Write');
  expect(host.requests(PERMISSION)).toHaveLength(1);
  expect(['a.txt', 'b.txt'].map((name) => existsSync(join(host.program.cwd, name)))).toEqual([false, false]);
});

test.each(['cancelled', 'an unknown option', 'an error'])(
  'a permission that is answered with %s does not run the tool',
  async (kind) => {
    const { host, sessionId } = await startScriptedHost({
      replies: [write('a.txt')],
      handlers: {
        [PERMISSION]() {
          if (kind === 'an error') throw new Error('The dialog failed');
          const selected = { outcome: 'selected', optionId: 'unknown' };
          return { outcome: kind === 'cancelled' ? { outcome: 'cancelled' } : selected };
        },
      },
    });
    await host.agent.request('session/set_mode', { sessionId, modeId: 'ask' });
    expect((await host.prompt(sessionId, 'Write')).stopReason).toMatch(/end_turn|cancelled/);
    expect(existsSync(join(host.program.cwd, 'a.txt'))).toBe(false);
  },
);

test.each([
  ['ask', { edit: 1, bash: 1 }, true],
  ['auto-edit', { edit: 0, bash: 1 }, true],
  ['full', { edit: 0, bash: 0 }, true],
  ['read-only', { edit: 0, bash: 0 }, false],
])('mode %s', async (modeId, asked, runs) => {
  const { host, sessionId } = await startScriptedHost({
    replies: [write('a.txt'), call('bash', { command: 'echo b > b.txt' }), call('ls', { path: '.' })],
  });
  expect(await host.agent.request('session/set_mode', { sessionId, modeId })).toEqual({});
  await host.prompt(sessionId, 'Work');
  const titles = host.requests(PERMISSION).map(({ toolCall }) => JSON.stringify(toolCall));
  expect(titles.filter((text) => text.includes('a.txt'))).toHaveLength(asked.edit);
  expect(titles.filter((text) => text.includes('echo b'))).toHaveLength(asked.bash);
  expect(['a.txt', 'b.txt'].map((name) => existsSync(join(host.program.cwd, name)))).toEqual([runs, runs]);
});

test('an unknown mode is refused and nothing changes', async () => {
  const { host, sessionId } = await startScriptedHost();
  const refusal = await refusalOf(host.agent.request('session/set_mode', { sessionId, modeId: 'reckless' }));
  expect(refusal.code).toBe(-32602);
  expect(JSON.stringify(refusal)).toContain('modeId');
  expect(host.updates('current_mode_update')).toEqual([]);
});

const optionOf = (options: readonly SessionConfigOption[], category: string) => {
  const found = options.find((option) => option.category === category);
  if (found?.type !== 'select') throw new Error(`No select for ${category}`);
  return found;
};

test('config options: the model grouped by provider, the thinking level and the mode', async () => {
  const { host } = await startScriptedHost({ model: { reasoning: true } });
  const { configOptions } = await host.open();
  const model = optionOf(configOptions ?? [], 'model');
  const groups = model.options as { group: string; name: string; options: { value: string }[] }[];
  expect(groups.find(({ group }) => group === 'own')?.options).toHaveLength(1);
  expect(groups.flatMap(({ options }) => options.map(({ value }) => value))).toContain(model.currentValue);
  const levels = optionOf(configOptions ?? [], 'thought_level');
  expect((levels.options as { value: string }[]).map(({ value }) => value)).toContain(levels.currentValue);
  expect(optionOf(configOptions ?? [], 'mode').options).toHaveLength(4);
});

test('set_config_option answers with the complete list, and the change is reported', async () => {
  const { host, sessionId } = await startScriptedHost({ model: { reasoning: true } });
  const { configOptions } = await host.open();
  const level = optionOf(configOptions ?? [], 'thought_level');
  const changed = await host.agent.request('session/set_config_option', {
    sessionId,
    configId: level.id,
    value: 'high',
  });
  expect(changed.configOptions).toHaveLength(configOptions?.length ?? 0);
  expect(optionOf(changed.configOptions, 'thought_level').currentValue).toBe('high');
  const mode = optionOf(configOptions ?? [], 'mode');
  const other = await host.agent.request('session/set_config_option', {
    sessionId,
    configId: mode.id,
    value: 'read-only',
  });
  expect(optionOf(other.configOptions, 'mode').currentValue).toBe('read-only');
  expect(optionOf(other.configOptions, 'thought_level').currentValue).toBe('high');
  // A mode that was set as a config option is the mode.
  await host.waitForUpdate(
    'the mode',
    (update) => update.sessionUpdate === 'current_mode_update' && update.currentModeId === 'read-only',
  );
});

test('set_mode is reported as a config option', async () => {
  const { host, sessionId } = await startScriptedHost();
  await host.agent.request('session/set_mode', { sessionId, modeId: 'read-only' });
  const update = await host.waitForUpdate(
    'the options',
    ({ sessionUpdate }) => sessionUpdate === 'config_option_update',
  );
  expect(optionOf((update as { configOptions: SessionConfigOption[] }).configOptions, 'mode').currentValue).toBe(
    'read-only',
  );
});

test('a model is selected by its option', async () => {
  const { host, sessionId, provider } = await startScriptedHost({
    prepare({ home }) {
      const file = join(home, 'models.json');
      const models = JSON.parse(readFileSync(file, 'utf8'));
      models.providers.own.models.push({ id: 'other/model', name: 'Other' });
      writeFileSync(file, JSON.stringify(models));
    },
  });
  const change = { sessionId, configId: 'model', value: 'own/other/model' };
  const { configOptions } = await host.agent.request<SetSessionConfigOptionResponse>(
    'session/set_config_option',
    change,
  );
  expect(optionOf(configOptions, 'model').currentValue).toBe('own/other/model');
  await host.prompt(sessionId, 'Hi');
  expect(provider.requests[0]?.model).toBe('other/model');
});

test.each([
  ['configId', { configId: 'unknown', value: 'x' }],
  ['value', { configId: 'mode', value: 'reckless' }],
  ['value', { configId: 'model', value: 'no/model' }],
  ['value', { configId: 'mode' }],
  ['value', { configId: 'thinking', value: 'enormous' }],
  ['value', { configId: 'mode', type: 'boolean', value: true }],
])('set_config_option with a wrong %s is refused', async (field, params) => {
  const { host, sessionId } = await startScriptedHost({ sendsInvalid: true });
  const refusal = await refusalOf(host.agent.request('session/set_config_option', { sessionId, ...params } as never));
  expect(refusal.code).toBe(-32602);
  expect(JSON.stringify(refusal)).toContain(field);
});

const prepareProject = ({ cwd }: { cwd: string }) => {
  mkdirSync(join(cwd, '.parley/skills/knit'), { recursive: true });
  writeFileSync(join(cwd, '.parley/skills/knit/SKILL.md'), '---\nname: knit\ndescription: How to knit\n---\nKnit.\n');
};

test.each([
  ['allow_once', true],
  ['reject_once', false],
])('the trust question is asked at the first prompt: %s', async (kind, isTrusted) => {
  const { host, sessionId, provider } = await startScriptedHost({
    prepare: prepareProject,
    handlers: { [PERMISSION]: (params) => select(params, kind) },
  });
  expect(host.requests(PERMISSION)).toEqual([]);
  await host.prompt(sessionId, 'Hi');
  await host.prompt(sessionId, 'Hi again');
  const requests = host.requests(PERMISSION);
  expect(requests).toHaveLength(1);
  expect(JSON.stringify(requests[0])).toContain('.parley');
  expect(JSON.stringify(provider.requests.at(-1)).includes('How to knit')).toBe(isTrusted);
});
