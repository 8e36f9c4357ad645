// Secrets in files: literals, variable names and commands. Outputs of commands never appear in messages.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createDeferred } from '../../../src/base/index.ts';
import type { RunningProcess } from '../../../src/contracts/index.ts';
import { createSecretResolver } from '../../../src/llm/credentials/secret-resolver.ts';
import { createFakeClock } from '../../../src/testing/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

function fixture(env: Record<string, string> = {}) {
  const directory = createTemporaryDirectory();
  const system = createSystemPorts({ env: { PATH: process.env.PATH, ...env } });
  onTestFinished(() => system.close());
  const [redacted, withheld]: [string[], string[]] = [[], []];
  const resolver = createSecretResolver({
    ports: system,
    env,
    directory,
    redact: (secret) => void redacted.push(secret),
    withhold: (variable) => void withheld.push(variable),
  });
  return { ...resolver, directory, redacted, withheld };
}

test('a literal is returned unchanged', async () => {
  const { resolve, findUnsetVariable, redacted } = fixture();
  expect(await resolve('sk-ant-123456', 'anthropic')).toBe('sk-ant-123456');
  expect(findUnsetVariable('sk-ant-123456')).toBeUndefined();
  expect(redacted).toEqual(['sk-ant-123456']);
});

test('a variable name resolves to its value, and the variable is hidden from tools', async () => {
  const { resolve, findUnsetVariable, redacted, withheld } = fixture({ MY_KEY: 'sk-hidden', lower: 'sk-lower' });
  expect(findUnsetVariable('MY_KEY')).toBeUndefined();
  expect(await resolve('MY_KEY', 'x')).toBe('sk-hidden');
  expect(await resolve('lower', 'x')).toBe('sk-lower');
  expect(redacted).toEqual(['sk-hidden', 'sk-lower']);
  expect(withheld).toEqual(['MY_KEY']);
});

test.each([
  ['MY_KEY', 'MY_KEY'],
  ['ACME_API_KEY_2', 'ACME_API_KEY_2'],
  ['AKIAIOSFODNN7EXAMPLE', undefined],
  ['sk_live_abc', undefined],
  ['!echo MY_KEY', undefined],
])('the unset variable of %s is %s', (text, variable) => {
  expect(fixture().findUnsetVariable(text)).toBe(variable);
});

describe('commands', () => {
  test('the trimmed output is used; runs once, with the environment of tools', async () => {
    const { resolve, directory, redacted } = fixture({ OPENAI_API_KEY: 'never for commands', USER_NAME: 'me' });
    const command = `!echo run >> count; echo "  key-of-$USER_NAME-$OPENAI_API_KEY  "`;
    expect(await Promise.all([resolve(command, 'x'), resolve(command, 'x')])).toEqual(['key-of-me-', 'key-of-me-']);
    expect(await resolve(command, 'y')).toBe('key-of-me-');
    expect(readFileSync(join(directory, 'count'), 'utf8')).toBe('run\n');
    expect(new Set(redacted)).toEqual(new Set(['key-of-me-']));
  });

  test.each([
    ['exit 3', 'ended with exit code 3: echo canary-out; echo canary-err >&2; exit 3'],
    ['kill -9 $$', 'ended with SIGKILL: echo canary-out; echo canary-err >&2; kill -9 $$'],
  ])('a failing command is named without its output: %s', async (end, problem) => {
    const { resolve } = fixture();
    const resolving = resolve(`!echo canary-out; echo canary-err >&2; ${end}`, 'anthropic');
    await expect(resolving).rejects.toMatchObject({
      code: 'no_credentials',
      message: `The command for the key of anthropic ${problem}`,
    });
  });

  test('empty output and several lines are rejected', async () => {
    const { resolve } = fixture();
    await expect(resolve('!true', 'x')).rejects.toThrow('printed nothing: true');
    await expect(resolve('!printf "a\\nb"', 'x')).rejects.toThrow('printed more than one line: printf');
  });

  test('a failed command is run again', async () => {
    const { resolve, directory } = fixture();
    const command = '!test -f ran && echo ok-key || { touch ran; exit 1; }';
    await expect(resolve(command, 'x')).rejects.toThrow('exit code 1');
    expect(existsSync(join(directory, 'ran'))).toBe(true);
    expect(await resolve(command, 'x')).toBe('ok-key');
  });

  test('is killed after ten seconds', async () => {
    const clock = createFakeClock();
    const armed = createDeferred();
    const after: typeof clock.after = (ms, callback) => {
      armed.resolve();
      return clock.after(ms, callback);
    };
    let kill = () => {};
    const finished = new Promise<Awaited<RunningProcess['finished']>>((resolve) => {
      kill = () => resolve({ code: null, signal: 'SIGKILL' });
    });
    const processes = { spawn: async () => ({ pid: 1, finished, kill: () => kill() }) };
    const ports = { processes, clock: { after }, toolEnv: {} };
    const ignore = () => {};
    const resolver = createSecretResolver({ ports, env: {}, directory: '/', redact: ignore, withhold: ignore });
    const rejection = expect(resolver.resolve('!sleep 600', 'x')).rejects.toThrow(
      'did not end within 10 seconds: sleep 600',
    );
    await armed.promise;
    await clock.advance(10_000);
    await rejection;
  });

  test('a command that cannot be started is reported', async () => {
    const processes = { spawn: () => Promise.reject(new Error('no such command')) };
    const ports = { processes, clock: createFakeClock(), toolEnv: {} };
    const ignore = () => {};
    const resolver = createSecretResolver({ ports, env: {}, directory: '/', redact: ignore, withhold: ignore });
    await expect(resolver.resolve('!x', 'y')).rejects.toThrow('could not be started (no such command): x');
  });
});
