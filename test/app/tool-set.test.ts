// The tools of an agent depend on settings, on the names that are passed, and on whether a host is connected.
import { expect, onTestFinished, test } from 'vitest';
import type { AgentOptions } from '../../src/app/agent-options.ts';
import { createAgent } from '../../src/app/create-agent.ts';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { createToolSet } from '../../src/app/tool-set.ts';
import type { HostUi, Tool } from '../../src/contracts/index.ts';
import { defaultSettings, type SettingValues } from '../../src/settings/settings-table.ts';
import { createScriptedModels } from '../../src/testing/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

async function createAgentWith(settings: Partial<SettingValues>, extraOptions: Partial<AgentOptions> = {}) {
  const models = createScriptedModels([], { now: () => 0 });
  const agent = await createAgent({
    cwd: createTemporaryDirectory(),
    agentDirectory: createTemporaryDirectory(),
    home: createTemporaryDirectory(),
    persist: false,
    ports: createSystemPorts({}),
    settings: { ...defaultSettings, ...settings },
    models,
    ...extraOptions,
  });
  onTestFinished(() => agent.close());
  const listActiveTools = async () => (await agent.session.tools.listActive()).map(({ name }) => name);
  return { agent, listActiveTools, models };
}

const silentHost: HostUi = { ask: async () => undefined, show() {}, closed: new Promise(() => {}) };
const BUILT_IN = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls', 'task'];

test('an optional tool is only active when its setting is on', async () => {
  expect(await (await createAgentWith({})).listActiveTools()).toEqual(BUILT_IN);
  expect(await (await createAgentWith({ 'todo.enabled': true })).listActiveTools()).toEqual([
    ...BUILT_IN,
    'todo_write',
  ]);
});

test('the ask tool is only active while a host is connected', async () => {
  const { agent, listActiveTools } = await createAgentWith({ 'ask.enabled': true });
  expect(await listActiveTools()).toEqual(BUILT_IN);
  const disconnect = agent.hub.connect(
    () => {},
    () => silentHost,
  );
  expect(await listActiveTools()).toEqual([...BUILT_IN, 'ask']);
  disconnect();
  expect(await listActiveTools()).toEqual(BUILT_IN);
});

test('a tool that is named is active without its setting, and an unknown name is refused', async () => {
  const { agent, listActiveTools } = await createAgentWith({}, { toolNames: ['ls', 'ask'] });
  agent.hub.connect(
    () => {},
    () => silentHost,
  );
  expect(await listActiveTools()).toEqual(['ls', 'ask']);
  await expect(createAgentWith({}, { toolNames: ['fly'] })).rejects.toThrow(
    'Unknown tool: fly. Available: read, bash,',
  );
});

test('subagents do not get the ask tool', async () => {
  const { agent, models } = await createAgentWith({ 'ask.enabled': true });
  agent.hub.connect(
    () => {},
    () => silentHost,
  );
  const tasks = [{ id: 'One', assignment: 'Look around' }];
  models.add({ calls: [{ id: 'c1', name: 'task', arguments: { agent: 'task', tasks } }] });
  models.add({ text: 'Nothing there.' });
  models.add({ text: 'Done.' });
  await agent.session.runs.prompt({ message: 'go', onAccepted() {} });
  const offered = models.requests.map(({ tools }) => tools.map(({ name }) => name));
  expect(offered[0]).toContain('ask');
  expect(offered[1]).toContain('ls');
  expect(offered[1]).not.toContain('ask');
});

test('after a tool could not be created, the next prompt tries again', async () => {
  const failures = [new Error('EIO: i/o error')];
  const { tools } = await createToolSet({
    ports: createSystemPorts({}),
    settings: defaultSettings,
    toolNames: undefined,
    extraTools: [],
    async task() {
      const failure = failures.pop();
      if (failure) throw failure;
      return { name: 'task' } as Tool;
    },
    extensions: { tools: async () => [], loaded: Promise.resolve(), isEmpty: true },
    host: () => undefined,
    mcp: { tools: [] },
    guard: { getSandbox: async () => undefined },
    resourceLocator: { onTrusted() {} },
  });
  await expect(tools()).rejects.toThrow('EIO');
  expect((await tools()).map(({ name }) => name)).toEqual(BUILT_IN);
});
