// A key in a file is itself, a variable, or what a command prints. Nobody sees a value that is not asked for.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { deferred } from '../../../src/base/index.ts';
import type { RunningProcess } from '../../../src/contracts/index.ts';
import { createSecretTexts } from '../../../src/llm/credentials/secret-text.ts';
import { createFakeClock } from '../../../src/testing/index.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

function stage(env: Record<string, string> = {}) {
  const directory = temporaryDirectory();
  const system = createSystemPorts({ env: { PATH: process.env.PATH, ...env } });
  onTestFinished(() => system.close());
  const [redacted, withheld]: [string[], string[]] = [[], []];
  const texts = createSecretTexts({
    ports: system,
    env,
    directory,
    redact: (secret) => void redacted.push(secret),
    withhold: (variable) => void withheld.push(variable),
  });
  return { ...texts, directory, redacted, withheld };
}

test('a literal is itself', async () => {
  const { resolve, unset, redacted } = stage();
  expect(await resolve('sk-ant-123456', 'anthropic')).toBe('sk-ant-123456');
  expect(unset('sk-ant-123456')).toBeUndefined();
  expect(redacted).toEqual(['sk-ant-123456']);
});

test('the name of a variable is what it holds, and tools do not get it', async () => {
  const { resolve, unset, redacted, withheld } = stage({ MY_KEY: 'sk-hidden', lower: 'sk-lower' });
  expect(unset('MY_KEY')).toBeUndefined();
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
])('%s, when nothing of that name is set, lacks %s', (text, variable) => {
  expect(stage().unset(text)).toBe(variable);
});

describe('commands', () => {
  test('what is printed, trimmed; run once for many, with the environment of tools', async () => {
    const { resolve, directory, redacted } = stage({ OPENAI_API_KEY: 'never for commands', USER_NAME: 'me' });
    const command = `!echo run >> count; echo "  key-of-$USER_NAME-$OPENAI_API_KEY  "`;
    expect(await Promise.all([resolve(command, 'x'), resolve(command, 'x')])).toEqual(['key-of-me-', 'key-of-me-']);
    expect(await resolve(command, 'y')).toBe('key-of-me-');
    expect(readFileSync(join(directory, 'count'), 'utf8')).toBe('run\n');
    expect(new Set(redacted)).toEqual(new Set(['key-of-me-']));
  });

  test.each([
    ['exit 3', 'ended with exit code 3: echo canary-out; echo canary-err >&2; exit 3'],
    ['kill -9 $$', 'ended with SIGKILL: echo canary-out; echo canary-err >&2; kill -9 $$'],
  ])('one that fails is named, its output is not: %s', async (end, words) => {
    const { resolve } = stage();
    const asked = resolve(`!echo canary-out; echo canary-err >&2; ${end}`, 'anthropic');
    await expect(asked).rejects.toMatchObject({
      code: 'no_credentials',
      message: `The command for the key of anthropic ${words}`,
    });
  });

  test('one that prints nothing, or more than a line, is no key', async () => {
    const { resolve } = stage();
    await expect(resolve('!true', 'x')).rejects.toThrow('printed nothing: true');
    await expect(resolve('!printf "a\\nb"', 'x')).rejects.toThrow('printed more than one line: printf');
  });

  test('a failure is tried again', async () => {
    const { resolve, directory } = stage();
    const command = '!test -f there && echo ok-key || { touch there; exit 1; }';
    await expect(resolve(command, 'x')).rejects.toThrow('exit code 1');
    expect(existsSync(join(directory, 'there'))).toBe(true);
    expect(await resolve(command, 'x')).toBe('ok-key');
  });

  test('after ten seconds it is ended', async () => {
    const clock = createFakeClock();
    const armed = deferred();
    const after: typeof clock.after = (ms, act) => {
      armed.resolve();
      return clock.after(ms, act);
    };
    let kill = () => {};
    const finished = new Promise<Awaited<RunningProcess['finished']>>((resolve) => {
      kill = () => resolve({ code: null, signal: 'SIGKILL' });
    });
    const processes = { spawn: async () => ({ pid: 1, finished, kill: () => kill() }) };
    const ports = { processes, clock: { after }, toolEnv: {} };
    const nothing = () => {};
    const texts = createSecretTexts({ ports, env: {}, directory: '/', redact: nothing, withhold: nothing });
    const asked = expect(texts.resolve('!sleep 600', 'x')).rejects.toThrow('did not end within 10 seconds: sleep 600');
    await armed.promise;
    await clock.advance(10_000);
    await asked;
  });

  test('one that cannot be started says why', async () => {
    const processes = { spawn: () => Promise.reject(new Error('no such command')) };
    const ports = { processes, clock: createFakeClock(), toolEnv: {} };
    const nothing = () => {};
    const texts = createSecretTexts({ ports, env: {}, directory: '/', redact: nothing, withhold: nothing });
    await expect(texts.resolve('!x', 'y')).rejects.toThrow('could not be started (no such command): x');
  });
});
