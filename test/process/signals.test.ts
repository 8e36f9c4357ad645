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
] as const)('%s ends the run, every process under it and the program, with code %i', async (signal, code) => {
  const program = startRpc();
  const tree = await growTree(program);
  program.kill(signal);
  expect(await program.ended).toMatchObject({ code, signal: null, stderr: '' });
  // Killed is not yet gone: the system takes a moment to let go of a process.
  await until(() => !tree.some(isAlive));
  expect(program.frames.at(-1)).toMatchObject({ type: 'agent_settled', aborted: true });
  // The call has its result: the next model to see this history must not find it open.
  expect(rolesBelow(program.home)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends an idle program', async (signal) => {
  const program = startRpc();
  await program.frame({ type: 'ready' });
  program.kill(signal);
  const { code } = await program.ended;
  expect(code).toBe({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal]);
});

test('a second signal does not make the end less orderly', async () => {
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

test('SIGINT ends a run in print mode too', async () => {
  const program = startProgram(['--mode', 'json', 'run `sleep 1000`']);
  program.stdin.end();
  await program.frame({ type: 'tool_execution_start' });
  program.kill('SIGINT');
  expect(await program.ended).toMatchObject({ code: 130 });
});

test('a program that is killed outright leaves no process behind', async () => {
  const program = startRpc();
  const tree = await growTree(program);
  program.kill('SIGKILL');
  // The host sees the end at once: nobody else holds the streams.
  expect(await program.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  await until(() => !tree.some(isAlive));
  expect(rolesBelow(program.home)).toEqual(['user', 'assistant']);
});
