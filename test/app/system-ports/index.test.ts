import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createDiagnosticLog } from '../../../src/app/system-ports/diagnostic-log.ts';
import { createSystemPorts, PROVIDER_VARIABLES } from '../../../src/app/system-ports/index.ts';
import { startShell } from '../../support/processes.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

test('tools get the environment of the user without provider keys and PARLEY secrets', () => {
  const allowed = {
    PATH: '/bin',
    HOME: '/home/x',
    GITHUB_TOKEN: 'theirs',
    AWS_SECRET_ACCESS_KEY: 'theirs',
    MY_API_KEY: 'theirs',
    EMPTY: '',
  };
  const parleySecrets = { PARLEY_API_KEY: 'x', PARLEY_HOST_TOKEN: 'x', parley_client_secret: 'x' };
  const keys = Object.fromEntries(PROVIDER_VARIABLES.map((name) => [name, 'key']));
  const env = { ...allowed, ...parleySecrets, ...keys, openai_api_key: 'key', PARLEY_LOG: '/x.log', UNSET: undefined };
  expect(createSystemPorts({ env }).toolEnv).toEqual({ ...allowed, PARLEY_LOG: '/x.log' });
  expect(createSystemPorts({ env, withhold: ['MY_API_KEY'] }).toolEnv).not.toHaveProperty('MY_API_KEY');
});

test('files that name key variables are read when the environment is first requested, and after a change', () => {
  const agentDirectory = createTemporaryDirectory();
  const ports = createSystemPorts({
    agentDirectory,
    env: { ACME: 'key', EARLY: 'key', HOME: '/x', QUOTED_NAME: 'value' },
  });
  writeFileSync(
    join(agentDirectory, 'models.json'),
    '{"providers":{"acme":{"apiKey":"ACME","headers":{"a":"!echo $HOME"}}}}',
  );
  expect(ports.toolEnv).toEqual({ EARLY: 'key', HOME: '/x', QUOTED_NAME: 'value' });
  writeFileSync(join(agentDirectory, 'auth.json'), '{"early":{"type":"api_key","key":"EARLY"}}');
  expect(ports.toolEnv).toEqual({ HOME: '/x', QUOTED_NAME: 'value' });
  writeFileSync(join(agentDirectory, 'auth.json'), '{}');
  expect(ports.toolEnv).not.toHaveProperty('EARLY');
});

test('if such a file cannot be read, all variables with names like secrets are withheld', () => {
  const agentDirectory = createTemporaryDirectory();
  mkdirSync(join(agentDirectory, 'models.json'));
  const env = { HOME: '/x', GITHUB_TOKEN: 't', MY_KEY: 'k', DB_PASSWORD: 'p' };
  expect(createSystemPorts({ agentDirectory, env }).toolEnv).toEqual({ HOME: '/x' });
});

test.each([
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GROQ_API_KEY',
  'XAI_API_KEY',
  'MISTRAL_API_KEY',
  'OPENROUTER_API_KEY',
  'DEEPSEEK_API_KEY',
  'TOGETHER_API_KEY',
  'FIREWORKS_API_KEY',
  'CEREBRAS_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'COPILOT_GITHUB_TOKEN',
])('%s is a provider variable', (name) => {
  expect(PROVIDER_VARIABLES).toContain(name);
});

test('the log redacts keys from the environment and keys that are registered later', async () => {
  const file = join(createTemporaryDirectory(), 'log');
  const env = { OPENAI_API_KEY: 'sk-from-env', MY_KEY_NAME: 'sk-from-list' };
  const diagnostics = createDiagnosticLog({ file, clock: { now: () => 0 } });
  const ports = createSystemPorts({ diagnostics, env, withhold: ['MY_KEY_NAME'] });
  ports.redact('sk-from-file');
  ports.log('refused', { body: 'bad key sk-from-env, sk-from-list or sk-from-file' });
  await ports.close();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    body: 'bad key [redacted], [redacted] or [redacted]',
  });
});

test('fetch() uses the global fetch at the time of the call', async () => {
  const { fetch } = createSystemPorts();
  const response = new Response('ok');
  const spy = vi.spyOn(globalThis, 'fetch').mockResolvedValue(response);
  expect(await fetch('http://x/', { method: 'POST' })).toBe(response);
  expect(spy).toHaveBeenCalledWith('http://x/', { method: 'POST' });
  spy.mockRestore();
});

test('close() kills running children, and can be called without any', async () => {
  await createSystemPorts().close();
  const ports = createSystemPorts();
  const child = await startShell(ports.processes, 'exec sleep 600');
  await ports.close();
  expect(await child.finished).toEqual({ code: null, signal: 'SIGKILL' });
});
