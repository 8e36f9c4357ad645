import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, inject, test } from 'vitest';
import type { FrameMatcher } from '../support/frame-collector.ts';
import { startProcessTree } from '../support/process-tree.ts';
import { isAlive } from '../support/processes.ts';
import { createDirectories, startProgram, startRpc } from '../support/program.ts';
import { listSessionFiles, readEntries } from '../support/session-files.ts';
import { waitUntil } from '../support/wait-until.ts';

const STATES: readonly [string, string, FrameMatcher][] = [
  ['during an answer', 'count to 30000', (frame) => frame.type === 'message_update'],
  ['at the start of a run', 'count to 30000', { type: 'agent_start' }],
  ['at the start of a tool call', 'run `sleep 1000`', { type: 'tool_execution_start' }],
  ['while a tool writes output continuously', 'run `yes`', { type: 'tool_execution_update' }],
];

describe.each(['socket', 'pipe'] as const)('a host that stops reading its %s', (streams) => {
  test.each(STATES)('%s: the agent exits normally', async (_state, message, expected) => {
    const program = startRpc([], { streams });
    program.send({ type: 'prompt', message });
    await program.nextFrame(expected);
    program.stdout.destroy();
    const { code, stderr } = await program.exited;
    expect(code).toBe(0);
    expect(stderr.split('\n').length - 1).toBeLessThanOrEqual(1);
    const [file] = listSessionFiles(program.home);
    expect(readEntries(file!)).toContainEqual(expect.objectContaining({ type: 'message' }));
  });

  test('leaves no process, not even one in another process group', async () => {
    const program = startRpc([], { streams });
    const tree = await startProcessTree(program);
    program.stdout.destroy();
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    await waitUntil(() => !tree.some(isAlive));
  });

  test('ends the agent also during a bash command of the host', async () => {
    const program = startRpc([], { streams });
    await program.call({ type: 'get_state' });
    program.send({ type: 'bash', command: 'sleep 1000' }, { id: 'later', type: 'get_state' });
    await program.nextFrame({ id: 'later' });
    program.stdout.destroy();
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
  });
});

test('the agent exits when the next program of a pipeline exits during a tool call without output', async () => {
  const directories = createDirectories();
  const pipeline = `"$0" "$1" --mode rpc | sed '/tool_execution_start/q'`;
  const child = spawn('sh', ['-c', pipeline, process.execPath, inject('program')], {
    cwd: directories.cwd,
    env: { PATH: process.env.PATH, HOME: directories.home, PARLEY_DIR: directories.home },
  });
  child.stdout.resume();
  child.stdin.write('{"type":"prompt","message":"run `sleep 1000`"}\n');
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
});

test('print mode ends when its reader closes the pipe', async () => {
  const program = startProgram(['--mode', 'json', '--model', 'parley/offline', 'count to 30000'], { streams: 'pipe' });
  program.stdin.end();
  await program.nextFrame({ type: 'message_update' });
  program.stdout.destroy();
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
});

test('the agent continues when the host closes only stderr', async () => {
  const program = startRpc(['an argument that causes a warning']);
  program.stderr.destroy();
  expect(await program.call({ type: 'get_state' })).toMatchObject({ success: true });
  program.stdin.end();
  expect(await program.exited).toMatchObject({ code: 0 });
});
