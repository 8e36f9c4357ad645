// Without an API key: the offline model is announced, and fails for requests that it does not support. If a provider is configured, it is
// not used.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';
import { startRecordingProvider } from '../support/recording-provider.ts';

const NOTICE = 'No provider key was found, so the offline model is used: ';
const TASK = 'fix the failing test';
const CANNOT =
  'Error: The offline model cannot carry this out. I did not understand “fix the failing test”. Set the key';

describe('no provider is configured', () => {
  test.each(['text', 'json'])('%s mode: announced once on stderr; a supported request succeeds', async (mode) => {
    const { code, stdout, stderr } = await runProgram(['--mode', mode, 'say `hi`']);
    expect(code).toBe(0);
    expect(stdout).toContain('hi');
    expect(stdout).not.toContain(NOTICE);
    expect(stderr.split('\n')).toEqual([expect.stringContaining(NOTICE), '']);
  });

  test.each(['text', 'json'])('%s mode: an unsupported request is an error', async (mode) => {
    const { code, stderr } = await runProgram(['--mode', mode, TASK]);
    expect(code).toBe(1);
    expect(stderr.split('\n')).toEqual([expect.stringContaining(NOTICE), expect.stringContaining(CANNOT), '']);
  });

  test.each([
    ['--no-tools', 'run `true`', 'that needs the tool `bash`, which is not available.'],
    ['--no-session', 'list src and then prove the theorem', 'I did not understand “prove the theorem”.'],
  ])('%s "%s" is an error', async (flag, message, words) => {
    const { code, stderr } = await runProgram([flag, message]);
    expect(code).toBe(1);
    expect(stderr).toContain(`The offline model cannot carry this out. `);
    expect(stderr).toContain(words);
  });

  test('a failed command is reported, and the run succeeds', async () => {
    expect(await runProgram(['run `false`'])).toMatchObject({ code: 0 });
  });

  test.each(['omp', 'pi'])(
    '%s: one notice; the failing run ends with stopReason error and is not retried',
    async (dialect) => {
      const program = startRpc(['--dialect', dialect]);
      expect(await program.nextFrame({ type: 'notice' })).toMatchObject({
        level: 'info',
        message: expect.stringContaining(NOTICE),
      });
      // A text that looks like a temporary error of a provider.
      program.send({ id: 'p', type: 'prompt', message: 'why is it 503 overloaded' });
      expect(await program.nextFrame({ type: 'agent_end' })).toMatchObject({
        willRetry: false,
        messages: [{ role: 'user' }, { role: 'assistant', stopReason: 'error' }],
      });
      await program.nextFrame({ type: 'agent_settled' });
      program.send({ id: 'q', type: 'prompt', message: 'say `hi`' });
      expect(await program.nextFrame({ type: 'agent_end' })).toMatchObject({
        messages: [{ role: 'user' }, { role: 'assistant', stopReason: 'stop' }],
      });
      expect(program.frames.filter(({ type }) => type === 'notice')).toHaveLength(1);
      program.stdin.end();
      expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    },
  );

  test('pi-legacy: one line on stderr, because it has no notice frame', async () => {
    const program = startRpc(['--dialect', 'pi-legacy']);
    program.send({ type: 'prompt', message: 'say `hi`' });
    await program.nextFrame({ type: 'agent_end' });
    program.stdin.end();
    const { code, stdout, stderr } = await program.exited;
    expect(code).toBe(0);
    expect(stdout).not.toContain(NOTICE);
    expect(stderr.split('\n')).toEqual([expect.stringContaining(NOTICE), '']);
  });

  test('opal: a status_update for each session', async () => {
    const program = startRpc(['--dialect', 'opal']);
    program.send({ jsonrpc: '2.0', id: 1, method: 'session/start', params: { session_id: 's' } });
    expect(await program.nextFrame((frame) => frame.id === 1)).toHaveProperty('result');
    program.send({ jsonrpc: '2.0', id: 2, method: 'agent/prompt', params: { session_id: 's', text: 'say `hi`' } });
    const status = await program.nextFrame((frame) => JSON.stringify(frame).includes(NOTICE));
    expect(status).toMatchObject({ method: 'agent/event', params: { session_id: 's', type: 'status_update' } });
  });

  test('a selected offline model is not announced', async () => {
    expect(await runProgram(['--model', 'parley/offline', 'say `hi`'])).toMatchObject({ code: 0, stderr: '' });
    const directories = createDirectories();
    writeFileSync(join(directories.home, 'settings.json'), '{"defaultModel": "parley/offline"}');
    expect(await runProgram(['say `hi`'], '', { directories })).toMatchObject({ code: 0, stderr: '' });
  });

  test('tokens that other programs also use do not configure a provider', async () => {
    const env = { GITHUB_TOKEN: 'x', HF_TOKEN: 'y' };
    expect(await runProgram(['say `hi`'], '', { env })).toMatchObject({ code: 0, stdout: 'hi\n' });
  });
});

describe('a configured provider cannot be used: an error, and nothing runs', () => {
  const CASES: [env: Record<string, string>, words: string][] = [
    [{ ANTHROPIC_API_KEY: '' }, 'ANTHROPIC_API_KEY is set but empty, so Anthropic cannot be used. Set it to a key.'],
    [{ OPENAI_API_KEY: '', GITHUB_TOKEN: 'x' }, 'OPENAI_API_KEY is set but empty, so OpenAI cannot be used.'],
    [
      { AWS_PROFILE: 'work' },
      'AWS_PROFILE is set, but Amazon Bedrock is used only when it is selected explicitly: choose it with --provider amazon-bedrock',
    ],
    [
      { AZURE_OPENAI_API_KEY: 'k' },
      'AZURE_OPENAI_API_KEY is set, but Azure OpenAI is used only when it is selected explicitly',
    ],
    [{ OLLAMA_HOST: '127.0.0.1' }, 'OLLAMA_HOST is set, but Ollama is used only when it is selected explicitly'],
    [
      { OPENAI_BASE_URL: 'http://127.0.0.1:9' },
      'OPENAI_BASE_URL is set, but there is no key for OpenAI. Set OPENAI_API_KEY.',
    ],
  ];

  test.each(CASES)('%j', async (env, words) => {
    const message = `No model can be used. ${words}`;
    for (const mode of ['text', 'json']) {
      const { code, stdout, stderr } = await runProgram(['--mode', mode, 'say `hi`'], '', { env });
      expect(code).toBe(1);
      // The name of the temporary directory is random.
      expect(stdout.replace(/"cwd":"[^"]*"/, '')).not.toContain('hi');
      expect(stderr).toContain(`Error: ${message}`);
    }
    const program = startRpc([], { env });
    expect(await program.call({ type: 'get_state' })).toMatchObject({ data: { model: null } });
    expect(await program.call({ type: 'prompt', message: 'say `hi`' })).toMatchObject({
      success: false,
      error: expect.stringContaining(message),
    });
    program.stdin.end();
    await program.exited;
    expect(program.frames.filter(({ type }) => type === 'notice')).toMatchObject([
      { level: 'warning', message: expect.stringContaining(message) },
    ]);
  });

  test.each([
    [
      'auth.json',
      '{"anthropic": {"type": "api_key", "key": "UNSET_VARIABLE_NAME"}}',
      'auth.json has an entry for Anthropic',
    ],
    [
      'models.json',
      '{"providers": {"mine": {"baseUrl": "http://127.0.0.1:9", "api": "openai-completions", "apiKey": "UNSET_VARIABLE_NAME", "models": [{"id": "m"}]}}}',
      'models.json defines mine',
    ],
    ['settings.json', '{"defaultProvider": "anthropic"}', 'No API key for anthropic. Set ANTHROPIC_API_KEY'],
    [
      'settings.json',
      '{"defaultModel": "unknown/none"}',
      'The model named in the settings cannot be used: Model not found: unknown/none.',
    ],
  ])('%s: %s', async (file, text, words) => {
    const directories = createDirectories();
    writeFileSync(join(directories.home, file), text, { mode: 0o600 });
    const { code, stdout, stderr } = await runProgram(['say `hi`'], '', { directories });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(words);
  });

  test.each([
    [['--provider', 'anthropic'], 'No API key for anthropic.'],
    [['--model', 'anthropic/claude-opus-5-5'], 'No API key for anthropic.'],
    [['--models', 'sonnet'], 'No model can be used. No usable model matches --models sonnet.'],
    [['--api-key', 'k'], 'Flag --api-key requires --provider or --model'],
  ])('%j', async (flags, words) => {
    const { code, stdout, stderr } = await runProgram([...flags, 'say `hi`']);
    expect([1, 2]).toContain(code);
    expect(stdout).toBe('');
    expect(stderr).toContain(words);
  });

  test('doctor reports the same', async () => {
    const { code, stdout } = await runProgram(['doctor'], '', { env: { ANTHROPIC_API_KEY: '' } });
    expect(code).toBe(1);
    expect(stdout).toContain('no model can be used. ANTHROPIC_API_KEY is set but empty');
  });
});

describe('with another available model the offline model', () => {
  const withModel = async () => {
    const directories = createDirectories();
    const provider = await startRecordingProvider(['from the provider']);
    provider.writeModelsFile(directories.home, { models: [{ id: 'm' }, { id: 'n' }] });
    return directories;
  };

  test('is not listed and not part of cycle_model', async () => {
    const directories = await withModel();
    const program = startRpc([], { directories });
    const { data } = await program.call({ type: 'get_available_models' });
    expect((data as { models: { id: string }[] }).models.map(({ id }) => id)).toEqual(['m', 'n']);
    for (const id of ['n', 'm', 'n']) {
      expect(await program.call({ type: 'cycle_model' })).toMatchObject({ data: { model: { id } } });
    }
    expect((await runProgram(['--list-models'], '', { directories })).stdout).not.toContain('offline');
  });

  test('can be selected by name', async () => {
    const program = startRpc([], { directories: await withModel() });
    expect(await program.call({ type: 'set_model', provider: 'parley', modelId: 'offline' })).toMatchObject({
      success: true,
    });
  });

  test('is replaced in a session that was started without a key', async () => {
    const directories = createDirectories();
    await runProgram(['--session-id', 's', 'say `hi`'], '', { directories });
    const provider = await startRecordingProvider(['from the provider']);
    provider.writeModelsFile(directories.home);
    const { stdout } = await runProgram(['--session-id', 's', 'and now?'], '', { directories });
    expect(stdout).toBe('from the provider\n');
  });
});
