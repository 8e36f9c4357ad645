// Which tools an agent has: by setting, by name, and whether there is anybody to ask.
import { expect, onTestFinished, test } from 'vitest';
import { type AgentOptions, createAgent } from '../../src/app/compose.ts';
import { defaultSettings, type SettingValues } from '../../src/app/settings-table.ts';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import type { HostUi } from '../../src/contracts/index.ts';
import { createScriptedModels } from '../../src/testing/index.ts';
import { temporaryDirectory } from '../support/temporary.ts';

async function agentWith(settings: Partial<SettingValues>, more: Partial<AgentOptions> = {}) {
  const models = createScriptedModels([], { now: () => 0 });
  const agent = await createAgent({
    cwd: temporaryDirectory(),
    agentDirectory: temporaryDirectory(),
    home: temporaryDirectory(),
    persist: false,
    ports: createSystemPorts({}),
    settings: { ...defaultSettings, ...settings },
    models,
    ...more,
  });
  onTestFinished(() => agent.close());
  const active = async () => (await agent.session.tools.active()).map(({ name }) => name);
  return { agent, active, models };
}

const silent: HostUi = { ask: async () => undefined, show() {}, gone: new Promise(() => {}) };
const BUILT_IN = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls', 'task'];

test('those that a setting adds are not there without it', async () => {
  expect(await (await agentWith({})).active()).toEqual(BUILT_IN);
  expect(await (await agentWith({ 'todo.enabled': true })).active()).toEqual([...BUILT_IN, 'todo_write']);
});

test('nobody is asked where nobody listens', async () => {
  const { agent, active } = await agentWith({ 'ask.enabled': true });
  expect(await active()).toEqual(BUILT_IN);
  const leave = agent.hub.connect(
    () => {},
    () => silent,
  );
  expect(await active()).toEqual([...BUILT_IN, 'ask']);
  leave();
  expect(await active()).toEqual(BUILT_IN);
});

test('a tool that is named is there without its setting, and one that nobody knows is refused', async () => {
  const { agent, active } = await agentWith({}, { toolNames: ['ls', 'ask'] });
  agent.hub.connect(
    () => {},
    () => silent,
  );
  expect(await active()).toEqual(['ls', 'ask']);
  await expect(agentWith({}, { toolNames: ['fly'] })).rejects.toThrow('Unknown tool: fly. Available: read, bash,');
});

test('subagents ask nobody', async () => {
  const { agent, models } = await agentWith({ 'ask.enabled': true });
  agent.hub.connect(
    () => {},
    () => silent,
  );
  const tasks = [{ id: 'One', assignment: 'Look around' }];
  models.add({ calls: [{ id: 'c1', name: 'task', arguments: { agent: 'task', tasks } }] });
  models.add({ text: 'Nothing there.' });
  models.add({ text: 'Done.' });
  await agent.session.runs.prompt({ message: 'go', accepted() {} });
  const offered = models.requests.map(({ tools }) => tools.map(({ name }) => name));
  expect(offered[0]).toContain('ask');
  expect(offered[1]).toContain('ls');
  expect(offered[1]).not.toContain('ask');
});
