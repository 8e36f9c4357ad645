import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, inject, test } from 'vitest';
import { growTree } from '../support/command-tree.ts';
import type { Wanted } from '../support/frame-inbox.ts';
import { isAlive } from '../support/processes.ts';
import { newPlace, startProgram, startRpc } from '../support/program.ts';
import { entriesOf, sessionFiles } from '../support/session-files.ts';
import { until } from '../support/until.ts';

const MOMENTS: readonly [string, string, Wanted][] = [
  ['in the middle of an answer', 'count to 30000', (frame) => frame.type === 'message_update'],
  ['when a run has just begun', 'count to 30000', { type: 'agent_start' }],
  ['when a tool begins', 'run `sleep 1000`', { type: 'tool_execution_start' }],
  ['while a tool writes without end', 'run `yes`', { type: 'tool_execution_update' }],
];

describe.each(['socket', 'pipe'] as const)('a host that stops reading its %s', (streams) => {
  test.each(MOMENTS)('%s, has its agent end, and in order', async (_moment, message, wanted) => {
    const program = startRpc([], { streams });
    program.send({ type: 'prompt', message });
    await program.frame(wanted);
    program.stdout.destroy();
    const { code, stderr } = await program.ended;
    expect(code).toBe(0);
    expect(stderr.split('\n').length - 1).toBeLessThanOrEqual(1);
    const [file] = sessionFiles(program.home);
    expect(entriesOf(file!)).toContainEqual(expect.objectContaining({ type: 'message' }));
  });

  test('has no process left over, not even one that left its group', async () => {
    const program = startRpc([], { streams });
    const tree = await growTree(program);
    program.stdout.destroy();
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    await until(() => !tree.some(isAlive));
  });

  test('has its agent end also during its own shell command', async () => {
    const program = startRpc([], { streams });
    await program.ask({ type: 'get_state' });
    program.send({ type: 'bash', command: 'sleep 1000' }, { id: 'later', type: 'get_state' });
    await program.frame({ id: 'later' });
    program.stdout.destroy();
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

test('the next program of a pipeline may leave during a silent tool', async () => {
  const place = newPlace();
  const pipeline = `"$0" "$1" --mode rpc | sed '/tool_execution_start/q'`;
  const child = spawn('sh', ['-c', pipeline, process.execPath, inject('program')], {
    cwd: place.cwd,
    env: { PATH: process.env.PATH, HOME: place.home, PARLEY_DIR: place.home },
  });
  child.stdout.resume();
  child.stdin.write('{"type":"prompt","message":"run `sleep 1000`"}\n');
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
});

test('a reader that has seen enough ends print mode', async () => {
  const program = startProgram(['--mode', 'json', '--model', 'parley/offline', 'count to 30000'], { streams: 'pipe' });
  program.stdin.end();
  await program.frame({ type: 'message_update' });
  program.stdout.destroy();
  expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
});

test('a host that closes only the way back of stderr is served on', async () => {
  const program = startRpc(['words that are warned about']);
  program.stderr.destroy();
  expect(await program.ask({ type: 'get_state' })).toMatchObject({ success: true });
  program.stdin.end();
  expect(await program.ended).toMatchObject({ code: 0 });
});
