import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createSystemPorts, PROVIDER_VARIABLES } from '../../../src/app/system-ports/index.ts';
import { createLog } from '../../../src/app/system-ports/log.ts';
import { shell } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

test('tools get the user’s environment without the keys of providers and our own secrets', () => {
  const kept = {
    PATH: '/bin',
    HOME: '/home/x',
    GITHUB_TOKEN: 'theirs',
    AWS_SECRET_ACCESS_KEY: 'theirs',
    MY_API_KEY: 'theirs',
    EMPTY: '',
  };
  const own = { PARLEY_API_KEY: 'x', PARLEY_HOST_TOKEN: 'x', parley_client_secret: 'x' };
  const keys = Object.fromEntries(PROVIDER_VARIABLES.map((name) => [name, 'key']));
  const env = { ...kept, ...own, ...keys, openai_api_key: 'key', PARLEY_LOG: '/x.log', UNSET: undefined };
  expect(createSystemPorts({ env }).toolEnv).toEqual({ ...kept, PARLEY_LOG: '/x.log' });
  expect(createSystemPorts({ env, withhold: ['MY_API_KEY'] }).toolEnv).not.toHaveProperty('MY_API_KEY');
});

test('the files that name variables are read when the environment is first asked for', () => {
  const own = temporaryDirectory();
  const ports = createSystemPorts({ own, env: { ACME: 'key', EARLY: 'key', HOME: '/x', QUOTED_NAME: 'value' } });
  writeFileSync(join(own, 'models.json'), '{"providers":{"acme":{"apiKey":"ACME","headers":{"a":"!echo $HOME"}}}}');
  expect(ports.toolEnv).toEqual({ EARLY: 'key', HOME: '/x', QUOTED_NAME: 'value' });
  writeFileSync(join(own, 'auth.json'), '{"early":{"type":"api_key","key":"EARLY"}}');
  expect(ports.toolEnv).toEqual({ HOME: '/x', QUOTED_NAME: 'value' });
  writeFileSync(join(own, 'auth.json'), '{}');
  expect(ports.toolEnv).not.toHaveProperty('EARLY');
});

test('where such a file cannot be read, everything that is named like a secret is withheld', () => {
  const own = temporaryDirectory();
  mkdirSync(join(own, 'models.json'));
  const env = { HOME: '/x', GITHUB_TOKEN: 't', MY_KEY: 'k', DB_PASSWORD: 'p' };
  expect(createSystemPorts({ own, env }).toolEnv).toEqual({ HOME: '/x' });
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
])('%s is a provider’s', (name) => {
  expect(PROVIDER_VARIABLES).toContain(name);
});

test('the log never shows a key that the environment holds or that was learnt later', async () => {
  const file = join(temporaryDirectory(), 'log');
  const env = { OPENAI_API_KEY: 'sk-from-env', MY_KEY_NAME: 'sk-from-list' };
  const diagnostics = createLog({ file, clock: { now: () => 0 } });
  const ports = createSystemPorts({ diagnostics, env, withhold: ['MY_KEY_NAME'] });
  ports.redact('sk-from-file');
  ports.log('refused', { body: 'bad key sk-from-env, sk-from-list or sk-from-file' });
  await ports.close();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    body: 'bad key [redacted], [redacted] or [redacted]',
  });
});

test('fetch is the one that the process has when it is called', async () => {
  const { fetch } = createSystemPorts();
  const answer = new Response('ok');
  const spy = vi.spyOn(globalThis, 'fetch').mockResolvedValue(answer);
  expect(await fetch('http://x/', { method: 'POST' })).toBe(answer);
  expect(spy).toHaveBeenCalledWith('http://x/', { method: 'POST' });
  spy.mockRestore();
});

test('close ends what runs, and can be called before anything did', async () => {
  await createSystemPorts().close();
  const ports = createSystemPorts();
  const child = await shell(ports.processes, 'exec sleep 600');
  await ports.close();
  expect(await child.finished).toEqual({ code: null, signal: 'SIGKILL' });
});
