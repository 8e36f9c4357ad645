import { expect, test } from 'vitest';
import { startProcessTree } from '../support/process-tree.ts';
import { isAlive } from '../support/processes.ts';
import { startProgram, startRpc } from '../support/program.ts';
import { readRoles } from '../support/session-files.ts';
import { waitUntil } from '../support/wait-until.ts';

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends the run, all its processes and the program with exit code %i', async (signal, code) => {
  const program = startRpc();
  const tree = await startProcessTree(program);
  program.kill(signal);
  expect(await program.exited).toMatchObject({ code, signal: null, stderr: '' });
  // A killed process disappears with a delay.
  await waitUntil(() => !tree.some(isAlive));
  expect(program.frames.at(-3)).toMatchObject({ type: 'agent_settled', aborted: true });
  expect(program.frames.at(-2)).toMatchObject({ type: 'prompt_result', status: 'aborted' });
  // The tool call must have a result, because providers reject a history with an open call.
  expect(readRoles(program.home)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends an idle program', async (signal) => {
  const program = startRpc();
  await program.nextFrame({ type: 'ready' });
  program.kill(signal);
  const { code } = await program.exited;
  expect(code).toBe({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal]);
});

test('further signals do not interrupt the shutdown', async () => {
  const program = startRpc();
  const tree = await startProcessTree(program);
  program.kill('SIGINT');
  program.kill('SIGTERM');
  program.kill('SIGINT');
  const { code } = await program.exited;
  expect([130, 143]).toContain(code);
  await waitUntil(() => !tree.some(isAlive));
  expect(readRoles(program.home)).toContain('toolResult');
});

test('SIGINT ends a run in print mode', async () => {
  const program = startProgram(['--mode', 'json', 'run `sleep 1000`']);
  program.stdin.end();
  await program.nextFrame({ type: 'tool_execution_start' });
  program.kill('SIGINT');
  expect(await program.exited).toMatchObject({ code: 130 });
});

test('SIGKILL of the program leaves no child process', async () => {
  const program = startRpc();
  const tree = await startProcessTree(program);
  program.kill('SIGKILL');
  // The streams close at once, because no child process holds them open.
  expect(await program.exited).toMatchObject({ code: null, signal: 'SIGKILL' });
  await waitUntil(() => !tree.some(isAlive));
  expect(readRoles(program.home)).toEqual(['user', 'assistant']);
});
