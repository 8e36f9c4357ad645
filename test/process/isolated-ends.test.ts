// Isolated tasks whose run ends early: abort, wall time, end of input, signals. Changes of finished tasks are kept.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SubagentResult } from '../../src/protocol/index.ts';
import { KEY, type LoopbackServer, type Reply, startAnthropicMessages } from '../llm/servers/anthropic-messages.ts';
import { createDirectories, type Program, type ProgramDirectories, startRpc } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';

const FLAGS = ['--model', 'anthropic/claude-sonnet-4-5', '--thinking', 'off', '--stream', 'delta'];

const call = (id: string, name: string, input: Record<string, unknown>): Reply => ({
  answer: { parts: [{ call: id, name, input }] },
});
const text = (answer: string): Reply => ({ answer: { parts: [{ text: answer }] } });

interface Batch {
  tasks?: string[];
  verify?: Record<string, unknown>;
  /** The model answers of the subagents, in the order of the requests. */
  replies: Reply[];
  flags?: string[];
  directories?: ProgramDirectories;
}

function git(cwd: string, home: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd, env, encoding: 'utf8' });
}

function repository(): ProgramDirectories {
  const directories = createDirectories();
  execFileSync('sh', ['-c', 'echo one > a.txt'], { cwd: directories.cwd });
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-qm', 'state'],
  ])
    git(directories.cwd, directories.home, ...args);
  return directories;
}

async function startBatch({ tasks = ['Fix'], verify, replies, flags = [], directories = repository() }: Batch) {
  const server: LoopbackServer = await startAnthropicMessages();
  onTestFinished(() => server.close());
  const items = tasks.map((id) => ({ id, assignment: `work ${id}` }));
  const input = { agent: 'task', isolated: true, tasks: items, ...(verify ? { verify } : {}) };
  server.reply(call('toolu_batch', 'task', input), ...replies);
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
  const program = startRpc([...FLAGS, ...flags], { directories, env });
  program.send({ id: 'p', type: 'prompt', message: 'go' });
  return program;
}

/** Changes a tracked file, creates a new file, and ends the task. */
const finished = [call('toolu_1', 'bash', { command: 'echo two > a.txt; echo w > w.txt' }), text('Done.')];
const slow = { commands: [{ name: 'slow', command: 'echo half > half.txt; exec sleep 600' }] };

/** Slow starts first; Quick ends while Slow is running. */
const quickAndSlow = (programDirectories: ProgramDirectories): Reply[] => {
  const startedFile = join(programDirectories.home, 'slow-began');
  const command = `case "$PWD" in
    *Quick*) until test -e ${startedFile}; do sleep 0.02; done; echo two > a.txt; echo w > w.txt;;
    *) touch ${startedFile}; exec sleep 600;;
  esac`;
  return [call('toolu_1', 'bash', { command }), call('toolu_2', 'bash', { command }), text('Done.')];
};

async function batchResult(program: Program): Promise<{ report: string; results: SubagentResult[] }> {
  const { result } = await program.nextFrame({ type: 'tool_execution_end', toolCallId: 'toolu_batch' });
  const { content, details } = result as { content: { text: string }[]; details: { results?: SubagentResult[] } };
  return { report: content.map((part) => part.text).join('\n'), results: details.results ?? [] };
}

const applies = (programDirectories: ProgramDirectories, patch: string) =>
  git(programDirectories.cwd, programDirectories.home, 'apply', '--check', patch);
const isClean = (programDirectories: ProgramDirectories) =>
  git(programDirectories.cwd, programDirectories.home, 'status', '--porcelain') === '';
const countWorktrees = (programDirectories: ProgramDirectories) =>
  git(programDirectories.cwd, programDirectories.home, 'worktree', 'list').trim().split('\n').length;
const patchesBelow = (folder: string) =>
  execFileSync('find', [folder, '-name', '*.patch'], { encoding: 'utf8' }).trim().split('\n').filter(Boolean);

/** The patch of a finished task is complete, has no files of an interrupted command, and is not applied to the main tree. */
function expectKept(program: Program, { patchPath = '', applied }: Partial<SubagentResult>): void {
  applies(program, patchPath);
  const patch = readFileSync(patchPath, 'utf8');
  expect([patch.includes('w.txt'), patch.includes('+two'), patch.includes('half.txt')]).toEqual([true, true, false]);
  expect(statSync(patchPath).mode & 0o077).toBe(0);
  expect([applied, isClean(program), countWorktrees(program)]).toEqual([false, true, 1]);
}

describe('a finished task keeps its patch when its verification', () => {
  test('runs out of wall time', async () => {
    const flags = ['--set', 'task.budget.maxWallTimeMs=8000'];
    const program = await startBatch({ verify: slow, replies: finished, flags });
    const end = await program.nextFrame({ type: 'subagent_end' });
    const notice = await program.nextFrame({ type: 'notice', source: 'subagents' });
    const { report, results } = await batchResult(program);
    const [result = {}] = results;
    expect(result).toMatchObject({
      ...{ exitCode: 1, error: 'Budget exceeded (wall_time)', aborted: true, abortReason: 'budget_exceeded' },
      verification: { status: 'failed', attempts: [{ error: 'Budget exceeded (wall_time)' }] },
    });
    expect(end).toMatchObject({
      ...{ exitCode: 1, error: 'Budget exceeded (wall_time)', abortReason: 'budget_exceeded' },
      patchPath: (result as SubagentResult).patchPath,
    });
    expectKept(program, result);
    const { patchPath } = result as SubagentResult;
    expect(report).toContain('## Fix: stopped by the budget (task');
    expect(report).toContain(`Reason: the budget is exceeded (wall_time).\n- ${patchPath}`);
    expect(notice.message).toBe(
      `Changes of isolated tasks were not applied because the budget is exceeded (wall_time). They are kept: ${patchPath}`,
    );
  });

  test.each(['return_failure', 'retry_once', 'discard_patch'])('is aborted (%s)', async (onFailure) => {
    const program = await startBatch({ verify: { ...slow, onFailure }, replies: finished });
    await program.nextFrame({ type: 'subagent_verification_command_start' });
    program.send({ id: 'a', type: 'abort' });
    const end = await program.nextFrame({ type: 'subagent_end' });
    const { report, results } = await batchResult(program);
    const [result = {} as SubagentResult] = results;
    expect(result).toMatchObject({ exitCode: 1, error: 'Cancelled', aborted: true });
    expect(result.abortReason).toBeUndefined();
    expect(end).toMatchObject({ exitCode: 1, aborted: true, patchPath: result.patchPath });
    expectKept(program, result);
    expect(report).toContain(`Reason: the run was aborted.\n- ${result.patchPath}`);
    await program.nextFrame({ type: 'response', id: 'a' });
  });

  test('is aborted during a repair: the work before the repair is kept', async () => {
    const verify = { commands: [{ name: 'fails', command: 'false' }], onFailure: 'retry_once' };
    const repair = call('toolu_2', 'bash', { command: 'echo half > half.txt; exec sleep 600' });
    const program = await startBatch({ verify, replies: [...finished, repair] });
    await program.nextFrame({ type: 'subagent_verification_end', attempt: 1 });
    await waitUntil(() => patchesBelow(program.home).length > 0);
    await waitUntil(() => {
      const found = execFileSync('find', [join(program.home, 'worktrees'), '-name', 'half.txt'], { encoding: 'utf8' });
      return found !== '';
    });
    program.send({ type: 'abort' });
    const { results } = await batchResult(program);
    expect(results[0]).toMatchObject({ exitCode: 1, aborted: true, verification: { retriesUsed: 1 } });
    expectKept(program, results[0] as SubagentResult);
  });

  test('fails with an error', async () => {
    // The log of the command cannot be written, because a directory has its name.
    const block = 'mkdir "$(dirname "$(find "$HOME/sessions" -name Fix.jsonl)")/Fix.verify.a1-1-prints.log"';
    const verify = { commands: [{ name: 'prints', command: 'echo output' }], onFailure: 'discard_patch' };
    const replies = [call('toolu_0', 'bash', { command: block }), ...finished, text('All done.')];
    const program = await startBatch({ verify, replies });
    const end = await program.nextFrame({ type: 'subagent_verification_end' });
    const { results } = await batchResult(program);
    expect(end).toMatchObject({ attempt: 1, status: 'failed' });
    expect(results[0]).toMatchObject({
      ...{ exitCode: 1, output: 'Done.', verification: { status: 'failed', attempts: [] } },
      error: expect.stringContaining('Verification could not be completed: '),
    });
    expectKept(program, results[0] as SubagentResult);
  });

  test.each([
    ['a stored session', []],
    ['no session', ['--no-session']],
  ])('is interrupted by the end of input (%s)', async (_, more) => {
    const program = await startBatch({ verify: slow, replies: finished, flags: ['--on-eof', 'abort', ...more] });
    await program.nextFrame({ type: 'subagent_verification_command_start' });
    program.stdin.end();
    const { results } = await batchResult(program);
    expect((await program.exited).code).toBe(0);
    const { patchPath = '' } = results[0] as SubagentResult;
    if (more.length > 0) onTestFinished(() => rmSync(dirname(patchPath), { recursive: true }));
    expectKept(program, results[0] as SubagentResult);
  });

  test('is interrupted by SIGTERM', async () => {
    const program = await startBatch({ verify: slow, replies: finished });
    await program.nextFrame({ type: 'subagent_verification_command_start' });
    program.kill('SIGTERM');
    expect((await program.exited).code).toBe(143);
    const [patchPath = ''] = patchesBelow(program.home);
    expectKept(program, { patchPath, applied: false });
  });

  test('is interrupted by SIGKILL: the next start reports the location of the change', async () => {
    const program = await startBatch({ verify: slow, replies: finished });
    await program.nextFrame({ type: 'subagent_verification_command_start' });
    program.kill('SIGKILL');
    await program.exited;
    const [patchPath = ''] = patchesBelow(program.home);
    const next = startRpc(['--model', 'parley/offline', '--continue'], { directories: program });
    const { message } = await next.nextFrame({ type: 'notice', source: 'subagents' });
    expect(message).toBe(
      `Changes of isolated tasks were not applied because the program was killed. They are kept: ${patchPath}`,
    );
    await waitUntil(() => countWorktrees(program) === 1);
    expectKept(program, { patchPath, applied: false });
  });
});

test('files that the commands of a complete verification changed are part of the change', async () => {
  const verify = { commands: [{ name: 'format', command: 'echo formatted > w.txt; mkdir sub; cd sub; git init -q' }] };
  const program = await startBatch({ verify, replies: [...finished, text('All done.')] });
  const { report, results } = await batchResult(program);
  expect(report).toContain('Applied patches: yes');
  expect(results[0]).toMatchObject({ exitCode: 0, applied: true });
  expect(readFileSync(join(program.cwd, 'w.txt'), 'utf8')).toBe('formatted\n');
  expect(patchesBelow(program.home)).toEqual([results[0]?.patchPath]);
});

test('after a successful repair the first capture is replaced, including new repositories', async () => {
  const verify = { commands: [{ name: 'repaired', command: 'test -f inner/repaired.txt' }], onFailure: 'retry_once' };
  const make = 'echo two > a.txt; git init -q inner; cd inner; echo i > i.txt';
  const replies = [
    ...[call('toolu_1', 'bash', { command: make }), text('Done.')],
    ...[call('toolu_2', 'bash', { command: 'echo m > inner/repaired.txt' }), text('Repaired.'), text('All done.')],
  ];
  const program = await startBatch({ verify, replies });
  const { results } = await batchResult(program);
  const [result = {} as SubagentResult] = results;
  expect(result).toMatchObject({ exitCode: 0, applied: true, newRepositories: [{ path: 'inner' }] });
  const { keptPath = '' } = result.newRepositories?.[0] ?? {};
  expect(readdirSync(keptPath).sort()).toEqual(['.git', 'i.txt', 'repaired.txt']);
  expect(readFileSync(join(program.cwd, 'inner/repaired.txt'), 'utf8')).toBe('m\n');
  expect(readdirSync(dirname(keptPath)).filter((name) => name.includes('capture'))).toEqual([]);
});

describe('a task that completed in a batch that is not applied', () => {
  test.each(['patch', 'branch'])('because of an abort (merge: %s)', async (merge) => {
    const directories = repository();
    const flags = ['--set', `task.isolation.merge=${merge}`];
    const program = await startBatch({
      directories,
      tasks: ['Quick', 'Slow'],
      replies: quickAndSlow(directories),
      flags,
    });
    await program.nextFrame({ type: 'subagent_end', id: 'Quick' });
    program.send({ type: 'abort' });
    const notice = await program.nextFrame({ type: 'notice', source: 'subagents' });
    const { report, results } = await batchResult(program);
    const [quick = {} as SubagentResult, other] = results;
    expect(quick).toMatchObject({ exitCode: 0, applied: false, error: 'Not applied: the run was aborted' });
    expect([quick.aborted, other?.aborted]).toEqual([undefined, true]);
    expectKept(program, quick);
    expect(report).toContain('2 tasks, 0 completed, 1 completed but not applied, in ');
    expect(report).toContain('## Quick: completed, not applied (task');
    const locations = merge === 'branch' ? ['branch parley/task/Quick', quick.patchPath] : [quick.patchPath];
    expect(report).toContain(`Change (not applied): ${locations.join(', ')}`);
    expect(notice.message).toContain(`the run was aborted. They are kept: ${locations.join(', ')}`);
    const branches = git(program.cwd, program.home, 'branch', '--list', 'parley/*', '--format=%(refname:short)').trim();
    expect([branches, quick.branchName]).toEqual(
      merge === 'branch' ? ['parley/task/Quick', 'parley/task/Quick'] : ['', undefined],
    );
    if (merge === 'branch') expect(git(program.cwd, program.home, 'show', 'parley/task/Quick:w.txt')).toBe('w\n');
  });

  test('because the budget stopped another task', async () => {
    const directories = repository();
    const flags = ['--set', 'task.budget.maxToolCalls=3', '--set', 'task.maxConcurrency=1'];
    const again = call('toolu_2', 'bash', { command: 'true' });
    const replies = [...finished, again, again];
    const program = await startBatch({ directories, tasks: ['Quick', 'Slow', 'Later'], replies, flags });
    const { report, results } = await batchResult(program);
    const [quick = {} as SubagentResult, other, later] = results;
    expect(other).toMatchObject({ exitCode: 1, error: 'Budget exceeded (tool_calls)', abortReason: 'budget_exceeded' });
    expect(later).toMatchObject({ exitCode: 1, aborted: true, abortReason: 'budget_exceeded' });
    const reason = 'Slow (Budget exceeded (tool_calls)), Later (Budget exceeded (tool_calls)) did not succeed';
    expect(quick).toMatchObject({ exitCode: 0, applied: false, error: `Not applied: ${reason}` });
    expectKept(program, quick);
    expect(report).toContain(`Reason: ${reason}.\n- ${quick.patchPath}`);
  });
});

test('the change of a task that failed its verification is reported and kept with merge: branch, also without a session', async () => {
  const flags = ['--set', 'task.isolation.merge=branch', '--no-session'];
  const verify = { commands: [{ name: 'fails', command: 'false' }] };
  const program = await startBatch({ verify, replies: [...finished, text('All done.')], flags });
  const { report, results } = await batchResult(program);
  await program.nextFrame({ type: 'agent_settled' });
  program.stdin.end();
  expect((await program.exited).code).toBe(0);
  const { patchPath = '' } = results[0] as SubagentResult;
  onTestFinished(() => rmSync(dirname(patchPath), { recursive: true }));
  expect(report).toContain(`Saved changes of tasks that did not succeed: ${patchPath}`);
  expectKept(program, results[0] as SubagentResult);
});

test('an existing branch of the same name is not changed', async () => {
  const directories = repository();
  git(directories.cwd, directories.home, 'branch', 'parley/task/Fix');
  const flags = ['--set', 'task.isolation.merge=branch'];
  const program = await startBatch({ directories, replies: [...finished, text('All done.')], flags });
  const { report, results } = await batchResult(program);
  expect(report).toContain('Merged 1 branches: parley/task/Fix-2');
  expect(results[0]).toMatchObject({ applied: true, branchName: 'parley/task/Fix-2' });
  const branches = git(directories.cwd, directories.home, 'branch', '--format=%(refname:short)').trim().split('\n');
  expect([branches, existsSync(join(directories.cwd, 'w.txt'))]).toEqual([['main', 'parley/task/Fix'], true]);
});
