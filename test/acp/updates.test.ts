// `session/update`: tool calls, plan, commands, usage, titles, compaction, notices, subagents.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AcpHost, startHost } from './acp-host.ts';
import { call, startScriptedHost } from './scripted-host.ts';

/** The fields of a tool call after all of its updates. */
function toolCall(host: AcpHost, toolCallId?: string): Record<string, unknown> {
  const [first, ...others] = host.updates('tool_call');
  const started = toolCallId === undefined ? first : [first, ...others].find((item) => item?.toolCallId === toolCallId);
  const changes = host.updates('tool_call_update').filter((update) => update.toolCallId === started?.toolCallId);
  return Object.assign({}, started, ...changes);
}

const diffsOf = (toolCallFields: Record<string, unknown> | undefined) =>
  (toolCallFields?.content ?? []) as { type: string; oldText?: string | null; newText: string }[];

const prepareFile = ({ cwd }: { cwd: string }) => writeFileSync(join(cwd, 'a.txt'), 'one\ntwo\nthree\n');

test('read: kind, title, location with line, input, output and status', async () => {
  const { host, sessionId } = await startScriptedHost({
    prepare: prepareFile,
    replies: [call('read', { path: 'a.txt', offset: 2, limit: 1 })],
  });
  await host.prompt(sessionId, 'Read');
  const path = join(host.program.cwd, 'a.txt');
  expect(toolCall(host)).toMatchObject({
    kind: 'read',
    title: expect.stringMatching(/^Read .*a\.txt/),
    status: 'completed',
    locations: [{ path, line: 2 }],
    rawInput: { path: 'a.txt', offset: 2, limit: 1 },
    content: [{ type: 'content', content: { type: 'text', text: expect.stringContaining('two') } }],
  });
  expect(toolCall(host).rawOutput).toBeDefined();
  const statuses = [
    host.updates('tool_call')[0]?.status,
    ...host.updates('tool_call_update').flatMap(({ status }) => status ?? []),
  ];
  expect(statuses[0]).toBe('pending');
  expect(statuses).toContain('in_progress');
  expect(statuses.at(-1)).toBe('completed');
});

test('edit and write: a diff with absolute path, old and new text', async () => {
  const { host, sessionId } = await startScriptedHost({
    prepare: prepareFile,
    replies: [
      call('edit', { path: 'a.txt', oldText: 'two', newText: '2' }),
      call('write', { path: 'new.txt', content: 'fresh\n' }),
    ],
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'full' });
  await host.prompt(sessionId, 'Change');
  const [edit, write] = host.updates('tool_call').map(({ toolCallId }) => toolCall(host, toolCallId));
  expect(edit).toMatchObject({ kind: 'edit', status: 'completed', title: expect.stringContaining('a.txt') });
  const [diff] = diffsOf(edit);
  expect(diff).toMatchObject({ type: 'diff', path: join(host.program.cwd, 'a.txt') });
  expect(diff?.oldText).toContain('two');
  expect(diff?.newText).toContain('2');
  expect(write).toMatchObject({
    kind: 'edit',
    status: 'completed',
    content: [{ type: 'diff', path: join(host.program.cwd, 'new.txt'), newText: 'fresh\n' }],
  });
  expect(diffsOf(write)[0]?.oldText ?? null).toBe(null);
});

test('bash: kind execute, the command as title, streamed output, and failed for an exit code', async () => {
  const { host, sessionId } = await startScriptedHost({
    replies: [call('bash', { command: 'echo out; exit 3' })],
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'full' });
  await host.prompt(sessionId, 'Run');
  expect(toolCall(host)).toMatchObject({
    kind: 'execute',
    status: 'failed',
    title: expect.stringContaining('echo out'),
  });
  expect(JSON.stringify(toolCall(host).content)).toContain('out');
});

test('search tools have the kind search, and an unknown tool fails', async () => {
  const { host, sessionId } = await startScriptedHost({
    prepare: prepareFile,
    replies: [call('grep', { pattern: 'two' }), call('find', { pattern: '*.txt' }), call('teleport', {})],
  });
  await host.prompt(sessionId, 'Search');
  const calls = host.updates('tool_call').map(({ toolCallId }) => toolCall(host, toolCallId));
  expect(calls.map(({ kind, status }) => [kind, status])).toEqual([
    ['search', 'completed'],
    ['search', 'completed'],
    ['other', 'failed'],
  ]);
  expect(JSON.stringify(calls[2]?.content)).toContain('teleport');
});

test('the todo list is the plan', async () => {
  const todos = [
    { content: 'Look', status: 'completed' },
    { content: 'Build', status: 'in_progress' },
    { content: 'Test', status: 'pending' },
  ];
  const { host, sessionId } = await startScriptedHost({ replies: [call('todo_write', { todos })] });
  await host.prompt(sessionId, 'Plan');
  expect(host.updates('plan').at(-1)?.entries).toMatchObject(todos);
});

test('skills, templates and extension commands are available commands, and a command can be used', async () => {
  const { host, sessionId, provider } = await startScriptedHost({
    prepare({ home }) {
      mkdirSync(join(home, 'skills/knit'), { recursive: true });
      writeFileSync(join(home, 'skills/knit/SKILL.md'), '---\nname: knit\ndescription: How to knit\n---\nKnit one.\n');
      mkdirSync(join(home, 'prompts'), { recursive: true });
      writeFileSync(join(home, 'prompts/greet.md'), '---\ndescription: Greet a person\n---\nGreet $1 politely.\n');
      mkdirSync(join(home, 'extensions'), { recursive: true });
      writeFileSync(
        join(home, 'extensions/note.ts'),
        "export default (pi) => pi.registerCommand('note', { description: 'Take a note', handler() {} });",
      );
    },
  });
  const update = await host.waitForUpdate(
    'the commands',
    ({ sessionUpdate }) => sessionUpdate === 'available_commands_update',
  );
  const commands = (update as { availableCommands: { name: string; description: string }[] }).availableCommands;
  expect(commands).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'greet', description: expect.stringContaining('Greet a person') }),
      expect.objectContaining({ name: 'note', description: expect.stringContaining('Take a note') }),
      expect.objectContaining({
        name: expect.stringContaining('knit'),
        description: expect.stringContaining('How to knit'),
      }),
    ]),
  );
  expect(commands.every(({ name }) => !name.startsWith('/'))).toBe(true);
  await host.prompt(sessionId, '/greet Ada');
  expect(JSON.stringify(provider.requests[0])).toContain('Greet Ada politely.');
});

test('usage: the tokens in the context, its size and the cost', async () => {
  const { host, sessionId } = await startScriptedHost({
    model: { contextWindow: 50_000, cost: { input: 1000, output: 1000, cacheRead: 0, cacheWrite: 0 } },
    replies: [{ text: 'Hello.', tokens: [1200, 300] }],
  });
  await host.prompt(sessionId, 'Hi');
  expect(host.updates('usage_update').at(-1)).toMatchObject({
    used: 1500,
    size: 50_000,
    cost: { amount: expect.closeTo(1.5), currency: 'USD' },
  });
});

test('the first prompt is the title, and later the name of the session', async () => {
  const { host, sessionId } = await startScriptedHost({
    prepare({ home }) {
      mkdirSync(join(home, 'extensions'), { recursive: true });
      writeFileSync(
        join(home, 'extensions/rename.ts'),
        "export default (pi) => pi.registerCommand('rename', { handler: (name) => pi.setSessionName(name) });",
      );
    },
  });
  await host.prompt(sessionId, 'Hi');
  await host.prompt(sessionId, '/rename The parser');
  const first = await host.waitForUpdate('the title', ({ sessionUpdate }) => sessionUpdate === 'session_info_update');
  expect(first).toMatchObject({ title: 'Hi' });
  const update = await host.waitForUpdate('the name', (one) => 'title' in one && one.title === 'The parser');
  expect(update).toMatchObject({
    sessionUpdate: 'session_info_update',
    updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

test('compaction is reported to clients that support it', async () => {
  const { host, sessionId } = await startScriptedHost({
    capabilities: { session: { compaction: {} } },
    model: { contextWindow: 1000, maxTokens: 100 },
    args: ['--set', 'compaction.keepRecentTokens=15', '--set', 'compaction.reserveTokens=200'],
    replies: [
      { text: 'First answer, long enough to matter here.', tokens: [100, 10] },
      { text: 'Second answer, long enough to matter here.', tokens: [900, 10] },
      { text: 'A summary.' },
    ],
  });
  await host.prompt(sessionId, 'first question, long enough to matter');
  await host.prompt(sessionId, 'second question, long enough to matter');
  await host.waitForUpdate('the end', (update) => 'status' in update && update.status === 'completed');
  const updates = host.updates('compaction_update');
  expect(updates.map(({ status }) => status)).toEqual(['in_progress', 'completed']);
  expect(new Set(updates.map(({ compactionId }) => compactionId)).size).toBe(1);
});

test('notices are sent to clients that support them, and to no others', async () => {
  for (const capabilities of [{ session: { notices: {} } }, {}]) {
    // Without a key the offline model is announced.
    const host = await startHost({ capabilities });
    const { sessionId } = await host.open();
    await host.prompt(sessionId, 'say `hi`');
    const severities = host.updates('notice').map(({ severity }) => severity);
    expect(severities).toEqual('session' in capabilities ? ['info'] : []);
  }
});

test('the work of a subagent appears under its tool call', async () => {
  const { host, sessionId } = await startScriptedHost({
    prepare: prepareFile,
    replies: [
      call('task', { agent: 'explore', tasks: [{ id: 'A', description: 'Look', assignment: 'Read a.txt' }] }),
      call('read', { path: 'a.txt' }),
      { text: 'It has three lines.' },
      { text: 'Three.' },
    ],
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'full' });
  expect(await host.prompt(sessionId, 'Count')).toMatchObject({ stopReason: 'end_turn' });
  const [task, read] = host.updates('tool_call');
  expect(task).toMatchObject({ title: expect.stringMatching(/\S/) });
  expect(JSON.stringify(read?._meta)).toContain(task?.toolCallId);
  expect(toolCall(host, read?.toolCallId)).toMatchObject({ kind: 'read', status: 'completed' });
  expect(host.text()).toBe('Three.');
});
