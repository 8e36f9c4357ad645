// Sessions: open, load, resume, list, close, delete and fork, also across processes and dialects.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { createDirectories, startRpc } from '../support/program.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { type AcpHost, refusalOf, startHost } from './acp-host.ts';

/** A conversation with a tool call, in a directory with one file. */
async function createConversation(host: AcpHost): Promise<string> {
  writeFileSync(join(host.program.cwd, 'a.txt'), 'alpha\n');
  const { sessionId } = await host.open();
  expect(await host.prompt(sessionId, 'show me `a.txt`')).toMatchObject({ stopReason: 'end_turn' });
  return sessionId;
}

const stop = async (host: AcpHost) => {
  host.program.stdin.end();
  expect((await host.program.exited).code).toBe(0);
};

/** The updates of the session that were received before the response to `method`. */
function replayOf(host: AcpHost, method: string): Record<string, unknown>[] {
  const request = host.frames.findIndex((frame) => frame.sender === 'client' && frame.method === method);
  const id = host.frames[request]?.id;
  const response = host.frames.findIndex((frame) => frame.sender === 'agent' && frame.id === id && !frame.method);
  return host.frames
    .slice(request, response)
    .filter((frame) => frame.method === 'session/update')
    .map(({ params }) => (params as { update: Record<string, unknown> }).update);
}

const textOf = (updates: readonly Record<string, unknown>[], kind: string) =>
  updates
    .filter((update) => update.sessionUpdate === kind)
    .map(({ content }) => (content as { text: string }).text)
    .join('');

function expectReplay(host: AcpHost): void {
  const replay = replayOf(host, 'session/load');
  expect(textOf(replay, 'user_message_chunk')).toBe('show me `a.txt`');
  expect(textOf(replay, 'agent_message_chunk')).toContain('alpha');
  const kinds = replay.map(({ sessionUpdate }) => sessionUpdate);
  expect(kinds.indexOf('user_message_chunk')).toBeLessThan(kinds.indexOf('tool_call'));
  const calls = replay.filter(({ toolCallId }) => toolCallId !== undefined);
  expect(calls.at(-1)).toMatchObject({ status: 'completed' });
  expect(JSON.stringify(calls)).toContain('alpha');
}

test('session/new answers with an id, the modes and the config options', async () => {
  const host = await startHost();
  const response = await host.open();
  expect(response.sessionId).toMatch(/\S/);
  expect(response.modes?.availableModes.map(({ id }) => id)).toEqual(['ask', 'auto-edit', 'full', 'read-only']);
  expect(response.configOptions?.map(({ category }) => category)).toEqual(
    expect.arrayContaining(['mode', 'model', 'thought_level']),
  );
});

test.each([
  ['cwd', { mcpServers: [] }],
  ['cwd', { cwd: 'relative', mcpServers: [] }],
  ['cwd', { cwd: 7, mcpServers: [] }],
  ['mcpServers', { cwd: '/tmp', mcpServers: 'none' }],
  ['command', { cwd: '/tmp', mcpServers: [{ name: 'x', args: [], env: [] }] }],
])('session/new with a wrong %s is refused', async (field, params) => {
  const host = await startHost({ sendsInvalid: true });
  const refusal = await refusalOf(host.agent.request('session/new', params as never));
  expect(refusal.code).toBe(-32602);
  expect(JSON.stringify(refusal)).toContain(field);
});

test('session/load in another process replays the whole history before its answer', async () => {
  const directories = createDirectories();
  const first = await startHost({ directories });
  const sessionId = await createConversation(first);
  await stop(first);
  const second = await startHost({ directories });
  const answer = await second.agent.request('session/load', { sessionId, cwd: directories.cwd, mcpServers: [] });
  expectReplay(second);
  expect(answer.modes?.currentModeId).toBeDefined();
  expect(answer.configOptions?.length).toBeGreaterThan(2);
  expect(await second.prompt(sessionId, 'say `again`')).toMatchObject({ stopReason: 'end_turn' });
});

test('session/resume continues without a replay', async () => {
  const directories = createDirectories();
  const first = await startHost({ directories });
  const sessionId = await createConversation(first);
  await stop(first);
  const second = await startHost({ directories });
  await second.agent.request('session/resume', { sessionId, cwd: directories.cwd });
  expect(await second.prompt(sessionId, 'what did the command print?')).toMatchObject({ stopReason: 'end_turn' });
  expect(second.updates('user_message_chunk').map(({ content }) => content)).not.toContainEqual(
    expect.objectContaining({ text: expect.stringContaining('a.txt') }),
  );
  expect(second.updates('tool_call')).toEqual([]);
});

test.each(['session/load', 'session/resume'])('%s of an unknown session is refused with -32002', async (method) => {
  const host = await startHost();
  const params = { sessionId: 'unknown', cwd: host.program.cwd, mcpServers: [] };
  expect(await refusalOf(host.agent.request(method, params))).toMatchObject({ code: -32002 });
  expect(await host.agent.request('session/list', {})).toMatchObject({ sessions: [] });
});

test('session/load of an open session replays it again', async () => {
  const host = await startHost();
  const sessionId = await createConversation(host);
  await host.agent.request('session/load', { sessionId, cwd: host.program.cwd, mcpServers: [] });
  expectReplay(host);
});

test('session/list has the title, the directory and the time, newest first, filtered by cwd', async () => {
  const host = await startHost();
  const other = createTemporaryDirectory();
  const here = await createConversation(host);
  const { sessionId: there } = await host.open(other);
  await host.prompt(there, 'say `there`');
  const { sessions } = await host.agent.request('session/list', {});
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([there, here]);
  expect(sessions[1]).toMatchObject({ cwd: host.program.cwd, title: 'show me `a.txt`' });
  expect(Date.parse(sessions[1]?.updatedAt ?? '')).toBeGreaterThan(Date.now() - 600_000);
  const filtered = await host.agent.request('session/list', { cwd: other });
  expect(filtered.sessions.map(({ sessionId }) => sessionId)).toEqual([there]);
  expect(await host.agent.request('session/list', { cwd: '/nowhere' })).toMatchObject({ sessions: [] });
});

/** Copies a stored session under new ids. */
function copySessions(home: string, sessionId: string, count: number): void {
  const root = join(home, 'sessions');
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).find(
    (name) => name.includes(sessionId) && name.endsWith('.jsonl'),
  ) as string;
  const text = readFileSync(join(root, found), 'utf8');
  for (let index = 0; index < count; index += 1) {
    const id = `copy-${String(index).padStart(4, '0')}`;
    writeFileSync(join(root, found.replace(sessionId, id)), text.replaceAll(sessionId, id));
  }
}

test('session/list gives long lists in pages, and refuses an invalid cursor', async () => {
  const host = await startHost();
  const sessionId = await createConversation(host);
  await host.agent.request('session/close', { sessionId });
  copySessions(host.program.home, sessionId, 150);
  const ids: string[] = [];
  let cursor: string | null | undefined;
  let pages = 0;
  do {
    const page = await host.agent.request('session/list', cursor ? { cursor } : {});
    ids.push(...page.sessions.map((session) => session.sessionId));
    cursor = page.nextCursor;
    pages += 1;
  } while (cursor && pages < 20);
  expect(pages).toBeGreaterThan(1);
  expect(new Set(ids).size).toBe(151);
  expect(ids).toHaveLength(151);
  const refusal = await refusalOf(host.agent.request('session/list', { cursor: 'no cursor' }));
  expect(refusal.code).toBe(-32602);
  expect(JSON.stringify(refusal)).toContain('cursor');
});

test('session/close ends the work of the session, and it can be loaded again', async () => {
  const host = await startHost();
  const sessionId = await createConversation(host);
  const running = host.prompt(sessionId, 'run `sleep 1000`');
  await host.waitForUpdate('the running command', (update) => JSON.stringify(update).includes('sleep 1000'));
  expect(await host.agent.request('session/close', { sessionId })).toEqual({});
  expect(await running).toMatchObject({ stopReason: 'cancelled' });
  expect(await refusalOf(host.prompt(sessionId, 'hello'))).toMatchObject({ code: -32002 });
  await host.agent.request('session/load', { sessionId, cwd: host.program.cwd, mcpServers: [] });
  expect(await host.prompt(sessionId, 'say `back`')).toMatchObject({ stopReason: 'end_turn' });
});

test('session/delete removes a session, open or closed, and a repetition is harmless', async () => {
  const host = await startHost();
  const sessionId = await createConversation(host);
  expect(await host.agent.request('session/delete', { sessionId })).toEqual({});
  expect(await host.agent.request('session/list', {})).toMatchObject({ sessions: [] });
  const params = { sessionId, cwd: host.program.cwd, mcpServers: [] };
  expect(await refusalOf(host.agent.request('session/load', params))).toMatchObject({ code: -32002 });
  expect(await host.agent.request('session/delete', { sessionId })).toEqual({});
});

test('session/fork copies the history into a new session', async () => {
  const host = await startHost();
  const sessionId = await createConversation(host);
  const fork = await host.agent.request<{ sessionId: string }>('session/fork', { sessionId, cwd: host.program.cwd });
  expect(fork.sessionId).not.toBe(sessionId);
  await host.prompt(fork.sessionId, 'say `only in the fork`');
  await host.agent.request('session/load', { sessionId: fork.sessionId, cwd: host.program.cwd, mcpServers: [] });
  const replay = replayOf(host, 'session/load');
  expect(textOf(replay, 'user_message_chunk')).toBe('show me `a.txt`say `only in the fork`');
  await host.agent.request('session/close', { sessionId });
  const before = host.frames.length;
  await host.agent.request('session/load', { sessionId, cwd: host.program.cwd, mcpServers: [] });
  expect(JSON.stringify(host.frames.slice(before))).not.toContain('only in the fork');
});

test('a session of the omp dialect can be loaded, and a session of acp can be opened by omp', async () => {
  const directories = createDirectories();
  writeFileSync(join(directories.cwd, 'a.txt'), 'alpha\n');
  const rpc = startRpc([], { directories });
  rpc.send({ id: 'p', type: 'prompt', message: 'show me `a.txt`' });
  await rpc.nextFrame({ type: 'session_settled' });
  const { sessionId } = (await rpc.call({ type: 'get_state' })).data as { sessionId: string };
  rpc.stdin.end();
  await rpc.exited;
  const host = await startHost({ directories });
  await host.agent.request('session/load', { sessionId, cwd: directories.cwd, mcpServers: [] });
  expectReplay(host);
  await host.prompt(sessionId, 'say `from the editor`');
  await stop(host);
  const again = startRpc(['--session', sessionId], { directories });
  const { data } = await again.call({ type: 'get_messages' });
  expect(JSON.stringify(data)).toContain('from the editor');
});

test('two sessions work at the same time, each in its own directory', async () => {
  const host = await startHost();
  const directories = ['one', 'two'].map((name) => join(host.program.cwd, name));
  for (const directory of directories) {
    mkdirSync(directory);
    writeFileSync(join(directory, 'name.txt'), `I am ${directory.slice(-3)}\n`);
  }
  const sessions = await Promise.all(directories.map((directory) => host.open(directory)));
  const answers = await Promise.all(sessions.map(({ sessionId }) => host.prompt(sessionId, 'show me `name.txt`')));
  expect(answers).toMatchObject([{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }]);
  const texts = sessions.map(({ sessionId }) => host.text('agent_message_chunk', sessionId));
  expect(texts).toEqual([expect.stringContaining('I am one'), expect.stringContaining('I am two')]);
});

test('a session of a killed process can be loaded', async () => {
  const directories = createDirectories();
  const first = await startHost({ directories });
  const sessionId = await createConversation(first);
  const running = 'run `echo up-$((40 + 2)); sleep 1000`';
  const lost = first.prompt(sessionId, running).catch(() => 'lost');
  // Its output: the answer with the command is stored. Otherwise the model would run the command again.
  await first.waitForUpdate('output of the command', (update) => JSON.stringify(update).includes('up-42'));
  first.program.kill('SIGKILL');
  await first.program.exited;
  expect(await lost).toBe('lost');
  const second = await startHost({ directories });
  await second.agent.request('session/load', { sessionId, cwd: directories.cwd, mcpServers: [] });
  expect(textOf(replayOf(second, 'session/load'), 'user_message_chunk')).toBe(`show me \`a.txt\`${running}`);
  expect(await second.prompt(sessionId, 'say `back`')).toMatchObject({ stopReason: 'end_turn' });
});

test('at the end of input the program exits with 0 and ends its children', async () => {
  const host = await startHost();
  const { sessionId } = await host.open();
  const pidFile = join(host.program.cwd, 'pid');
  void host.prompt(sessionId, 'run `echo $$ > pid; echo up-$((40 + 2)); exec sleep 1000`').catch(() => undefined);
  await host.waitForUpdate('output of the command', (update) => JSON.stringify(update).includes('up-42'));
  const pid = Number(readFileSync(pidFile, 'utf8'));
  expect(isAlive(pid)).toBe(true);
  host.program.stdin.end();
  expect(await host.program.exited).toMatchObject({ code: 0, stderr: '' });
  expect(isAlive(pid)).toBe(false);
});
