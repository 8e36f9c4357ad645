// models.json: valid entries, their effect, and warnings for invalid entries.
import { describe, expect, test } from 'vitest';
import { createModelFixture, createRequest, getModelName } from './model-fixture.ts';

const acme = {
  baseUrl: 'http://127.0.0.1:9/v1',
  api: 'openai-completions',
  apiKey: 'sk-acme-key',
  models: [{ id: 'fast-1' }],
};
const providers = (entries: object) => ({ 'models.json': { providers: entries } });

async function exchange(fixture: ReturnType<typeof createModelFixture>, provider: string, id: string) {
  const model = await fixture.models.find(provider, id);
  for await (const _ of fixture.models.stream(createRequest(model!))) {
    // Only the sent request is of interest.
  }
  return fixture.requests.at(-1)!;
}

test('a model with only an id gets default values', async () => {
  const { models, warnings } = createModelFixture({ files: providers({ acme }) });
  expect(await models.find('acme', 'fast-1')).toEqual({
    id: 'fast-1',
    name: 'fast-1',
    api: 'openai-completions',
    provider: 'acme',
    baseUrl: 'http://127.0.0.1:9/v1',
    reasoning: false,
    input: ['text'],
    contextWindow: 128_000,
    maxTokens: 16_384,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  });
  expect(warnings).toEqual([]);
});

test('all fields of a model are used, headers only in requests', async () => {
  const definition = {
    id: 'coyote',
    name: 'Wile E.',
    api: 'anthropic-messages',
    baseUrl: 'http://127.0.0.1:8',
    reasoning: true,
    thinkingLevels: ['low', 'high'],
    input: ['text', 'image'],
    contextWindow: 4000,
    cost: { input: 1, output: 2 },
    headers: { 'x-model': 'coyote' },
    compat: { supportsTools: false },
    somethingNew: 1,
  };
  const fixture = createModelFixture({
    files: providers({
      acme: { ...acme, headers: { 'x-all': '1' }, compat: { supportsTools: true, b: 2 }, models: [definition] },
    }),
  });
  expect(await fixture.models.find('acme', 'coyote')).toEqual({
    id: 'coyote',
    name: 'Wile E.',
    api: 'anthropic-messages',
    provider: 'acme',
    baseUrl: 'http://127.0.0.1:8',
    reasoning: true,
    thinkingLevels: ['low', 'high'],
    input: ['text', 'image'],
    contextWindow: 4000,
    maxTokens: 4000,
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  });
  expect(await exchange(fixture, 'acme', 'coyote')).toMatchObject({
    apiKey: 'sk-acme-key',
    headers: { 'x-all': '1', 'x-model': 'coyote' },
    compat: { supportsTools: false, b: 2 },
  });
});

test('comments and trailing commas are accepted', async () => {
  const content = `{ // mine\n "providers": { "acme": ${JSON.stringify(acme)}, },\n}`;
  const { models, warnings } = createModelFixture({ files: { 'models.json': content } });
  expect(getModelName(await models.find('acme', 'fast-1'))).toBe('acme/fast-1');
  expect(warnings).toEqual([]);
});

describe('known providers', () => {
  test('an entry without models changes the base URL and the headers of the provider', async () => {
    const anthropic = {
      baseUrl: 'http://127.0.0.1:7',
      headers: { 'x-team': 'blue' },
      authHeader: true,
      apiKey: 'sk-gateway',
    };
    const fixture = createModelFixture({ files: providers({ anthropic }) });
    const model = await fixture.models.find('anthropic', 'claude-opus-5-5');
    expect(model).toMatchObject({ baseUrl: 'http://127.0.0.1:7', api: 'anthropic-messages', contextWindow: 1_000_000 });
    expect(model).not.toHaveProperty('headers');
    expect(await exchange(fixture, 'anthropic', 'claude-opus-5-5')).toMatchObject({
      apiKey: 'sk-gateway',
      headers: { 'x-team': 'blue', Authorization: 'Bearer sk-gateway' },
    });
  });

  test('environment variables override the file', async () => {
    const { models } = createModelFixture({
      env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:6/' },
      files: providers({ anthropic: { baseUrl: 'http://127.0.0.1:7' } }),
    });
    expect((await models.find('anthropic', 'claude-opus-5-5'))?.baseUrl).toBe('http://127.0.0.1:6');
  });

  test('overrides change catalogue models; models are added or replace them', async () => {
    const openai = {
      modelOverrides: { 'gpt-5.5': { contextWindow: 9000, cost: { input: 7 }, headers: { 'x-over': '1' } } },
      models: [
        { id: 'ft:mine', reasoning: true },
        { id: 'gpt-4.1', name: 'Mine' },
      ],
      apiKey: 'sk-openai-1',
    };
    const fixture = createModelFixture({ files: providers({ openai }) });
    const { models } = fixture;
    expect(await models.find('openai', 'gpt-5.5')).toMatchObject({
      contextWindow: 9000,
      cost: { input: 7, output: 30 },
    });
    expect(await models.find('openai', 'ft:mine')).toMatchObject({ api: 'openai-responses', reasoning: true });
    expect(await models.find('openai', 'gpt-4.1')).toMatchObject({ name: 'Mine', contextWindow: 128_000 });
    const ids = (await models.listAvailable()).map(({ id }) => id);
    expect(ids.filter((id) => id === 'gpt-4.1')).toHaveLength(1);
    expect((await exchange(fixture, 'openai', 'gpt-5.5')).headers).toEqual({ 'x-over': '1' });
  });
});

test('headers may be variables and commands, and their values are redacted in logs', async () => {
  const headers = {
    'x-plain': 'application/json',
    'x-var': 'TEAM_HEADER',
    'x-cmd': '!echo from-command',
    'x-api-key': 'literal-key',
  };
  const fixture = createModelFixture({
    env: { TEAM_HEADER: 'from-variable' },
    files: providers({ acme: { ...acme, headers } }),
  });
  const sent = await exchange(fixture, 'acme', 'fast-1');
  expect(sent.headers).toEqual({
    'x-plain': 'application/json',
    'x-var': 'from-variable',
    'x-cmd': 'from-command',
    'x-api-key': 'literal-key',
  });
  expect(new Set(fixture.redacted)).toEqual(new Set(['sk-acme-key', 'from-variable', 'from-command', 'literal-key']));
});

test('a failing header command ends the stream with an error', async () => {
  const fixture = createModelFixture({ files: providers({ acme: { ...acme, headers: { 'x-cmd': '!exit 4' } } }) });
  const model = await fixture.models.find('acme', 'fast-1');
  const events = [];
  for await (const event of fixture.models.stream(createRequest(model!))) events.push(event);
  expect(events.map(({ type }) => type)).toEqual(['start', 'error']);
  expect(events.at(-1)).toMatchObject({
    error: { errorMessage: 'The command for the key of acme (header x-cmd) ended with exit code 4: exit 4' },
    failure: { kind: 'auth' },
  });
  expect(fixture.requests).toEqual([]);
});

test('the file is read again for each listing', async () => {
  const { models, write } = createModelFixture({ files: providers({ acme }) });
  expect((await models.listAvailable()).map(getModelName)).toEqual(['acme/fast-1']);
  write('models.json', { providers: { acme: { ...acme, models: [{ id: 'another' }, { id: 'and-one-more' }] } } });
  expect((await models.listAvailable()).map(getModelName)).toEqual(['acme/another', 'acme/and-one-more']);
});

describe('an invalid entry is reported with file and key, and only it is ignored', () => {
  const invalidEntries: [string, unknown, string][] = [
    ['a wrong type', { ...acme, baseUrl: 5 }, 'providers.acme.baseUrl must be a string (got number)'],
    ['a model without an id', { ...acme, models: [{ name: 'x' }] }, 'providers.acme.models[0].id is required'],
    [
      'a wrong choice',
      { ...acme, models: [{ id: 'x', input: ['smell'] }] },
      'providers.acme.models[0].input[0] must be',
    ],
    [
      'tokens below one',
      { ...acme, models: [{ id: 'x', maxTokens: 0 }] },
      'providers.acme.models[0].maxTokens must be 1 or more',
    ],
    [
      'no base URL',
      { ...acme, baseUrl: undefined },
      'providers.acme.baseUrl is required, or providers.acme.models[0].baseUrl',
    ],
    ['no API', { ...acme, api: undefined }, 'providers.acme.api is required, or providers.acme.models[0].api'],
    [
      'no models for an unknown provider',
      { baseUrl: 'http://x' },
      'providers.acme.models is required, because acme is not a built-in provider',
    ],
    ['not an object', 'sk-canary', 'providers.acme must be an object (got string)'],
    [
      'a key in the wrong place',
      { ...acme, headers: 'sk-canary' },
      'providers.acme.headers must be an object (got string)',
    ],
  ];
  test.each(invalidEntries)('%s', async (_, entry, sentence) => {
    const { models, warnings, directory } = createModelFixture({ files: providers({ acme: entry, fine: acme }) });
    expect((await models.listAvailable()).map(getModelName)).toEqual(['fine/fast-1']);
    await models.listAvailable();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`${directory}/models.json: ${sentence}`);
    expect(warnings[0]).toContain('; the provider "acme" is ignored');
    expect(warnings[0]).not.toContain('canary');
  });

  test.each([
    ['invalid JSON', '{"providers": {"acme": sk-canary', 'line 1 is not JSON (invalid symbol); the file is ignored'],
    ['a list', '[]', 'contains array where an object is expected; the file is ignored'],
    ['providers as a list', '{"providers":[]}', 'providers must be an object (got array); the file is ignored'],
  ])('%s', async (_, content, sentence) => {
    const { models, warnings } = createModelFixture({ files: { 'models.json': content } });
    expect((await models.listAvailable()).map(getModelName)).toEqual(['parley/offline']);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(sentence);
    expect(warnings[0]).not.toContain('canary');
  });
});

test('a deployment of Azure needs no baseUrl in models.json: the environment has it', async () => {
  const files = providers({ azure: { models: [{ id: 'mine', contextWindow: 9000 }] } });
  const env = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_BASE_URL: 'https://mine.example' };
  const { models, warnings } = createModelFixture({ files, env });
  expect(await models.find('azure', 'mine')).toMatchObject({
    baseUrl: 'https://mine.example/openai/v1',
    contextWindow: 9000,
  });
  const without = createModelFixture({ files, env: { AZURE_OPENAI_API_KEY: 'k' } });
  const model = await without.models.find('azure', 'mine');
  await expect(without.models.requireCredentials(model!)).rejects.toThrow('Set AZURE_OPENAI_BASE_URL.');
  expect([...warnings, ...without.warnings]).toEqual([]);
});
