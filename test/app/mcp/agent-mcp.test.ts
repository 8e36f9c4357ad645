// MCP servers in a complete agent: when they are started, what the model gets of them, trust, approvals, prompts, resources, sampling.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AgentOptions } from '../../../src/app/agent-options.ts';
import { createAgent } from '../../../src/app/create-agent.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import type { HostUi, UiQuestion } from '../../../src/contracts/index.ts';
import { type AgentEvent, extractText } from '../../../src/protocol/index.ts';
import { defaultSettings, type SettingValues } from '../../../src/settings/settings-table.ts';
import { createScriptedModels, type ScriptStep } from '../../../src/testing/index.ts';
import { defineTool } from '../../mcp/mcp-fixture.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { waitUntil } from '../../support/wait-until.ts';

const SCRIPT = join(import.meta.dirname, '../../mcp/scripted-server.mjs');
type Script = Readonly<Record<string, unknown>>;

const listTools = (...tools: Record<string, unknown>[]) => ({ lists: { tools: [tools] } });
const ECHO = listTools(defineTool('echo'));

const defineServer = (script: Script) => ({ command: process.execPath, args: [SCRIPT, JSON.stringify(script)] });
const defineFile = (servers: Readonly<Record<string, Script>>) =>
  JSON.stringify({
    mcpServers: Object.fromEntries(Object.entries(servers).map(([name, script]) => [name, defineServer(script)])),
  });

interface OpenOptions {
  readonly servers?: Readonly<Record<string, Script>>;
  /** Files by path: `home/…` or `project/…`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly script?: readonly ScriptStep[];
  readonly settings?: Partial<SettingValues>;
  readonly options?: Partial<AgentOptions>;
}

async function open({ servers, files = {}, script = [{ text: 'ok' }], settings = {}, options = {} }: OpenOptions) {
  const root = createTemporaryDirectory();
  const all = { ...(servers ? { 'home/mcp.json': defineFile(servers) } : {}), 'project/a.txt': '', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const models = createScriptedModels([...script], { now: () => 0 });
  const agent = await createAgent({
    cwd: join(root, 'project'),
    agentDirectory: join(root, 'home'),
    home: root,
    persist: false,
    ports: createSystemPorts({}),
    settings: { ...defaultSettings, ...settings },
    models,
    ...options,
  });
  onTestFinished(() => agent.close());
  const { session } = agent;
  const events: AgentEvent[] = [];
  session.subscribe((event) => void (event.type === 'message_update' || events.push(event)));
  return {
    ...{ agent, session, models, root, events },
    prompt: (message: string) => session.runs.prompt({ message, onAccepted() {} }),
    offered: () => models.requests.at(-1)?.tools.map(({ name }) => name) ?? [],
    notices: () => events.flatMap((event) => (event.type === 'notice' ? [event.message] : [])),
    results: () => session.history.messages().flatMap((message) => (message.role === 'toolResult' ? [message] : [])),
  };
}

const call = (name: string, args: Record<string, unknown> = {}): ScriptStep[] => [
  { calls: [{ name, arguments: args }] },
  { text: 'done' },
];

describe('servers', () => {
  test('are started with the first prompt and not before, and their tools can be called', async () => {
    const root = createTemporaryDirectory();
    const record = join(root, 'record');
    const { prompt, session, offered, results, events } = await open({
      servers: { one: { ...ECHO, record } },
      script: call('mcp__one__echo', { a: 1 }),
    });
    await session.tools.listAll();
    await session.listSlashCommands();
    expect(existsSync(record)).toBe(false);
    await prompt('go');
    expect(offered()).toContain('mcp__one__echo');
    expect(results()).toMatchObject([{ toolName: 'mcp__one__echo', content: [{ text: '{"a":1}' }], isError: false }]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_execution_start', toolName: 'mcp__one__echo' }),
    );
  });

  test('report a failure once, and the others work', async () => {
    const { prompt, offered, notices, session } = await open({
      servers: { good: ECHO, bad: { exit: 3, stderr: 'no licence' } },
      script: [{ text: 'a' }, { text: 'b' }],
    });
    await prompt('1');
    await prompt('2');
    expect(offered()).toContain('mcp__good__echo');
    expect(notices().filter((message) => message.includes('bad'))).toHaveLength(1);
    expect(await session.listMcpServers()).toMatchObject([
      { name: 'good', state: 'connected', toolCount: 1 },
      { name: 'bad', problem: expect.any(String) },
    ]);
  });

  test('a silent server delays the first request by mcp.startupTimeout at most', async () => {
    const { prompt, offered } = await open({
      servers: { good: ECHO, slow: { silent: true } },
      settings: { 'mcp.startupTimeout': 1500 },
    });
    await prompt('1');
    expect(offered()).toContain('mcp__good__echo');
  });

  test('changed lists are part of the next request, and equal lists do not change the prefix', async () => {
    const changed = { tools: [[defineTool('change'), defineTool('new')]] };
    const { prompt, session, models } = await open({
      servers: { one: { ...listTools(defineTool('change')), capabilities: { tools: { listChanged: true } } } },
      script: [{ text: 'a' }, ...call('mcp__one__change', { lists: changed }), { text: 'b' }],
    });
    await prompt('1');
    await prompt('2');
    await waitUntil(async () => (await session.tools.listAll()).some(({ name }) => name === 'mcp__one__new'));
    await prompt('3');
    const prefixes = models.requests.map(({ systemPrompt, tools }) => JSON.stringify([systemPrompt, tools]));
    expect(prefixes[1]).toBe(prefixes[0]);
    expect(prefixes.at(-1)).not.toBe(prefixes[0]);
    expect(prefixes.at(-1)).toContain('mcp__one__new');
  });

  test('are not used with mcp.enabled false, when disabled by name, or when --tools names none of their tools', async () => {
    const used = async (settings: Partial<SettingValues>, options: Partial<AgentOptions> = {}) => {
      const { prompt, offered, session } = await open({ servers: { one: ECHO, two: ECHO }, settings, options });
      await prompt('1');
      return { tools: offered().filter((name) => name.startsWith('mcp')), session };
    };
    expect((await used({})).tools).toEqual(['mcp__one__echo', 'mcp__two__echo']);
    expect((await used({ 'mcp.enabled': false })).tools).toEqual([]);
    expect((await used({ 'mcp.disabledServers': ['one'] })).tools).toEqual(['mcp__two__echo']);
    expect((await used({}, { toolNames: ['read'] })).tools).toEqual([]);
    expect((await used({}, { toolNames: ['read', 'mcp__one'] })).tools).toEqual(['mcp__one__echo']);
    expect((await used({}, { excludedTools: ['mcp__one__echo'] })).tools).toEqual(['mcp__two__echo']);
    expect((await used({}, { excludedTools: ['mcp__two'] })).tools).toEqual(['mcp__one__echo']);
    expect((await used({}, { features: { subAgents: true, skills: true, mcp: false } })).tools).toEqual([]);
  });

  test('are used by subagents, which find them in the same way', async () => {
    const task = { agent: 'task', tasks: [{ id: 'One', description: 'echo', assignment: 'Echo.' }] };
    const { prompt, models } = await open({
      servers: { one: ECHO },
      settings: { 'mcp.maxInlineTools': 0 },
      script: [
        { calls: [{ name: 'task', arguments: task }] },
        { calls: [{ name: 'call_tool', arguments: { name: 'mcp__one__echo', arguments: { a: 1 } } }] },
        { text: 'subagent done' },
        { text: 'done' },
      ],
    });
    await prompt('go');
    expect(models.requests[1]?.systemPrompt).toContain('mcp__one__ echo');
    expect(models.requests[2]?.messages.at(-1)).toMatchObject({ role: 'toolResult', content: [{ text: '{"a":1}' }] });
  });

  test('end with their session, also if the project was trusted in the meantime', async () => {
    const { prompt, agent, results, session } = await open({
      servers: { one: listTools(defineTool('env')) },
      script: call('mcp__one__env'),
    });
    await prompt('go');
    const { pid } = JSON.parse(extractText(results()[0]?.content ?? []));
    await agent.resourceLocator.trust();
    await session.close();
    await waitUntil(() => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    });
  });

  test('names of tools that no server has are reported', async () => {
    const { prompt, notices } = await open({ servers: { one: ECHO }, options: { excludedTools: ['mcp__one__eco'] } });
    await prompt('1');
    expect(notices()).toContain('--exclude-tools mcp__one__eco: no MCP server has this tool');
  });
});

describe('trust', () => {
  test('the servers of a project are used from the prompt on after it was trusted', async () => {
    const record = join(createTemporaryDirectory(), 'record');
    const { prompt, agent, offered } = await open({
      servers: { user: ECHO },
      files: { 'project/.mcp.json': defineFile({ shared: { ...ECHO, record } }) },
      script: [{ text: 'a' }, { text: 'b' }],
    });
    await prompt('1');
    expect([offered().filter((name) => name.startsWith('mcp')), existsSync(record)]).toEqual([
      ['mcp__user__echo'],
      false,
    ]);
    await agent.resourceLocator.trust();
    await prompt('2');
    expect(offered().filter((name) => name.startsWith('mcp'))).toEqual(['mcp__shared__echo', 'mcp__user__echo']);
  });
});

describe('many tools', () => {
  const many = listTools(
    defineTool('echo', { description: 'Repeats its input.' }),
    ...Array.from({ length: 24 }, (_, n) => defineTool(`t${n}`)),
  );
  const callEcho = call('call_tool', { name: 'mcp__one__echo', arguments: { a: 1 } });

  test('are found with find_tools and called with call_tool', async () => {
    const script = [...call('find_tools', { query: 'repeat' }).slice(0, 1), ...callEcho];
    const { prompt, offered, results, events, models } = await open({ servers: { one: many }, script });
    await prompt('go');
    expect(offered().filter((name) => /mcp|_tool/.test(name))).toEqual(['find_tools', 'call_tool']);
    expect(models.requests[0]?.systemPrompt).toContain('mcp__one__ echo: Repeats its input.; t0');
    expect(results().map(({ content }) => extractText(content))).toEqual([
      'mcp__one__echo\nRepeats its input.\nparameters: {"type":"object"}',
      '{"a":1}',
    ]);
    const started = events.flatMap((event) =>
      event.type === 'tool_execution_start' ? [[event.toolName, event.args]] : [],
    );
    expect(started[1]).toEqual(['mcp__one__echo', { a: 1 }]);
  });

  test('an approval shows the tool that is called', async () => {
    const questions: UiQuestion[] = [];
    const host: HostUi = {
      async ask(question) {
        questions.push(question);
        return { value: 'deny' };
      },
      show() {},
      closed: new Promise(() => {}),
    };
    const { prompt, agent, results } = await open({
      servers: { one: many },
      script: callEcho,
      settings: { approval: 'on-execute' },
    });
    agent.hub.connect(
      () => {},
      () => host,
    );
    await prompt('go');
    const message = expect.stringMatching(/^mcp__one__echo \{"a":1\}\n/);
    expect(questions).toMatchObject([{ title: 'Allow mcp__one__echo?', message }]);
    expect(results()).toMatchObject([{ isError: true }]);
  });
});

describe('prompts and resources', () => {
  const servers = {
    docs: {
      lists: {
        prompts: [[{ name: 'ask', arguments: [{ name: 'question', required: true }] }]],
        resources: [[{ uri: 'doc:///a', name: 'A', mimeType: 'text/plain' }]],
        tools: [[defineTool('echo')]],
      },
      replies: {
        'prompts/get': { result: { messages: [{ role: 'user', content: { type: 'text', text: 'Expanded.' } }] } },
        'resources/read': { result: { contents: [{ uri: 'doc:///a', text: 'one\ntwo' }] } },
      },
    },
  };

  test('a prompt is a slash command, which is announced', async () => {
    const { prompt, session, models, events } = await open({ servers, script: [{ text: 'a' }, { text: 'b' }] });
    await prompt('/mcp__docs__ask why');
    expect(models.requests[0]?.messages.map(({ content }) => extractText(content))).toEqual(['Expanded.']);
    expect(await session.listSlashCommands()).toMatchObject([{ name: 'mcp__docs__ask', source: 'prompt' }]);
    await waitUntil(() => events.some(({ type }) => type === 'available_commands_update'));
    await expect(prompt('/mcp__docs__ask')).rejects.toThrow('/mcp__docs__ask needs question');
  });

  test('resources are listed and read with the read tool', async () => {
    const script = [
      {
        calls: [
          { name: 'read', arguments: { path: 'mcp://docs/' } },
          { name: 'read', arguments: { path: 'mcp://docs/doc:///a', offset: 2 } },
          { name: 'read', arguments: { path: 'mcp://other/' } },
        ],
      },
      { text: 'ok' },
    ];
    const { prompt, results } = await open({ servers, script });
    await prompt('go');
    expect(results().map(({ content }) => extractText(content))).toEqual([
      'mcp://docs/doc:///a  A, text/plain',
      'two',
      expect.stringContaining('There is no MCP server "other". Servers: docs'),
    ]);
  });
});

describe('sampling', () => {
  const message = { role: 'user', content: { type: 'text', text: 'Name a colour.' } };
  const sampled: ScriptStep[] = [
    {
      calls: [
        {
          name: 'mcp__one__ask',
          arguments: { method: 'sampling/createMessage', params: { messages: [message], maxTokens: 50 } },
        },
      ],
    },
    { text: 'Blue.', usage: { input: 100, output: 20 } },
    { text: 'done' },
  ];
  const servers = { one: listTools(defineTool('ask')) };

  test('is refused without the setting', async () => {
    const { prompt, results, models } = await open({ servers, script: [sampled[0] as ScriptStep, { text: 'done' }] });
    await prompt('go');
    expect(extractText(results()[0]?.content ?? [])).toContain('-32601');
    expect(models.requests).toHaveLength(2);
  });

  test('uses the model and the budget of the session', async () => {
    const settings = { 'mcp.sampling': true, 'task.budget.maxOutputTokens': 10 };
    const { prompt, results, models, events } = await open({ servers, script: sampled, settings });
    await prompt('go');
    expect(models.requests[1]).toMatchObject({ tools: [], maxTokens: 50 });
    expect(extractText(results()[0]?.content ?? [])).toContain('"text":"Blue."');
    expect(events).toContainEqual(expect.objectContaining({ type: 'budget_exceeded' }));
  });

  test.each(['setting', 'session'] as const)(
    'is refused when the user denies it: the policy is that of the %s',
    async (by) => {
      const settings = { 'mcp.sampling': true, ...(by === 'setting' ? { approval: 'always' as const } : {}) };
      const allow: HostUi = {
        ask: async ({ method }) => (method === 'select' ? { value: 'allow' } : { confirmed: false }),
        show() {},
        closed: new Promise(() => {}),
      };
      const { prompt, agent, models, results } = await open({
        servers,
        script: [sampled[0] as ScriptStep, { text: 'done' }],
        settings,
      });
      if (by === 'session') agent.session.approval.policy = 'always';
      agent.hub.connect(
        () => {},
        () => allow,
      );
      await prompt('go');
      expect(models.requests).toHaveLength(2);
      expect(extractText(results()[0]?.content ?? [])).toContain('does not allow');
    },
  );
});
