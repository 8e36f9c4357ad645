// Approval by a host: the dialog shows the complete arguments.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories, startRpc } from '../support/program.ts';

const asking = ['--no-session', '--set', 'approval=on-write'];

test('the dialog shows the end of a long command', async () => {
  const directories = createDirectories();
  const program = startRpc(asking, { directories });
  program.send({ type: 'prompt', message: `run \`echo ${'A'.repeat(2100)}; touch HIDDEN\`` });
  const { id, message } = await program.nextFrame({ type: 'extension_ui_request', method: 'select' });
  expect(message).toBe(`bash {"command":"echo ${'A'.repeat(2100)}; touch HIDDEN"}`);
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
