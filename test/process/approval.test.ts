// Approval by a host: the dialog shows the complete arguments.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';
import { startRecordingProvider } from '../support/recording-provider.ts';

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

describe('without a host', () => {
  const refusal = (tool: string, rule: string) =>
    `${tool} was not run: it needs an approval, and no host can answer. Allow it with a rule ("parley permissions add allow '${rule}'") or another --approval-mode.`;
  const calls = [
    { call: 'bash', arguments: { command: 'touch made' } },
    { call: 'bash', arguments: { command: 'touch made' } },
    { call: 'write', arguments: { path: 'made', content: 'x' } },
    { call: 'task', arguments: { agent: 'task', tasks: [{ id: 'A', assignment: 'go' }] } },
    { call: 'bash', arguments: { command: 'touch made' } },
    { call: 'edit', arguments: { path: 'a.txt', edits: [{ oldText: 'a', newText: 'b' }] } },
    'That was the subagent.',
    'I could not do it.',
  ];

  test.each(['text', 'json'])('mode %s: stderr has one line for each refused call', async (mode) => {
    const directories = createDirectories();
    writeFileSync(join(directories.cwd, 'a.txt'), 'a');
    const provider = await startRecordingProvider(calls);
    provider.writeModelsFile(directories.home);
    const flags = ['--model', 'own/m', '--approval-mode', 'ask', '--allow', 'task', '-p', '--mode', mode];
    const { code, stdout, stderr } = await runProgram([...flags, 'go'], '', { directories });
    const lines = [
      refusal('bash', 'bash(touch made)'),
      refusal('write', 'write(./made)'),
      refusal('edit', 'edit(./a.txt)'),
    ];
    expect({ code, stderr }).toEqual({ code: 0, stderr: lines.map((line) => `${line}\n`).join('') });
    if (mode === 'text') expect(stdout).toBe('I could not do it.\n');
    else
      expect(stdout).toContain(
        "no host can answer. Allow it with a rule (\\\"parley permissions add allow 'bash(touch made)'",
      );
    expect(provider.requests).toHaveLength(calls.length);
    expect(existsSync(join(directories.cwd, 'made'))).toBe(false);
  });
});
