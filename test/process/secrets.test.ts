import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startRpc } from '../support/program.ts';
import { listPaths, readFileMode } from '../support/session-files.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const CANARIES = {
  ANTHROPIC_API_KEY: 'canary-anthropic-4f81',
  OPENAI_API_KEY: 'canary-openai-93b2',
  PARLEY_SERVER_TOKEN: 'canary-parley-77d0',
};

test('API keys appear in no tool output, log, session file or stream', async () => {
  const log = join(createTemporaryDirectory(), 'parley.log');
  const program = startRpc(['--log-file', log, '--model', 'parley/offline'], {
    env: { ...CANARIES, HARMLESS: 'value-to-see' },
  });
  program.send({ type: 'prompt', message: 'run `env; cat /proc/self/environ`' });
  const { result } = await program.nextFrame({ type: 'tool_execution_end', toolName: 'bash' });
  expect(JSON.stringify(result)).toContain('value-to-see');
  await program.nextFrame({ type: 'agent_settled' });
  expect(await program.call({ type: 'bash', command: 'env' })).toMatchObject({ success: true });
  program.send({ type: 'nonsense', key: CANARIES.OPENAI_API_KEY });
  await program.nextFrame({ command: 'nonsense', success: false });
  program.stdin.end();
  const { code, stdout, stderr } = await program.exited;
  expect(code).toBe(0);
  expect(stdout).toContain('value-to-see');
  const files = listPaths(program.home).filter((path) => !path.endsWith('/'));
  expect(files).toHaveLength(1);
  const contents = files.map((path) => readFileSync(join(program.home, path), 'utf8'));
  for (const canary of Object.values(CANARIES)) {
    for (const text of [stdout, stderr, ...contents, readFileSync(log, 'utf8')]) expect(text).not.toContain(canary);
  }
});

test('--log-file writes a log with mode 0600', async () => {
  const directory = createTemporaryDirectory();
  const log = join(directory, 'parley.log');
  const program = startRpc(['--log-file', log, '--no-session', '--model', 'parley/offline']);
  program.send({ type: 'prompt', message: 'hello' });
  await program.nextFrame({ type: 'agent_settled' });
  program.stdin.end();
  await program.exited;
  expect(readdirSync(directory)).toEqual(['parley.log']);
  expect(readFileMode(log)).toBe('600');
  const events = readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.map(({ event }) => event)).toEqual(['started', 'run ended', 'leaving']);
  expect(events[0]).toMatchObject({ mode: 'rpc', model: 'parley/offline', cwd: program.cwd });
});
