// The model registry: initial model, available models, and the contents of requests.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_MODELS, findDefaultModel } from '../../src/llm/default-models.ts';
import { createApiLoaders, offlineModel } from '../../src/llm/index.ts';
import { OFFLINE_API } from '../../src/llm/offline/offline-model.ts';
import { findProvider } from '../../src/llm/providers/providers.ts';
import { selectModel } from '../../src/llm/select-model.ts';
import type { Model } from '../../src/protocol/index.ts';
import { observe } from './contract.ts';
import { createModelFixture, createRequest, getModelName, type ModelFixtureOptions } from './model-fixture.ts';

const ANTHROPIC = { ANTHROPIC_API_KEY: 'sk-ant-test' };
const chooseInitialName = async (options: ModelFixtureOptions) =>
  getModelName(await createModelFixture(options).models.chooseInitial());

describe('model selection by name', () => {
  const model = (provider: string, id: string, name = id): Model => ({
    ...offlineModel,
    provider,
    id,
    name,
    api: 'wire',
  });
  const allModels = [
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
  ])('%j selects %s', (requested, name) => {
    expect(getModelName(selectModel(allModels, requested))).toBe(name);
  });

  test('prefers the usable one of several matches', () => {
    const withKeyOf = (name: string) => ({ hasCredential: (provider: string) => provider === name });
    expect(getModelName(selectModel(allModels, { model: 'gpt-9' }, withKeyOf('azure')))).toBe('azure/GPT-9');
    expect(getModelName(selectModel(allModels, { model: 'opus' }, withKeyOf('router')))).toBe(
      'router/anthropic/claude-opus-5',
    );
    // The text is the name of a model without a key, and the id of one with a key.
    expect(getModelName(selectModel(allModels, { model: 'anthropic/claude-opus-5' }, withKeyOf('router')))).toBe(
      'router/anthropic/claude-opus-5',
    );
  });

  test.each([
    [{ provider: 'anthropic', model: 'gpt-9' }, 'Model not found: anthropic/gpt-9.'],
    [{ model: 'nothing' }, 'Model not found: nothing.'],
    [{ provider: 'unknown' }, 'Model not found: unknown.'],
    [
      { model: 'claude' },
      'Model not found: claude matches several models: anthropic/claude-opus-5, anthropic/claude-haiku-5,',
    ],
  ])('%j is rejected', (requested, sentence) => {
    expect(() => selectModel(allModels, requested)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => selectModel(allModels, requested)).toThrow(sentence);
    expect(() => selectModel(allModels, requested)).toThrow('`parley models`');
  });
});

describe('the initial model', () => {
  test('is the offline model without configuration, after reading each file once', async () => {
    const fixture = createModelFixture();
    expect(await fixture.models.chooseInitial()).toBe(offlineModel);
    expect([...fixture.accessedPaths].sort()).toEqual(['auth.json', 'models.json']);
  });

  test('is chosen by available keys, in a fixed order', async () => {
    expect(await chooseInitialName({ env: ANTHROPIC })).toBe('anthropic/claude-opus-5-5');
    expect(await chooseInitialName({ env: { OPENAI_API_KEY: 'sk' } })).toBe('openai/gpt-6.1-sol');
    expect(await chooseInitialName({ env: { GROQ_API_KEY: 'k', OPENROUTER_API_KEY: 'k' } })).toBe(
      'openrouter/anthropic/claude-opus-5.5',
    );
    expect(await chooseInitialName({ env: { OPENAI_API_KEY: 'sk', ...ANTHROPIC } })).toBe('anthropic/claude-opus-5-5');
    const files = { 'auth.json': { mistral: { type: 'api_key', key: 'k' } } };
    expect(await chooseInitialName({ files })).toBe('mistral/mistral-medium-3-5');
  });

  test.each([...DEFAULT_MODELS.keys()])(
    'the key of %s selects its default model of the catalogue',
    async (provider) => {
      const env = { [findProvider(provider)!.env[0]!]: 'k', ANTHROPIC_BASE_URL: 'https://proxy.example/' };
      const { models } = createModelFixture({ env });
      const model = await models.chooseInitial();
      expect(model).toEqual(await models.find(provider, findDefaultModel(provider)!));
      // Overrides in models.json change it.
      const files = {
        'models.json': { providers: { [provider]: { modelOverrides: { [model!.id]: { name: 'Mine' } } } } },
      };
      expect(await createModelFixture({ env, files }).models.chooseInitial()).toMatchObject({
        id: model!.id,
        name: 'Mine',
      });
    },
  );

  test('a provider with an invalid base URL is skipped with a warning', async () => {
    const fixture = createModelFixture({ env: { ...ANTHROPIC, ANTHROPIC_BASE_URL: 'nonsense', OPENAI_API_KEY: 'k' } });
    expect(getModelName(await fixture.models.chooseInitial())).toBe('openai/gpt-6.1-sol');
    expect(fixture.warnings).toEqual([expect.stringContaining('ANTHROPIC_BASE_URL is not a valid HTTP URL: nonsense')]);
  });

  test.each(['GITHUB_TOKEN', 'HF_TOKEN'])(
    '%s alone, which other programs use too, selects no provider',
    async (variable) => {
      const { models } = createModelFixture({ env: { [variable]: '127.0.0.1:9' } });
      expect(getModelName(await models.chooseInitial())).toBe('parley/offline');
      expect(models.missingReason).toContain('No provider key was found');
    },
  );

  test.each([
    ['AWS_PROFILE', 'x', 'AWS_PROFILE is set, but Amazon Bedrock is used only when it is selected explicitly'],
    ['GOOGLE_APPLICATION_CREDENTIALS', 'x', 'Google Vertex AI is used only when it is selected explicitly'],
    ['OLLAMA_HOST', '127.0.0.1:9', 'Ollama is used only when it is selected explicitly'],
    ['ANTHROPIC_API_KEY', '', 'ANTHROPIC_API_KEY is set but empty, so Anthropic cannot be used'],
    ['ANTHROPIC_BASE_URL', 'http://127.0.0.1:9', 'there is no key for Anthropic. Set ANTHROPIC_API_KEY.'],
  ])('%s=%s refers to a provider: no model, and the reason', async (variable, value, sentence) => {
    const { models } = createModelFixture({ env: { [variable]: value } });
    expect(await models.chooseInitial()).toBeNull();
    expect(models.missingReason).toContain(sentence);
    expect(models.missingReason).toContain('To use the offline model, pass --model parley/offline.');
  });

  test('custom providers come after the built-in ones', async () => {
    const acme = {
      baseUrl: 'http://127.0.0.1:9',
      api: 'openai-completions',
      apiKey: 'k',
      models: [{ id: 'one' }, { id: 'two' }],
    };
    const files = { 'models.json': { providers: { acme } } };
    expect(await chooseInitialName({ files })).toBe('acme/one');
    expect(await chooseInitialName({ files, env: ANTHROPIC })).toBe('anthropic/claude-opus-5-5');
  });

  test('a provider with an unsupported API is skipped, and the offline model does not replace it', async () => {
    const { [OFFLINE_API]: offline } = createApiLoaders({ clock: { now: () => 0 } });
    expect(await chooseInitialName({ env: ANTHROPIC, apis: { [OFFLINE_API]: offline! } })).toBeUndefined();
  });

  test('flags override settings, settings override keys', async () => {
    const preferred = { provider: 'openai', model: 'gpt-5.5' };
    expect(await chooseInitialName({ env: ANTHROPIC, preferred })).toBe('openai/gpt-5.5');
    expect(await chooseInitialName({ env: ANTHROPIC, preferred, requested: { model: 'claude-haiku-4-5' } })).toBe(
      'anthropic/claude-haiku-4-5',
    );
    expect(await chooseInitialName({ env: ANTHROPIC, preferred: { provider: 'openai' } })).toBe('openai/gpt-6.1-sol');
    expect(await chooseInitialName({ preferred: { model: 'parley/offline' }, env: ANTHROPIC })).toBe('parley/offline');
  });

  test('the same model from two providers: the one with a key is used', async () => {
    const env = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_BASE_URL: 'https://mine.example' };
    expect(await chooseInitialName({ requested: { model: 'gpt-5.5' }, env })).toBe('azure/gpt-5.5');
    expect(await chooseInitialName({ requested: { model: 'gpt-5.5' } })).toBe('openai/gpt-5.5');
  });

  test('a requested model without a key is not replaced; requests fail', async () => {
    const { models, directory } = createModelFixture({ requested: { provider: 'anthropic' } });
    const model = await models.chooseInitial();
    expect(getModelName(model)).toBe('anthropic/claude-opus-5-5');
    await expect(models.requireCredentials(model!)).rejects.toMatchObject({
      code: 'no_credentials',
      message: `No API key for anthropic. Set ANTHROPIC_API_KEY, or add a key for "anthropic" to ${directory}/auth.json.`,
    });
  });

  test('an unknown model throws when a flag names it, and gives no model when a setting names it', async () => {
    await expect(chooseInitialName({ requested: { model: 'nope' } })).rejects.toThrow(
      'Model not found: nope. List the models',
    );
    const { models, warnings } = createModelFixture({ preferred: { model: 'nope' }, env: ANTHROPIC });
    expect(await models.chooseInitial()).toBeNull();
    expect(warnings).toEqual([
      'The model named in the settings cannot be used: Model not found: nope. List the models with `parley models`.',
    ]);
  });

  test('the key of the command line is used for the named provider', async () => {
    const byModel = createModelFixture({ requested: { model: 'claude-haiku-4-5' }, apiKey: 'sk-flag' });
    await byModel.models.requireCredentials((await byModel.models.chooseInitial())!);
    expect(byModel.redacted).toContain('sk-flag');
    const byProvider = createModelFixture({ requested: { provider: 'Groq' }, apiKey: 'sk-flag' });
    expect((await byProvider.models.listAvailable()).map(({ provider }) => provider)).toContain('groq');
    await expect(byProvider.models.requireCredentials((await byModel.models.chooseInitial())!)).rejects.toThrow(
      'No API key for anthropic',
    );
    await expect(chooseInitialName({ apiKey: 'sk-flag' })).rejects.toMatchObject({ code: 'config' });
  });

  test('with --models it is the first match, unless the settings name another match', async () => {
    const patterns = ['haiku', 'gpt-5.5'];
    const env = { ...ANTHROPIC, OPENAI_API_KEY: 'k' };
    expect(await chooseInitialName({ env, modelPatterns: patterns })).toBe('anthropic/claude-haiku-5-5');
    expect(await chooseInitialName({ env, modelPatterns: patterns, preferred: { model: 'openai/gpt-5.5' } })).toBe(
      'openai/gpt-5.5',
    );
    expect(await chooseInitialName({ env, modelPatterns: patterns, preferred: { model: 'openai/o3' } })).toBe(
      'anthropic/claude-haiku-5-5',
    );
    const fixture = createModelFixture({ env, modelPatterns: ['nothing-like-it'] });
    expect(getModelName(await fixture.models.chooseInitial())).toBe('anthropic/claude-opus-5-5');
    expect(fixture.warnings).toEqual([
      'No usable model matches --models nothing-like-it. List the usable models with `parley models`',
    ]);
  });
});

describe('available models', () => {
  test('are those with a key, in a stable order, without the offline model', async () => {
    const { models } = createModelFixture({ env: { DEEPSEEK_API_KEY: 'k', ...ANTHROPIC } });
    const names = (await models.listAvailable()).map(getModelName);
    expect(new Set(names.map((name) => name?.split('/')[0]))).toEqual(new Set(['anthropic', 'deepseek']));
    expect(names.indexOf('deepseek/deepseek-v4-pro')).toBeGreaterThan(names.indexOf('anthropic/claude-sonnet-5-5'));
    expect((await models.listAvailable()).map(getModelName)).toEqual(names);
  });

  test('do not include models without a base URL', async () => {
    const { models } = createModelFixture({ env: { AZURE_OPENAI_API_KEY: 'k' } });
    expect((await models.listAvailable()).map(getModelName)).toEqual(['parley/offline']);
    await expect(models.requireCredentials((await models.find('azure', 'gpt-5.5'))!)).rejects.toThrow(
      'No base URL for azure. Set AZURE_OPENAI_BASE_URL.',
    );
  });

  test.each([
    ['ANTHROPIC_BASE_URL', 'http://127.0.0.1:1', 'anthropic', 'claude-opus-5-5'],
    ['OPENAI_BASE_URL', 'http://127.0.0.1:1/v1', 'openai', 'gpt-5.5'],
  ])('%s changes their base URL', async (variable, url, provider, id) => {
    const { models } = createModelFixture({ env: { [variable]: url } });
    expect((await models.find(provider, id))?.baseUrl).toBe(url);
  });

  test('an invalid base URL is reported, and only its provider is skipped', async () => {
    const { models, warnings } = createModelFixture({
      env: { ...ANTHROPIC, OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'not an address' },
    });
    const providers = new Set((await models.listAvailable()).map(({ provider }) => provider));
    expect(providers).toEqual(new Set(['anthropic']));
    await models.listAvailable();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('OPENAI_BASE_URL is not a valid HTTP URL');
    await expect(models.find('openai', 'gpt-5.5')).rejects.toThrow('OPENAI_BASE_URL');
  });

  test('are found by exact name only, even without a key', async () => {
    const { models } = createModelFixture();
    expect(await models.find('parley', 'offline')).toBe(offlineModel);
    expect(await models.find('parley', 'off')).toBeUndefined();
    expect(await models.find('unknown', 'x')).toBeUndefined();
    expect(getModelName(await models.find('anthropic', 'claude-opus-5-5'))).toBe('anthropic/claude-opus-5-5');
    await expect(models.requireCredentials(offlineModel)).resolves.toBeUndefined();
    await expect(models.requireCredentials({ ...offlineModel, api: 'unknown-api' })).rejects.toMatchObject({
      code: 'no_model',
    });
  });
});

describe('the scope of cycle_model', () => {
  const scope = async (patterns: string[]) =>
    (
      await createModelFixture({
        env: { ...ANTHROPIC, OPENAI_API_KEY: 'k' },
        modelPatterns: patterns,
      }).models.listScoped()
    )?.map(getModelName);

  test.each([
    [['haiku-5'], ['anthropic/claude-haiku-5-5']],
    [['anthropic/claude-opus-4-?'], ['5', '6', '7', '8'].map((minor) => `anthropic/claude-opus-4-${minor}`)],
    [['gpt-4*mini'], ['openai/gpt-4.1-mini', 'openai/gpt-4o-mini']],
    // An exact id stands for that model only, however often it is named.
    [['GPT-5.5:high', 'gpt-5.5'], ['openai/gpt-5.5']],
    [
      ['gpt-5.5*', 'o3', 'parley'],
      ['openai/gpt-5.5', 'openai/gpt-5.5-pro', 'openai/o3', 'parley/offline'],
    ],
    [['sonnet'], ['anthropic/claude-sonnet-5-5']],
    [
      ['o3-pro', 'o[34]'],
      ['openai/o3-pro', 'openai/o3'],
    ],
    [['mistral'], []],
    [['*off*'], []],
  ])('%j', async (patterns, names) => {
    expect(await scope(patterns)).toEqual(names);
  });

  test('is undefined without patterns', async () => {
    expect(await createModelFixture().models.listScoped()).toBeUndefined();
    expect(await scope([])).toBeUndefined();
  });
});

describe('local servers', () => {
  async function startOllama(names: readonly string[]) {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.setHeader('content-type', 'application/json');
      if (request.url === '/api/tags') return response.end(JSON.stringify({ models: names.map((name) => ({ name })) }));
      response.end(
        JSON.stringify({ capabilities: ['completion', 'tools'], model_info: { 'x.context_length': 40960 } }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked: requests };
  }

  test('--provider ollama uses and lists the models of the server', async () => {
    const { host } = await startOllama(['qwen3:8b', 'llama3.3:70b']);
    const env = { OLLAMA_HOST: host };
    const { models } = createModelFixture({ env, requested: { provider: 'ollama' } });
    const model = await models.chooseInitial();
    expect(model).toMatchObject({
      provider: 'ollama',
      id: 'qwen3:8b',
      contextWindow: 40960,
      baseUrl: `http://${host}/v1`,
    });
    await expect(models.requireCredentials(model!)).resolves.toBeUndefined();
    expect((await models.listAvailable()).map(getModelName)).toEqual(['ollama/qwen3:8b', 'ollama/llama3.3:70b']);
    expect(await chooseInitialName({ env, requested: { model: 'ollama/llama3.3:70b' } })).toBe('ollama/llama3.3:70b');
    expect(await chooseInitialName({ env, requested: { provider: 'ollama', model: 'llama' } })).toBe(
      'ollama/llama3.3:70b',
    );
    expect(getModelName(await models.find('ollama', 'llama3.3:70b'))).toBe('ollama/llama3.3:70b');
  });

  test('a server that is not named gets no requests', async () => {
    const { host, asked } = await startOllama(['qwen3:8b']);
    // Redirects requests for the default URL to the test server.
    const fetch: typeof globalThis.fetch = (input) => globalThis.fetch(String(input).replace('localhost:11434', host));
    const { models } = createModelFixture({ ports: { fetch } });
    expect((await models.listAvailable()).map(getModelName)).toEqual(['parley/offline']);
    await expect(models.chooseInitial()).resolves.toBe(offlineModel);
    expect(asked).toEqual([]);
  });

  test('an unreachable server throws when it was requested, and otherwise causes a warning', async () => {
    const env = { OLLAMA_HOST: '127.0.0.1:9' };
    await expect(chooseInitialName({ env, requested: { provider: 'ollama' } })).rejects.toThrow(
      'No server answers at http://127.0.0.1:9/v1',
    );
    const { models, warnings } = createModelFixture({ env });
    expect((await models.listAvailable()).map(getModelName)).toEqual(['parley/offline']);
    expect(warnings).toEqual([expect.stringContaining('No server answers at')]);
  });

  test('a server without models is reported', async () => {
    const { host } = await startOllama([]);
    const requested = { provider: 'ollama' };
    await expect(chooseInitialName({ env: { OLLAMA_HOST: host }, requested: requested })).rejects.toThrow(
      'Ollama has no models yet',
    );
  });
});

describe('requests', () => {
  test('contain the key and nothing unneeded', async () => {
    const fixture = createModelFixture({ env: ANTHROPIC });
    const request = createRequest((await fixture.models.chooseInitial())!);
    const observed = await observe(fixture.models.stream(request));
    expect(observed.message.stopReason).toBe('stop');
    expect(fixture.requests).toEqual([{ ...request, apiKey: 'sk-ant-test', compat: undefined }]);
    expect(fixture.requests[0]?.messages).toBe(request.messages);
  });

  test('to the offline model read no file', async () => {
    const fixture = createModelFixture({ env: ANTHROPIC });
    await observe(fixture.models.stream(createRequest(offlineModel)));
    expect(fixture.accessedPaths).toEqual([]);
    expect(fixture.requests[0]).not.toHaveProperty('apiKey');
  });

  test('without a key end with an error that names the variable to set', async () => {
    const fixture = createModelFixture();
    const model = await fixture.models.find('anthropic', 'claude-opus-5-5');
    const observed = await observe(fixture.models.stream(createRequest(model!)));
    expect(observed.message.errorMessage).toContain('No API key for anthropic. Set ANTHROPIC_API_KEY');
    expect(fixture.requests).toEqual([]);
  });

  test('use a key that was saved in the meantime', async () => {
    const fixture = createModelFixture();
    const model = await fixture.models.find('anthropic', 'claude-opus-5-5');
    fixture.write('auth.json', { anthropic: { type: 'api_key', key: 'sk-new' } });
    await observe(fixture.models.stream(createRequest(model!)));
    expect(fixture.requests[0]?.apiKey).toBe('sk-new');
  });
});
