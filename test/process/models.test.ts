// Model lists, errors without a key, and keys that must not appear in any output.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KEY, startAnthropicMessages } from '../llm/servers/anthropic-messages.ts';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';
import { listPaths } from '../support/session-files.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const NO_KEY = (home: string) =>
  `No API key for anthropic. Set ANTHROPIC_API_KEY, or add a key for "anthropic" to ${home}/auth.json.`;

async function provider() {
  const server = await startAnthropicMessages();
  onTestFinished(() => server.close());
  return server;
}

describe('--list-models', () => {
  const rows = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));

  test('prints the available models as a table', async () => {
    const { code, stdout, stderr } = await runProgram(['--list-models'], '', {
      env: { ANTHROPIC_API_KEY: 'sk-canary-1' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head, ...models] = rows(stdout);
    expect(head).toEqual(['provider', 'model', 'context', 'max out', 'thinking', 'images']);
    expect(models).toContainEqual(['anthropic', 'claude-opus-5-5', '1M', '128K', 'low–xhigh', 'yes']);
    // The offline model is not listed if another model is available.
    expect(new Set(models.map(([name]) => name))).toEqual(new Set(['anthropic']));
  });

  test('without a key the offline model is listed, with a hint on stderr', async () => {
    const directories = createDirectories();
    const { code, stdout, stderr } = await runProgram(['--list-models'], '', { directories });
    expect(code).toBe(0);
    expect(rows(stdout)).toHaveLength(2);
    expect(stderr).toContain('ANTHROPIC_API_KEY');
    expect(listPaths(directories.home)).toEqual([]);
  });

  test('filters by a search text in every mode, and reports when nothing matches', async () => {
    const env = { OPENROUTER_API_KEY: 'sk-canary-2' };
    const found = await runProgram(['--mode', 'rpc', '--list-models', 'Opus 5.5'], '', { env });
    expect(rows(found.stdout).map(([, model]) => model)).toEqual(['model', 'anthropic/claude-opus-5.5']);
    const none = await runProgram(['--list-models', 'unheard-of'], '', { env });
    expect(none).toMatchObject({ code: 0, stdout: 'No available model matches "unheard-of"\n' });
    const scoped = await runProgram(['--list-models', '--models', 'qq*,zz', '--provider', 'openrouter'], '', { env });
    expect(scoped.stdout).toBe('No available model matches --provider openrouter and --models qq*,zz\n');
  });

  test('--provider lists only this provider, and an unreachable local server is reported', async () => {
    const env = { OPENROUTER_API_KEY: 'sk-canary-2', GROQ_API_KEY: 'k', OLLAMA_HOST: '127.0.0.1:9' };
    const groq = await runProgram(['--list-models', '--provider', 'Groq'], '', { env });
    expect(new Set(rows(groq.stdout).map(([provider]) => provider))).toEqual(new Set(['provider', 'groq']));
    const ollama = await runProgram(['--list-models', '--provider', 'ollama'], '', { env });
    expect(ollama.stdout).toBe('No available model matches --provider ollama\n');
    expect(ollama.stderr).toBe('No server answers at http://127.0.0.1:9/v1: start it, or set OLLAMA_HOST\n');
  });

  test('lists the models of models.json that match --models', async () => {
    const directories = createDirectories();
    const acme = {
      baseUrl: 'http://127.0.0.1:9',
      api: 'openai-completions',
      models: [{ id: 'a-one' }, { id: 'b-two' }],
    };
    writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { acme, wrong: {} } }));
    const { stdout, stderr } = await runProgram(['--list-models', '--models', 'b-*'], '', { directories });
    expect(rows(stdout).slice(1)).toEqual([['acme', 'b-two', '128K', '16K', 'no', 'no']]);
    expect(stderr).toContain('the provider "wrong" is ignored');
  });
});

describe('without a key', () => {
  test('commands work, and a prompt is rejected with a hint', async () => {
    const program = startRpc(['--provider', 'anthropic', '--no-session']);
    expect(await program.call({ type: 'get_state' })).toMatchObject({ data: { model: { provider: 'anthropic' } } });
    expect(await program.call({ type: 'prompt', message: 'hello' })).toMatchObject({
      success: false,
      error: NO_KEY(program.home),
    });
    expect(await program.call({ type: 'get_available_models' })).toMatchObject({
      data: { models: [expect.objectContaining({ provider: 'parley', id: 'offline' })] },
    });
    expect(await program.call({ type: 'set_model', provider: 'openai', modelId: 'gpt-5.5' })).toMatchObject({
      success: false,
      error: expect.stringContaining('No API key for openai. Set OPENAI_API_KEY'),
    });
    expect(await program.call({ type: 'set_model', provider: 'unknown', modelId: 'x' })).toMatchObject({
      success: false,
      error: 'Model not found: unknown/x',
    });
    expect(await program.call({ type: 'set_model', provider: 'parley', modelId: 'offline' })).toMatchObject({
      success: true,
    });
    program.send({ type: 'prompt', message: 'hello' });
    await program.nextFrame({ type: 'agent_settled' });
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0 });
    expect(program.frames.filter(({ command }) => command === 'prompt')).toHaveLength(2);
  });

  test('print mode reports the reason', async () => {
    const directories = createDirectories();
    const { code, stdout, stderr } = await runProgram(['--model', 'claude-opus-5-5', 'hello'], '', { directories });
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `Error: ${NO_KEY(directories.home)}\n` });
  });

  test('--api-key needs --provider or --model', async () => {
    const { code, stderr } = await runProgram(['--api-key', 'sk-canary-3', 'hello']);
    expect(code).toBe(2);
    expect(stderr).toContain('Flag --api-key requires --provider or --model');
    expect(stderr).not.toContain('canary');
  });
});

describe('with a key', () => {
  const answer = { parts: [{ text: 'Hello from the provider.' }] };

  test.each([
    ['a flag', ['--api-key', KEY, '--provider', 'anthropic'], {}, undefined],
    ['the environment', [], { ANTHROPIC_API_KEY: KEY }, undefined],
    ['auth.json, printed by a command', [], {}, { anthropic: { type: 'api_key', key: `!printf '%s' ${KEY}` } }],
  ])('from %s, the provider answers', async (_, args, env, auth) => {
    const server = await provider();
    server.reply({ answer });
    const directories = createDirectories();
    if (auth) writeFileSync(join(directories.home, 'auth.json'), JSON.stringify(auth), { mode: 0o600 });
    const outcome = await runProgram([...args, '-p', 'hello'], '', {
      directories,
      env: { ...env, ANTHROPIC_BASE_URL: server.url },
    });
    expect(outcome).toMatchObject({ code: 0, stdout: 'Hello from the provider.\n', stderr: '' });
    expect(server.received[0]?.headers).toMatchObject({ 'x-api-key': KEY });
    expect(server.received[0]?.headers['user-agent']).toMatch(/^parley\/\d+\.\d+\.\d+/);
    expect(server.received[0]?.body).toMatchObject({ model: 'claude-opus-5-5' });
  });

  test('the key appears in no tool output, log, session file or stream, also when the provider rejects it', async () => {
    const server = await provider();
    const canary = 'sk-ant-canary-5566';
    const directories = createDirectories();
    const log = join(createTemporaryDirectory(), 'parley.log');
    writeFileSync(join(directories.home, 'auth.json'), '{"anthropic":{"type":"api_key","key":"MY_CLAUDE"}}', {
      mode: 0o600,
    });
    const echo = JSON.stringify({
      type: 'error',
      error: { type: 'authentication_error', message: `invalid x-api-key ${canary}` },
    });
    server.reply(
      {
        lax: true,
        answer: { parts: [{ call: 'toolu_01', name: 'bash', input: { command: 'env' } }], stop: 'tool_use' },
      },
      { lax: true, plain: { status: 401, body: echo } },
    );
    const program = startRpc(['--log-file', log], {
      directories,
      env: { MY_CLAUDE: canary, ANTHROPIC_BASE_URL: server.url, HARMLESS: 'value-to-see' },
    });
    program.send({ type: 'prompt', message: 'look around' });
    await program.nextFrame({ type: 'agent_settled' });
    expect(await program.call({ type: 'bash', command: 'env' })).toMatchObject({ success: true });
    program.stdin.end();
    const { stdout, stderr } = await program.exited;
    expect(server.received.map(({ headers }) => headers['x-api-key'])).toEqual([canary, canary]);
    expect(stdout).toContain('value-to-see');
    expect(stdout).toContain('invalid x-api-key [redacted]');
    const sessionTexts = listPaths(directories.home)
      .filter((path) => path.endsWith('.jsonl'))
      .map((path) => readFileSync(join(directories.home, path), 'utf8'));
    expect(sessionTexts).toHaveLength(1);
    for (const text of [stdout, stderr, readFileSync(log, 'utf8'), ...sessionTexts])
      expect(text).not.toContain('canary-5566');
  });

  test.each([
    ['a line break inside', 'sk-one\ntwo', 'a line break at character 7'],
    ['a control character', 'sk-\u0001x', 'the control character U+0001 at character 4'],
    ['a letter that is not ASCII', 'sk-ключ', 'U+043A, which is not ASCII, at character 4'],
  ])('a key with %s is rejected with a message that names its source', async (_, key, found) => {
    const server = await provider();
    const messageFor = (source: string) =>
      `The key of anthropic contains ${found}: HTTP headers cannot carry it. Set it again in ${source}.`;
    const ask = async (env: Record<string, string>, auth?: object, args: readonly string[] = []) => {
      const directories = createDirectories();
      if (auth) writeFileSync(join(directories.home, 'auth.json'), JSON.stringify(auth), { mode: 0o600 });
      const flags = ['--provider', 'anthropic', '--no-session', ...args, 'hello'];
      const outcome = await runProgram(flags, '', { directories, env: { ANTHROPIC_BASE_URL: server.url, ...env } });
      return { ...outcome, directories };
    };
    const byVariable = await ask({ ANTHROPIC_API_KEY: key });
    expect(byVariable).toMatchObject({ code: 1, stderr: `Error: ${messageFor('the variable ANTHROPIC_API_KEY')}\n` });
    const byFlag = await ask({}, undefined, ['--api-key', key]);
    expect(byFlag.stderr).toBe(`Error: ${messageFor('--api-key')}\n`);
    const byFile = await ask({}, { anthropic: { type: 'api_key', key } });
    expect(byFile.stderr).toBe(`Error: ${messageFor(`${byFile.directories.home}/auth.json`)}\n`);
    expect(server.received).toEqual([]);
  });

  test('surrounding white space of a key is removed, in auth.json and in the environment', async () => {
    const server = await provider();
    for (const auth of [undefined, { anthropic: { type: 'api_key', key: ` ${KEY}\r\n` } }]) {
      server.reply({ answer });
      const directories = createDirectories();
      if (auth) writeFileSync(join(directories.home, 'auth.json'), JSON.stringify(auth), { mode: 0o600 });
      const env = { ANTHROPIC_BASE_URL: server.url, ...(auth ? {} : { ANTHROPIC_API_KEY: `${KEY}\r` }) };
      expect(await runProgram(['-p', 'hello'], '', { directories, env })).toMatchObject({ code: 0 });
      expect(server.received.at(-1)?.headers).toMatchObject({ 'x-api-key': KEY });
    }
  });

  test.each([
    [{ 'x-team': 'one\ntwo' }, 'The header x-team of acme contains a line break at character 4: HTTP cannot carry it.'],
    [{ 'x team': 'one' }, '"x team" cannot be the name of an HTTP header.'],
  ])('an invalid header in models.json is reported: %j', async (headers, sentence) => {
    const directories = createDirectories();
    const acme = { baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', headers, models: [{ id: 'one' }] };
    writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { acme } }));
    const { code, stderr } = await runProgram(['--no-session', '--model', 'acme/one', 'hello'], '', { directories });
    expect(code).toBe(1);
    expect(stderr).toContain(sentence);
  });

  test('cycle_model cycles through the models of --models', async () => {
    const program = startRpc(['--models', 'haiku-4,parley', '--no-session'], { env: { ANTHROPIC_API_KEY: KEY } });
    const cycle = async () => (await program.call({ type: 'cycle_model' })).data;
    expect(await cycle()).toMatchObject({ model: { id: 'offline' }, isScoped: true });
    expect(await cycle()).toMatchObject({ model: { id: 'claude-haiku-4-5' }, isScoped: true });
    program.stdin.end();
    await program.exited;
  });

  test('an auth.json that other users can read is reported on stderr', async () => {
    const directories = createDirectories();
    writeFileSync(join(directories.home, 'auth.json'), '{}');
    chmodSync(join(directories.home, 'auth.json'), 0o644);
    const { code, stderr } = await runProgram(['--model', 'parley/offline', 'hello'], '', { directories });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `${directories.home}/auth.json can be read by others; make it private: chmod 600 ${directories.home}/auth.json\n`,
    });
  });
});
