// Names of models on the command line and on the wire: parts of names, thinking levels, and ids that no list contains.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KEY, startAnthropicMessages } from '../llm/servers/anthropic-messages.ts';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';

const ENV = { ANTHROPIC_API_KEY: KEY };
const NOTICE = /^The model (\S+) is not in the list of models\. Its limits and prices are assumed/;

async function startProvider() {
  const server = await startAnthropicMessages();
  onTestFinished(() => server.close());
  server.reply({ lax: true, answer: { parts: [{ text: 'Hello.' }] } });
  return { server, env: { ...ENV, ANTHROPIC_BASE_URL: server.url } };
}

describe('print mode', () => {
  test('an id that no list contains is sent to the provider, with one notice on stderr', async () => {
    const { server, env } = await startProvider();
    const directories = createDirectories();
    const first = await runProgram(['--model', 'anthropic/claude-opus-99', 'hello'], '', { directories, env });
    expect(first).toMatchObject({ code: 0, stdout: 'Hello.\n' });
    expect(server.received[0]?.body).toMatchObject({ model: 'claude-opus-99', max_tokens: 128_000 });
    expect(first.stderr.match(NOTICE)?.[1]).toBe('anthropic/claude-opus-99');
    expect(first.stderr).toContain(`${directories.home}/models.json`);
    expect(first.stderr.trimEnd().split('\n')).toHaveLength(1);
    // The resumed session continues with the same model.
    server.reply({ lax: true, answer: { parts: [{ text: 'Again.' }] } });
    const second = await runProgram(['--continue', 'again'], '', { directories, env });
    expect(second).toMatchObject({ code: 0, stdout: 'Again.\n' });
    expect(server.received[1]?.body).toMatchObject({ model: 'claude-opus-99' });
    expect(second.stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(NOTICE)]);
  });

  test('settings may name one as well, and a declaration in models.json removes the notice', async () => {
    const { server, env } = await startProvider();
    const directories = createDirectories();
    writeFileSync(join(directories.home, 'settings.json'), '{"defaultModel":"anthropic/claude-opus-99:low"}');
    writeFileSync(
      join(directories.home, 'models.json'),
      JSON.stringify({ providers: { anthropic: { models: [{ id: 'claude-opus-99', maxTokens: 3000 }] } } }),
    );
    expect(await runProgram(['hello'], '', { directories, env })).toMatchObject({ code: 0, stderr: '' });
    expect(server.received[0]?.body).toMatchObject({ model: 'claude-opus-99', max_tokens: 3000 });
  });

  test.each([
    [['--model', 'claude'], 'Error: Model not found: claude matches several models: anthropic/claude-haiku-5-5, '],
    [['--model', 'opnai/gpt-5.5'], 'Error: Model not found: opnai/gpt-5.5 (did you mean openai/gpt-5.5?).'],
    [['--provider', 'opnai'], 'Error: Unknown provider: opnai (did you mean openai?). Known providers: anthropic, '],
    [
      ['--model', 'claude-opus-5-5:hihg'],
      '"hihg" is not a thinking level: use off, minimal, low, medium, high, xhigh.',
    ],
  ])('%j is refused with candidates', async (args, message) => {
    const { code, stderr } = await runProgram([...args, 'hello'], '', { env: ENV });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});

describe('RPC mode', () => {
  test.each(['omp', 'pi'])('in %s, set_model accepts any id of a known provider, with one notice', async (dialect) => {
    const program = startRpc(['--dialect', dialect, '--no-session', '--model', 'anthropic/claude-opus-98'], {
      env: ENV,
    });
    await program.nextFrame({ type: 'notice' });
    const choice = { type: 'set_model', provider: 'anthropic', modelId: 'claude-opus-99' };
    for (let i = 0; i < 2; i++) {
      expect(await program.call(choice)).toMatchObject({
        success: true,
        data: { id: 'claude-opus-99', provider: 'anthropic', contextWindow: 1_000_000 },
      });
    }
    expect(await program.call({ ...choice, provider: 'none' })).toMatchObject({
      success: false,
      error: 'Model not found: none/claude-opus-99',
    });
    program.stdin.end();
    const { stderr } = await program.exited;
    expect(stderr).toBe('');
    const notices = program.frames.filter(({ type }) => type === 'notice').map(({ message }) => String(message));
    expect(notices.map((message) => message.match(NOTICE)?.[1])).toEqual([
      'anthropic/claude-opus-98',
      'anthropic/claude-opus-99',
    ]);
  });

  test('in opal, model/set and session/start accept them for a provider with a key', async () => {
    const program = startRpc(['--dialect', 'opal', '--no-session'], { env: ENV });
    const call = async (id: number, method: string, params: object) => {
      program.send({ jsonrpc: '2.0', id, method, params });
      return program.nextFrame((frame) => frame.id === id);
    };
    const model = { provider: 'anthropic', id: 'claude-opus-99' };
    await call(1, 'session/start', { session_id: 'a', model });
    expect(await call(2, 'agent/state', { session_id: 'a' })).toMatchObject({ result: { model } });
    for (const [id, name] of [
      [3, 'anthropic/claude-x'],
      [4, 'anthropic:claude-x'],
    ] as const)
      expect(await call(id, 'model/set', { session_id: 'a', model_id: name })).toMatchObject({
        result: { model: { provider: 'anthropic', id: 'claude-x' } },
      });
    expect(await call(5, 'model/set', { session_id: 'a', model_id: 'openai/gpt-99' })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('Model not found: openai/gpt-99') },
    });
    // A provider without a key is ignored, as any wrong model at the start.
    await call(6, 'session/start', { session_id: 'b', model: { provider: 'openai', id: 'gpt-99' } });
    expect(await call(7, 'agent/state', { session_id: 'b' })).toMatchObject({
      result: { model: { provider: 'anthropic' } },
    });
    program.stdin.end();
    await program.exited;
  });

  test('a part of a name and a thinking level select a model, and cycle_model uses the levels of --models', async () => {
    const program = startRpc(['--no-session', '--model', 'sonnet:low'], { env: ENV });
    expect(await program.call({ type: 'get_state' })).toMatchObject({
      data: { model: { id: 'claude-sonnet-5-5' }, thinkingLevel: 'low' },
    });
    program.stdin.end();
    await program.exited;
    const scoped = startRpc(['--no-session', '--models', 'opus:high,haiku:low,sonnet-4-5'], { env: ENV });
    expect(await scoped.call({ type: 'get_state' })).toMatchObject({
      data: { model: { id: 'claude-opus-5-5' }, thinkingLevel: 'high' },
    });
    const cycled = [];
    for (let i = 0; i < 3; i++) cycled.push((await scoped.call({ type: 'cycle_model' })).data);
    expect(cycled).toMatchObject([
      { model: { id: 'claude-haiku-5-5' }, thinkingLevel: 'low', isScoped: true },
      { model: { id: 'claude-sonnet-4-5' }, thinkingLevel: 'low', isScoped: true },
      { model: { id: 'claude-opus-5-5' }, thinkingLevel: 'high', isScoped: true },
    ]);
    scoped.stdin.end();
    await scoped.exited;
  });

  test('an extension that declares the model is waited for, and there is no notice', async () => {
    const directories = createDirectories();
    mkdirSync(join(directories.home, 'extensions'));
    const models = "[{ id: 'claude-own', contextWindow: 4321 }]";
    writeFileSync(
      join(directories.home, 'extensions/own.ts'),
      `export default (pi) => pi.registerProvider('anthropic', { models: ${models} });`,
    );
    const program = startRpc(['--no-session', '--model', 'anthropic/claude-own'], { directories, env: ENV });
    expect(await program.call({ type: 'get_state' })).toMatchObject({ data: { model: { contextWindow: 4321 } } });
    program.stdin.end();
    await program.exited;
    expect(program.frames.filter(({ type }) => type === 'notice')).toEqual([]);
  });
});
