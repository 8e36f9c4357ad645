// The built program with subagents in worktrees: kill, SIGTERM and budgets.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRecord } from '../../src/base/index.ts';
import { KEY, type LoopbackServer, type Reply, startAnthropicMessages } from '../llm/servers/anthropic-messages.ts';
import { findProcesses, isAlive } from '../support/processes.ts';
import { createDirectories, type Program, type ProgramDirectories, runProgram, startRpc } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';

const FLAGS = ['--model', 'anthropic/claude-sonnet-4-5', '--thinking', 'off', '--stream', 'delta'];

async function provider(): Promise<LoopbackServer> {
  const server = await startAnthropicMessages();
  onTestFinished(() => server.close());
  return server;
}

const envOf = (server: LoopbackServer) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url });

function git(programDirectories: ProgramDirectories, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: programDirectories.home, GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@b'];
  return execFileSync('git', [...who, ...args], { cwd: programDirectories.cwd, env, encoding: 'utf8' });
}

function repository(): ProgramDirectories {
  const directories = createDirectories();
  execFileSync('sh', ['-c', 'echo one > a.txt; echo two > b.txt'], { cwd: directories.cwd });
  git(directories, 'init', '-q', '-b', 'main');
  git(directories, 'add', '-A');
  git(directories, 'commit', '-qm', 'state');
  execFileSync('sh', ['-c', 'echo dirty >> a.txt; echo new > new.txt; echo staged > staged.txt'], {
    cwd: directories.cwd,
  });
  git(directories, 'add', 'staged.txt');
  return directories;
}

/** The visible state of the repository. */
function state(programDirectories: ProgramDirectories): string {
  const status = git(programDirectories, 'status', '--porcelain=v2', '--untracked-files=all');
  const rest = [['diff'], ['diff', '--cached'], ['for-each-ref'], ['worktree', 'list']].map((args) =>
    git(programDirectories, ...args),
  );
  return [status, ...rest].join('--\n');
}

function batch(tasks: number): Reply {
  const input = {
    agent: 'task',
    isolated: true,
    tasks: Array.from({ length: tasks }, (_, n) => ({ id: `T${n}`, assignment: `work ${n}` })),
  };
  return { answer: { parts: [{ call: 'toolu_batch', name: 'task', input }] } };
}

const busy = (n: number, marker: string): Reply => ({
  answer: {
    parts: [
      { call: `toolu_${n}`, name: 'bash', input: { command: `echo ${marker} > a.txt; exec -a ${marker} sleep 600` } },
    ],
  },
});

const listWorktrees = (programDirectories: ProgramDirectories): string[] => {
  const folder = join(programDirectories.home, 'worktrees');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((repo) => readdirSync(join(folder, repo)).map((name) => join(folder, repo, name)));
};

async function startBatch(
  server: LoopbackServer,
  programDirectories: ProgramDirectories,
  marker: string,
): Promise<Program> {
  const settings = ['--set', 'task.isolation.merge=branch'];
  server.reply(batch(3), busy(1, marker), busy(2, marker), busy(3, marker));
  const program = startRpc([...FLAGS, ...settings], { directories: programDirectories, env: envOf(server) });
  program.send({ id: 'p', type: 'prompt', message: 'go' });
  for (let n = 0; n < 3; n++) await program.nextFrame({ type: 'subagent_start' });
  await waitUntil(() => findProcesses(marker, 'cmdline').length >= 3);
  return program;
}

test('kill during an isolated batch: the main tree is unchanged, and the next start removes the worktrees', async () => {
  const server = await provider();
  const directories = repository();
  const before = state(directories);
  const marker = `parley-busy-${process.pid}-kill`;
  const program = await startBatch(server, directories, marker);
  expect(git(directories, 'worktree', 'list').split('\n').length).toBeGreaterThan(3);
  const children = findProcesses(marker, 'cmdline');
  program.kill('SIGKILL');
  await program.exited;
  await waitUntil(() => children.every((pid) => !isAlive(pid)));
  expect(listWorktrees(directories)).toHaveLength(1);

  startRpc([...FLAGS, '--continue'], { directories, env: envOf(server) });
  await waitUntil(() => listWorktrees(directories).length === 0, 30_000);
  expect(state(directories)).toBe(before);
  expect(findProcesses(marker, 'cmdline')).toEqual([]);
});

test('subagents of the host: stopped without a process left, finished at the end of the input, and listed after a kill', async () => {
  const server = await provider();
  const directories = repository();
  const before = state(directories);
  const marker = `parley-busy-${process.pid}-host`;
  const start = { type: 'start_subagent', agent: 'task', assignment: 'work', isolated: true };
  server.reply(busy(1, marker), busy(2, marker));
  const program = startRpc([...FLAGS, '--session-id', 'host-tasks'], { directories, env: envOf(server) });
  expect(await program.call(start)).toMatchObject({ data: { subagentId: 'task' } });
  await waitUntil(() => findProcesses(marker, 'cmdline').length === 1);
  expect(await program.call({ type: 'stop_subagent', subagentId: 'task' })).toMatchObject({ success: true });
  await waitUntil(() => findProcesses(marker, 'cmdline').length === 0);
  await waitUntil(() => listWorktrees(directories).length === 0);
  expect(state(directories)).toBe(before);
  expect(await program.call(start)).toMatchObject({ data: { subagentId: 'task-2' } });
  await waitUntil(() => findProcesses(marker, 'cmdline').length === 1);
  program.kill('SIGKILL');
  await program.exited;
  await waitUntil(() => findProcesses(marker, 'cmdline').length === 0);

  const next = startRpc([...FLAGS, '--continue'], { directories, env: envOf(server) });
  expect(await next.call({ type: 'get_subagents', includeEnded: true })).toMatchObject({
    data: {
      subagents: [
        { id: 'task', status: 'aborted', error: 'Stopped by the host' },
        { id: 'task-2', status: 'aborted', error: 'The program ended before the subagent was finished.' },
      ],
    },
  });
  expect(await next.call({ type: 'resume_subagent', subagentId: 'task-2', message: 'x' })).toMatchObject({
    success: false,
    error: expect.stringContaining('its change was not kept'),
  });
  // The copy of the killed program is removed by the next one.
  await waitUntil(() => listWorktrees(directories).length === 0, 30_000);
  server.reply({ answer: { parts: [{ text: 'Done.' }] } });
  expect(await next.call({ ...start, isolated: false })).toMatchObject({ data: { subagentId: 'task-3' } });
  next.stdin.end();
  expect(await next.exited).toMatchObject({ code: 0, stderr: '' });
  expect(next.frames).toContainEqual({ type: 'subagent_end', id: 'task-3', agent: 'task', exitCode: 0 });
  expect(listWorktrees(directories)).toEqual([]);
  expect(state(directories)).toBe(before);
});

/** A git that applies a change to the main tree, or to a nested repository, and then hangs. */
function slowGit(programDirectories: ProgramDirectories, done: string, at = programDirectories.cwd): string {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const folder = join(programDirectories.home, 'slow');
  mkdirSync(folder);
  const script = `#!/bin/sh
"${real}" "$@" || exit $?
case "$*" in
  *--check*|*--cached*) ;;
  *" apply "*) [ "$PWD" != "${at}" ] || { touch "${done}"; exec sleep 600; } ;;
esac
`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return `${folder}:${process.env.PATH}`;
}

test('kill during a merge: the next start reverts the main tree and sends a notice', async () => {
  const server = await provider();
  const directories = repository();
  const before = state(directories);
  const done = join(directories.home, 'done');
  const work = 'echo changed > b.txt; echo added > added.txt';
  server.reply(
    batch(1),
    { answer: { parts: [{ call: 'toolu_1', name: 'bash', input: { command: work } }] } },
    { answer: { parts: [{ text: 'Done.' }] } },
  );
  const env = { ...envOf(server), PATH: slowGit(directories, done) };
  const program = startRpc(FLAGS, { directories, env });
  program.send({ id: 'p', type: 'prompt', message: 'go' });
  await waitUntil(() => existsSync(done), 60_000);
  expect(state(directories)).not.toBe(before);
  program.kill('SIGKILL');
  await program.exited;

  const next = startRpc([...FLAGS, '--continue'], { directories, env: envOf(server) });
  const { message } = await next.nextFrame({ type: 'notice', source: 'subagents' });
  expect(message).toContain('was interrupted and has been undone. The patches are saved.');
  await waitUntil(() => listWorktrees(directories).length === 0, 30_000);
  expect(state(directories)).toBe(before);
  const patches = execFileSync('find', [directories.home, '-name', 'T0.patch'], { encoding: 'utf8' });
  expect(patches).not.toBe('');
});

test('kill between the merge of a nested repository and the commit: the next start reverts both', async () => {
  const server = await provider();
  const directories = repository();
  const inner = { ...directories, cwd: join(directories.cwd, 'inner') };
  execFileSync('sh', ['-c', 'mkdir inner; echo inside > inner/in.txt'], { cwd: directories.cwd });
  git(inner, 'init', '-q', '-b', 'main');
  git(inner, 'add', '-A');
  git(inner, 'commit', '-qm', 'inside');
  const both = () => [directories, inner].map(state).join('==\n');
  const before = both();
  const done = join(directories.home, 'done');
  const work = 'echo changed > b.txt; echo more >> inner/in.txt';
  server.reply(
    batch(1),
    { answer: { parts: [{ call: 'toolu_1', name: 'bash', input: { command: work } }] } },
    { answer: { parts: [{ text: 'Done.' }] } },
  );
  const env = { ...envOf(server), PATH: slowGit(directories, done, inner.cwd) };
  const program = startRpc([...FLAGS, '--set', 'task.isolation.merge=branch'], { directories, env });
  program.send({ id: 'p', type: 'prompt', message: 'go' });
  await waitUntil(() => existsSync(done), 60_000);
  expect(state(inner)).toContain('+more');
  program.kill('SIGKILL');
  await program.exited;

  const next = startRpc([...FLAGS, '--continue'], { directories, env: envOf(server) });
  const { message } = await next.nextFrame({ type: 'notice', source: 'subagents' });
  expect(message).toContain(`A merge of subagent changes into ${inner.cwd} was interrupted and has been undone`);
  await waitUntil(() => listWorktrees(directories).length === 0, 30_000);
  expect(both()).toBe(before);
});

test('SIGTERM during a batch: no worktrees and processes are left at exit', async () => {
  const server = await provider();
  const directories = repository();
  const before = state(directories);
  const marker = `parley-busy-${process.pid}-term`;
  const program = await startBatch(server, directories, marker);
  program.kill('SIGTERM');
  expect((await program.exited).code).toBe(143);
  await waitUntil(() => findProcesses(marker, 'cmdline').length === 0);
  expect(listWorktrees(directories)).toEqual([]);
  expect(state(directories)).toBe(before);
});

test('kill with half of the budget spent: the resumed session has the other half', async () => {
  const server = await provider();
  const directories = createDirectories();
  const call = (id: string): Reply => ({ answer: { parts: [{ call: id, name: 'bash', input: { command: 'true' } }] } });
  server.reply(call('toolu_1'), { silent: true });
  const limited = [...FLAGS, '--max-tool-calls', '2'];
  const program = startRpc(limited, { directories, env: envOf(server) });
  program.send({ id: 'p', type: 'prompt', message: 'go' });
  await program.nextFrame(
    ({ type, message }) => type === 'message_end' && isRecord(message) && message.role === 'toolResult',
  );
  program.kill('SIGKILL');
  await program.exited;

  server.reply(call('toolu_2'));
  const next = startRpc([...limited, '--continue'], { directories, env: envOf(server) });
  next.send({ id: 'p', type: 'prompt', message: 'again' });
  const { snapshot } = await next.nextFrame({ type: 'budget_exceeded' });
  expect(snapshot).toMatchObject({ toolCalls: 2, reason: 'tool_calls' });
  await next.nextFrame({ type: 'agent_settled' });
  const refused = await next.call({ type: 'prompt', message: 'more' });
  expect(refused).toMatchObject({ success: false, error: 'Session budget exceeded (tool_calls)' });
});

test('--max-tool-calls ends a run in text mode with a message and exit code 1', async () => {
  const server = await provider();
  const call = (id: string): Reply => ({ answer: { parts: [{ call: id, name: 'bash', input: { command: 'true' } }] } });
  server.reply(call('toolu_1'), call('toolu_2'));
  const outcome = await runProgram([...FLAGS.slice(0, 4), '--max-tool-calls', '1', 'go'], '', { env: envOf(server) });
  expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('Session budget exceeded (tool_calls)') });
  expect(server.received).toHaveLength(1);
});
