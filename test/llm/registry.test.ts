// Which model an agent begins with, which can be used, and what each request carries.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_MODELS, defaultModelOf } from '../../src/llm/defaults.ts';
import { apiLoaders, offlineModel } from '../../src/llm/index.ts';
import { OFFLINE_API } from '../../src/llm/offline/model.ts';
import { findProvider } from '../../src/llm/providers/providers.ts';
import { selectModel } from '../../src/llm/selection.ts';
import type { Model } from '../../src/protocol/index.ts';
import { observe } from './contract.ts';
import { modelStage, nameOf, requestFor, type StageOptions } from './model-stage.ts';

const ANTHROPIC = { ANTHROPIC_API_KEY: 'sk-ant-test' };
const first = async (options: StageOptions) => nameOf(await modelStage(options).models.initial());

describe('words that mean a model', () => {
  const model = (provider: string, id: string, name = id): Model => ({
    ...offlineModel,
    provider,
    id,
    name,
    api: 'wire',
  });
  const many = [
    offlineModel,
    model('anthropic', 'claude-opus-5', 'Claude Opus'),
    model('anthropic', 'claude-haiku-5', 'Claude Haiku'),
    model('router', 'anthropic/claude-opus-5', 'Opus via router'),
    model('openai', 'GPT-9'),
    model('azure', 'GPT-9'),
  ];

  test.each([
    [{ provider: 'anthropic', model: 'claude-haiku-5' }, 'anthropic/claude-haiku-5'],
    [{ model: 'anthropic/claude-haiku-5' }, 'anthropic/claude-haiku-5'],
    [{ model: 'claude-opus-5' }, 'anthropic/claude-opus-5'],
    [{ model: 'anthropic/claude-opus-5' }, 'anthropic/claude-opus-5'],
    [{ provider: 'router', model: 'opus' }, 'router/anthropic/claude-opus-5'],
    [{ provider: 'Anthropic' }, 'anthropic/claude-opus-5'],
    [{ model: 'anthropic' }, 'anthropic/claude-opus-5'],
    [{ model: 'gpt-9' }, 'openai/GPT-9'],
    [{ model: 'HAIKU' }, 'anthropic/claude-haiku-5'],
    [{ provider: 'parley', model: 'offline' }, 'parley/offline'],
  ])('%j means %s', (wanted, name) => {
    expect(nameOf(selectModel(many, wanted))).toBe(name);
  });

  test('where several fit, the one that can be used', () => {
    expect(nameOf(selectModel(many, { model: 'gpt-9' }, ({ provider }) => provider === 'azure'))).toBe('azure/GPT-9');
    expect(nameOf(selectModel(many, { model: 'opus' }, ({ provider }) => provider === 'router'))).toBe(
      'router/anthropic/claude-opus-5',
    );
  });

  test.each([
    [{ provider: 'anthropic', model: 'gpt-9' }, 'Model not found: anthropic/gpt-9.'],
    [{ model: 'nothing' }, 'Model not found: nothing.'],
    [{ provider: 'nobody' }, 'Model not found: nobody.'],
    [{ model: 'claude' }, 'Model not found: claude could be any of anthropic/claude-opus-5, anthropic/claude-haiku-5,'],
  ])('%j is refused', (wanted, sentence) => {
    expect(() => selectModel(many, wanted)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => selectModel(many, wanted)).toThrow(sentence);
    expect(() => selectModel(many, wanted)).toThrow('--list-models');
  });
});

describe('the model to begin with', () => {
  test('without anything it is the offline one, after one look at each file', async () => {
    const stage = modelStage();
    expect(await stage.models.initial()).toBe(offlineModel);
    expect([...stage.touched].sort()).toEqual(['auth.json', 'models.json']);
  });

  test('a key decides, in a fixed order', async () => {
    expect(await first({ env: ANTHROPIC })).toBe('anthropic/claude-opus-5-5');
    expect(await first({ env: { OPENAI_API_KEY: 'sk' } })).toBe('openai/gpt-6.1-sol');
    expect(await first({ env: { GROQ_API_KEY: 'k', OPENROUTER_API_KEY: 'k' } })).toBe(
      'openrouter/anthropic/claude-opus-5.5',
    );
    expect(await first({ env: { OPENAI_API_KEY: 'sk', ...ANTHROPIC } })).toBe('anthropic/claude-opus-5-5');
    const files = { 'auth.json': { mistral: { type: 'api_key', key: 'k' } } };
    expect(await first({ files })).toBe('mistral/mistral-medium-3-5');
  });

  test.each([...DEFAULT_MODELS.keys()])('the key of %s leads to the model that the catalogue has', async (provider) => {
    const env = { [findProvider(provider)!.env[0]!]: 'k', ANTHROPIC_BASE_URL: 'https://proxy.example/' };
    const { models } = modelStage({ env });
    const model = await models.initial();
    expect(model).toEqual(await models.find(provider, defaultModelOf(provider)!));
    // What is described elsewhere may change it, and an address that is none makes it unusable.
    const files = {
      'models.json': { providers: { [provider]: { modelOverrides: { [model!.id]: { name: 'Mine' } } } } },
    };
    expect(await modelStage({ env, files }).models.initial()).toMatchObject({ id: model!.id, name: 'Mine' });
  });

  test('a provider whose address is none is passed over, with a warning', async () => {
    const stage = modelStage({ env: { ...ANTHROPIC, ANTHROPIC_BASE_URL: 'nonsense', OPENAI_API_KEY: 'k' } });
    expect(nameOf(await stage.models.initial())).toBe('openai/gpt-6.1-sol');
    expect(stage.warnings).toEqual([expect.stringContaining('ANTHROPIC_BASE_URL is no web address: nonsense')]);
  });

  test.each(['GITHUB_TOKEN', 'HF_TOKEN'])(
    '%s alone, which other programs use too, decides nothing',
    async (variable) => {
      const { models } = modelStage({ env: { [variable]: '127.0.0.1:9' } });
      expect(nameOf(await models.initial())).toBe('parley/offline');
      expect(models.absence).toContain('No key of a provider was found');
    },
  );

  test.each([
    ['AWS_PROFILE', 'x', 'AWS_PROFILE is set, but Amazon Bedrock is used only when it is named'],
    ['GOOGLE_APPLICATION_CREDENTIALS', 'x', 'Google Vertex AI is used only when it is named'],
    ['OLLAMA_HOST', '127.0.0.1:9', 'Ollama is used only when it is named'],
    ['ANTHROPIC_API_KEY', '', 'ANTHROPIC_API_KEY is set but empty, so Anthropic cannot be used'],
    ['ANTHROPIC_BASE_URL', 'http://127.0.0.1:9', 'there is no key for Anthropic. Set ANTHROPIC_API_KEY.'],
  ])('%s=%s points at a provider: no model, and the reason', async (variable, value, sentence) => {
    const { models } = modelStage({ env: { [variable]: value } });
    expect(await models.initial()).toBeNull();
    expect(models.absence).toContain(sentence);
    expect(models.absence).toContain('The offline model answers only when it is named: --model parley/offline.');
  });

  test('a provider of one’s own comes after the known ones', async () => {
    const acme = {
      baseUrl: 'http://127.0.0.1:9',
      api: 'openai-completions',
      apiKey: 'k',
      models: [{ id: 'one' }, { id: 'two' }],
    };
    const files = { 'models.json': { providers: { acme } } };
    expect(await first({ files })).toBe('acme/one');
    expect(await first({ files, env: ANTHROPIC })).toBe('anthropic/claude-opus-5-5');
  });

  test('a provider whose format nobody speaks here is passed over, and the offline model does not stand in for it', async () => {
    const { [OFFLINE_API]: offline } = apiLoaders({ clock: { now: () => 0 } });
    expect(await first({ env: ANTHROPIC, apis: { [OFFLINE_API]: offline! } })).toBeUndefined();
  });

  test('flags come before settings, settings before keys', async () => {
    const preferred = { provider: 'openai', model: 'gpt-5.5' };
    expect(await first({ env: ANTHROPIC, preferred })).toBe('openai/gpt-5.5');
    expect(await first({ env: ANTHROPIC, preferred, asked: { model: 'claude-haiku-4-5' } })).toBe(
      'anthropic/claude-haiku-4-5',
    );
    expect(await first({ env: ANTHROPIC, preferred: { provider: 'openai' } })).toBe('openai/gpt-6.1-sol');
    expect(await first({ preferred: { model: 'parley/offline' }, env: ANTHROPIC })).toBe('parley/offline');
  });

  test('of the same model at two providers, the one with a key', async () => {
    const env = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_BASE_URL: 'https://mine.example' };
    expect(await first({ asked: { model: 'gpt-5.5' }, env })).toBe('azure/gpt-5.5');
    expect(await first({ asked: { model: 'gpt-5.5' } })).toBe('openai/gpt-5.5');
  });

  test('a model that was asked for and has no key is not replaced: it refuses to work', async () => {
    const { models, directory } = modelStage({ asked: { provider: 'anthropic' } });
    const model = await models.initial();
    expect(nameOf(model)).toBe('anthropic/claude-opus-5-5');
    await expect(models.ready(model!)).rejects.toMatchObject({
      code: 'no_credentials',
      message: `No API key for anthropic. Set ANTHROPIC_API_KEY, or add a key for "anthropic" to ${directory}/auth.json.`,
    });
  });

  test('an unknown one is a fault when a flag names it, and no model at all when a setting does', async () => {
    await expect(first({ asked: { model: 'nope' } })).rejects.toThrow('Model not found: nope. List the models');
    const { models, warnings } = modelStage({ preferred: { model: 'nope' }, env: ANTHROPIC });
    expect(await models.initial()).toBeNull();
    expect(warnings).toEqual([
      'The model that the settings name cannot be used: Model not found: nope. List the models with --list-models.',
    ]);
  });

  test('the key of the command line is for whom it names', async () => {
    const byModel = modelStage({ asked: { model: 'claude-haiku-4-5' }, apiKey: 'sk-flag' });
    await byModel.models.ready((await byModel.models.initial())!);
    expect(byModel.redacted).toContain('sk-flag');
    const byProvider = modelStage({ asked: { provider: 'Groq' }, apiKey: 'sk-flag' });
    expect((await byProvider.models.available()).map(({ provider }) => provider)).toContain('groq');
    await expect(byProvider.models.ready((await byModel.models.initial())!)).rejects.toThrow(
      'No API key for anthropic',
    );
    await expect(first({ apiKey: 'sk-flag' })).rejects.toMatchObject({ code: 'config' });
  });

  test('with --models it is the first of them, unless the settings name one of them', async () => {
    const patterns = ['haiku', 'gpt-5.5'];
    const env = { ...ANTHROPIC, OPENAI_API_KEY: 'k' };
    expect(await first({ env, patterns })).toBe('anthropic/claude-haiku-4-5');
    expect(await first({ env, patterns, preferred: { model: 'openai/gpt-5.5' } })).toBe('openai/gpt-5.5');
    expect(await first({ env, patterns, preferred: { model: 'openai/o3' } })).toBe('anthropic/claude-haiku-4-5');
    const stage = modelStage({ env, patterns: ['nothing-like-it'] });
    expect(nameOf(await stage.models.initial())).toBe('anthropic/claude-opus-5-5');
    expect(stage.warnings).toEqual([
      'No model that can be used matches --models nothing-like-it. List them with --list-models',
    ]);
  });
});

describe('models that can be used', () => {
  test('are those with a key, in a stable order, without the offline one', async () => {
    const { models } = modelStage({ env: { DEEPSEEK_API_KEY: 'k', ...ANTHROPIC } });
    const names = (await models.available()).map(nameOf);
    expect(new Set(names.map((name) => name?.split('/')[0]))).toEqual(new Set(['anthropic', 'deepseek']));
    expect(names.indexOf('deepseek/deepseek-v4-pro')).toBeGreaterThan(names.indexOf('anthropic/claude-sonnet-5-5'));
    expect((await models.available()).map(nameOf)).toEqual(names);
  });

  test('none without an address', async () => {
    const { models } = modelStage({ env: { AZURE_OPENAI_API_KEY: 'k' } });
    expect((await models.available()).map(nameOf)).toEqual(['parley/offline']);
    await expect(models.ready((await models.find('azure', 'gpt-5.5'))!)).rejects.toThrow(
      'No address for azure. Set AZURE_OPENAI_BASE_URL.',
    );
  });

  test.each([
    ['ANTHROPIC_BASE_URL', 'http://127.0.0.1:1', 'anthropic', 'claude-opus-5-5'],
    ['OPENAI_BASE_URL', 'http://127.0.0.1:1/v1', 'openai', 'gpt-5.5'],
  ])('%s moves them', async (variable, address, provider, id) => {
    const { models } = modelStage({ env: { [variable]: address } });
    expect((await models.find(provider, id))?.baseUrl).toBe(address);
  });

  test('an address that is none is told, and costs only its provider', async () => {
    const { models, warnings } = modelStage({
      env: { ...ANTHROPIC, OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'not an address' },
    });
    const providers = new Set((await models.available()).map(({ provider }) => provider));
    expect(providers).toEqual(new Set(['anthropic']));
    await models.available();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('OPENAI_BASE_URL is no web address');
    await expect(models.find('openai', 'gpt-5.5')).rejects.toThrow('OPENAI_BASE_URL');
  });

  test('are found by their exact names only, also without a key', async () => {
    const { models } = modelStage();
    expect(await models.find('parley', 'offline')).toBe(offlineModel);
    expect(await models.find('parley', 'off')).toBeUndefined();
    expect(await models.find('nobody', 'x')).toBeUndefined();
    expect(nameOf(await models.find('anthropic', 'claude-opus-5-5'))).toBe('anthropic/claude-opus-5-5');
    await expect(models.ready(offlineModel)).resolves.toBeUndefined();
    await expect(models.ready({ ...offlineModel, api: 'unheard-of' })).rejects.toMatchObject({ code: 'no_model' });
  });
});

describe('the scope of cycle_model', () => {
  const scope = async (patterns: string[]) =>
    (await modelStage({ env: { ...ANTHROPIC, OPENAI_API_KEY: 'k' }, patterns }).models.scope())?.map(nameOf);

  test.each([
    [['haiku-5'], ['anthropic/claude-haiku-5-5']],
    [['anthropic/claude-opus-4-?'], ['5', '6', '7', '8'].map((minor) => `anthropic/claude-opus-4-${minor}`)],
    [['gpt-4*mini'], ['openai/gpt-4.1-mini', 'openai/gpt-4o-mini']],
    [
      ['GPT-5.5:high', 'gpt-5.5'],
      ['openai/gpt-5.5', 'openai/gpt-5.5-pro'],
    ],
    [
      ['o3', 'parley'],
      ['openai/o3', 'openai/o3-pro', 'parley/offline'],
    ],
    [['mistral'], []],
    [['*off*'], []],
  ])('%j', async (patterns, names) => {
    expect(await scope(patterns)).toEqual(names);
  });

  test('is not there without patterns', async () => {
    expect(await modelStage().models.scope()).toBeUndefined();
    expect(await scope([])).toBeUndefined();
  });
});

describe('servers of one’s own', () => {
  async function ollama(names: readonly string[]) {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.setHeader('content-type', 'application/json');
      if (request.url === '/api/tags') return response.end(JSON.stringify({ models: names.map((name) => ({ name })) }));
      response.end(
        JSON.stringify({ capabilities: ['completion', 'tools'], model_info: { 'x.context_length': 40960 } }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  test('--provider ollama begins with what the server has, and lists it', async () => {
    const { host } = await ollama(['qwen3:8b', 'llama3.3:70b']);
    const env = { OLLAMA_HOST: host };
    const { models } = modelStage({ env, asked: { provider: 'ollama' } });
    const model = await models.initial();
    expect(model).toMatchObject({
      provider: 'ollama',
      id: 'qwen3:8b',
      contextWindow: 40960,
      baseUrl: `http://${host}/v1`,
    });
    await expect(models.ready(model!)).resolves.toBeUndefined();
    expect((await models.available()).map(nameOf)).toEqual(['ollama/qwen3:8b', 'ollama/llama3.3:70b']);
    expect(await first({ env, asked: { model: 'ollama/llama3.3:70b' } })).toBe('ollama/llama3.3:70b');
    expect(await first({ env, asked: { provider: 'ollama', model: 'llama' } })).toBe('ollama/llama3.3:70b');
    expect(nameOf(await models.find('ollama', 'llama3.3:70b'))).toBe('ollama/llama3.3:70b');
  });

  test('one that nobody named is not asked', async () => {
    const { host, asked } = await ollama(['qwen3:8b']);
    // Where it would be asked if it were.
    const fetch: typeof globalThis.fetch = (input) => globalThis.fetch(String(input).replace('localhost:11434', host));
    const { models } = modelStage({ ports: { fetch } });
    expect((await models.available()).map(nameOf)).toEqual(['parley/offline']);
    await expect(models.initial()).resolves.toBe(offlineModel);
    expect(asked).toEqual([]);
  });

  test('one that does not answer is a fault when it was asked for, and otherwise a warning', async () => {
    const env = { OLLAMA_HOST: '127.0.0.1:9' };
    await expect(first({ env, asked: { provider: 'ollama' } })).rejects.toThrow(
      'No server answers at http://127.0.0.1:9/v1',
    );
    const { models, warnings } = modelStage({ env });
    expect((await models.available()).map(nameOf)).toEqual(['parley/offline']);
    expect(warnings).toEqual([expect.stringContaining('No server answers at')]);
  });

  test('one without models says so', async () => {
    const { host } = await ollama([]);
    const asked = { provider: 'ollama' };
    await expect(first({ env: { OLLAMA_HOST: host }, asked })).rejects.toThrow('Ollama has no models yet');
  });
});

describe('requests', () => {
  test('carry the key, and nothing that is not needed', async () => {
    const stage = modelStage({ env: ANTHROPIC });
    const request = requestFor((await stage.models.initial())!);
    const seen = await observe(stage.models.stream(request));
    expect(seen.message.stopReason).toBe('stop');
    expect(stage.requests).toEqual([{ ...request, apiKey: 'sk-ant-test', compat: undefined }]);
    expect(stage.requests[0]?.messages).toBe(request.messages);
  });

  test('to the offline model touch no file', async () => {
    const stage = modelStage({ env: ANTHROPIC });
    await observe(stage.models.stream(requestFor(offlineModel)));
    expect(stage.touched).toEqual([]);
    expect(stage.requests[0]).not.toHaveProperty('apiKey');
  });

  test('without a key end in an error that names the way out', async () => {
    const stage = modelStage();
    const model = await stage.models.find('anthropic', 'claude-opus-5-5');
    const seen = await observe(stage.models.stream(requestFor(model!)));
    expect(seen.message.errorMessage).toContain('No API key for anthropic. Set ANTHROPIC_API_KEY');
    expect(stage.requests).toEqual([]);
  });

  test('take a key that was saved since', async () => {
    const stage = modelStage();
    const model = await stage.models.find('anthropic', 'claude-opus-5-5');
    stage.write('auth.json', { anthropic: { type: 'api_key', key: 'sk-new' } });
    await observe(stage.models.stream(requestFor(model!)));
    expect(stage.requests[0]?.apiKey).toBe('sk-new');
  });
});
