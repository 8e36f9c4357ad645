// Approval by a host: the dialog shows the complete arguments.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';

const asking = ['--no-session', '--set', 'approval=on-write'];

test('the dialog shows the end of a long command', async () => {
  const directories = createDirectories();
  const program = startRpc(asking, { directories });
  program.send({ type: 'prompt', message: `run \`echo ${'A'.repeat(2100)}; touch HIDDEN\`` });
  const { id, message, options } = await program.nextFrame({ type: 'extension_ui_request', method: 'select' });
  expect(message).toBe(`bash {"command":"echo ${'A'.repeat(2100)}; touch HIDDEN"}`);
  expect(options).toEqual(['allow', 'deny', 'allow_session']);
  program.send({ type: 'extension_ui_response', id, value: 'deny' });
  await program.nextFrame({ type: 'agent_settled' });
  expect(existsSync(join(directories.cwd, 'HIDDEN'))).toBe(false);
});

test('a command that is too long to be shown is denied', async () => {
  const directories = createDirectories();
  const program = startRpc(asking, { directories });
  program.send({ type: 'prompt', message: `run \`echo ${'A'.repeat(100_000)}; touch HIDDEN\`` });
  const { result } = await program.nextFrame({ type: 'tool_execution_end', toolName: 'bash' });
  expect(JSON.stringify(result)).toContain('too long to be shown for approval');
  await program.nextFrame({ type: 'agent_settled' });
  expect(existsSync(join(directories.cwd, 'HIDDEN'))).toBe(false);
  expect(program.frames.some(({ type }) => type === 'extension_ui_request')).toBe(false);
});

test('a rule that was saved with an answer applies in the next process, and nothing else does', async () => {
  const directories = createDirectories();
  const first = startRpc(asking, { directories });
  first.send({ type: 'prompt', message: 'run `touch saved`' });
  const { id, toolCall } = await first.nextFrame({ type: 'extension_ui_request', method: 'select' });
  expect(toolCall).toMatchObject({ rules: ['bash(touch saved)'] });
  first.send({ type: 'extension_ui_response', id, value: 'allow_always' });
  await first.nextFrame({ type: 'agent_settled' });
  expect(existsSync(join(directories.cwd, 'saved'))).toBe(true);
  rmSync(join(directories.cwd, 'saved'));
  const second = startRpc(asking, { directories });
  second.send({ type: 'prompt', message: 'run `touch saved`' });
  await second.nextFrame({ type: 'agent_settled' });
  expect(existsSync(join(directories.cwd, 'saved'))).toBe(true);
  expect(second.frames.some(({ type }) => type === 'extension_ui_request')).toBe(false);
  second.send({ type: 'prompt', message: 'run `touch other`' });
  const question = await second.nextFrame({ type: 'extension_ui_request', method: 'select' });
  second.send({ type: 'extension_ui_response', id: question.id, value: 'deny', message: 'Not that.' });
  const { result } = await second.nextFrame({ type: 'tool_execution_end', toolName: 'bash', isError: true });
  expect(JSON.stringify(result)).toContain('The user does not allow bash here: Not that.');
});

test('without a host the result says how to allow the call', async () => {
  const directories = createDirectories();
  const { stdout } = await runProgram(['--set', 'approval=on-write', '--mode', 'json', 'run `touch made`'], '', {
    directories,
  });
  expect(stdout).toContain(
    "no host can answer. Allow it with a rule (\\\"parley permissions add allow 'bash(touch made)'",
  );
  expect(existsSync(join(directories.cwd, 'made'))).toBe(false);
});
