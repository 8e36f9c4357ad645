import { expect, test } from 'vitest';
import { growTree } from '../support/command-tree.ts';
import { isAlive } from '../support/processes.ts';
import { startProgram, startRpc } from '../support/program.ts';
import { rolesBelow } from '../support/session-files.ts';
import { until } from '../support/until.ts';

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends the run, all its processes and the program with exit code %i', async (signal, code) => {
  const program = startRpc();
  const tree = await growTree(program);
  program.kill(signal);
  expect(await program.ended).toMatchObject({ code, signal: null, stderr: '' });
  // A killed process disappears with a delay.
  await until(() => !tree.some(isAlive));
  expect(program.frames.at(-1)).toMatchObject({ type: 'agent_settled', aborted: true });
  // The tool call must have a result, because providers reject a history with an open call.
  expect(rolesBelow(program.home)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends an idle program', async (signal) => {
  const program = startRpc();
  await program.frame({ type: 'ready' });
  program.kill(signal);
  const { code } = await program.ended;
  expect(code).toBe({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal]);
});

test('further signals do not interrupt the shutdown', async () => {
  const program = startRpc();
  const tree = await growTree(program);
  program.kill('SIGINT');
  program.kill('SIGTERM');
  program.kill('SIGINT');
  const { code } = await program.ended;
  expect([130, 143]).toContain(code);
  await until(() => !tree.some(isAlive));
  expect(rolesBelow(program.home)).toContain('toolResult');
});

test('SIGINT ends a run in print mode', async () => {
  const program = startProgram(['--mode', 'json', 'run `sleep 1000`']);
  program.stdin.end();
  await program.frame({ type: 'tool_execution_start' });
  program.kill('SIGINT');
  expect(await program.ended).toMatchObject({ code: 130 });
});

test('SIGKILL of the program leaves no child process', async () => {
  const program = startRpc();
  const tree = await growTree(program);
  program.kill('SIGKILL');
  // The streams close at once, because no child process holds them open.
  expect(await program.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  await until(() => !tree.some(isAlive));
  expect(rolesBelow(program.home)).toEqual(['user', 'assistant']);
});
