// Ids that a provider does not list: accepted, with the limits of the nearest model and one notice.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createModelFixture, getModelName } from './model-fixture.ts';

const choose = async (requested: { provider?: string; model: string }, env: Record<string, string> = {}) => {
  const fixture = createModelFixture({ requested, env });
  const model = await fixture.models.chooseInitial();
  return { ...fixture, model: model! };
};

describe('flags accept any id of a known provider', () => {
  test.each([
    [{ provider: 'openai', model: 'gpt-99-turbo' }, 'openai/gpt-99-turbo'],
    [{ model: 'openai/gpt-99-turbo' }, 'openai/gpt-99-turbo'],
    [{ provider: 'OpenAI', model: 'openai/gpt-99-turbo' }, 'openai/gpt-99-turbo'],
    [{ model: 'openai/ft:gpt-4o:acme::id1' }, 'openai/ft:gpt-4o:acme::id1'],
    [{ model: 'openrouter/vendor/new-model:free' }, 'openrouter/vendor/new-model:free'],
    [{ model: 'openrouter/auto' }, 'openrouter/openrouter/auto'],
    [{ provider: 'groq', model: 'openai/gpt-next' }, 'groq/openai/gpt-next'],
    [{ provider: 'azure', model: 'my-deployment' }, 'azure/my-deployment'],
    [{ model: 'huggingface/acme/Model-X:fastest' }, 'huggingface/acme/Model-X:fastest'],
    [
      { provider: 'amazon-bedrock', model: 'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.x' },
      'amazon-bedrock/arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.x',
    ],
    [
      { model: 'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2' },
      'amazon-bedrock/arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2',
    ],
    [{ model: 'amazon-bedrock/eu.anthropic.claude-sonnet-5' }, 'amazon-bedrock/eu.anthropic.claude-sonnet-5'],
  ])('%j', async (requested, name) => {
    const { models, model } = await choose(requested);
    expect(getModelName(model)).toBe(name);
    expect(model.name).toBe(model.id);
    expect(models.isAssumed?.(model)).toBe(true);
    expect(models.initialThinkingLevel).toBeUndefined();
  });

  test('a thinking level at the end is not a part of the id', async () => {
    const { models, model } = await choose({ model: 'openrouter/vendor/new-model:free:high' });
    expect(getModelName(model)).toBe('openrouter/vendor/new-model:free');
    expect(models.initialThinkingLevel).toBe('high');
    expect(model.reasoning).toBe(true);
  });

  test('settings as well, and the offline provider has one model', async () => {
    const { models } = createModelFixture({ preferred: { provider: 'openai', model: 'gpt-99' } });
    expect(getModelName(await models.chooseInitial())).toBe('openai/gpt-99');
    await expect(choose({ model: 'parley/online' })).rejects.toThrow('Model not found: parley/online');
  });
});

describe('limits and prices', () => {
  test.each([
    ['openai', 'gpt-5.7', 'gpt-5.5'],
    ['openai', 'gpt-5.4-2026-03-05', 'gpt-5.4'],
    ['openai', 'gpt-7-mini', 'gpt-5.4-mini'],
    ['openai', 'o4-mini', 'o3'],
    ['anthropic', 'claude-opus-9', 'claude-opus-5-5'],
    ['anthropic', 'claude-opus-4-7-20260401', 'claude-opus-4-7'],
    [
      'amazon-bedrock',
      'arn:aws:bedrock:us-east-1:1:inference-profile/jp.anthropic.claude-sonnet-5',
      'global.anthropic.claude-sonnet-5',
    ],
    ['azure', 'prod-gpt-5.5', 'gpt-5.5'],
  ])('%s/%s has those of %s', async (provider, id, nearest) => {
    const { models } = createModelFixture();
    const [assumed, known] = [await models.find(provider, id), await models.find(provider, nearest)];
    expect(assumed).toEqual({ ...known, id, name: id });
    expect(models.takeAssumptionNotice?.(assumed!)).toContain(`taken from ${provider}/${nearest}`);
  });

  test('a model without a series has defaults', async () => {
    const { model } = await choose(
      { provider: 'azure', model: 'my-deployment' },
      { AZURE_OPENAI_BASE_URL: 'https://a.example' },
    );
    expect(model).toEqual({
      id: 'my-deployment',
      name: 'my-deployment',
      api: 'azure-openai-responses',
      provider: 'azure',
      baseUrl: 'https://a.example/openai/v1',
      reasoning: false,
      input: ['text'],
      contextWindow: 128_000,
      maxTokens: 16_384,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    });
  });

  test('a model older than all known ones gets smaller limits, and :free costs nothing', async () => {
    const { models } = createModelFixture();
    expect(await models.find('anthropic', 'claude-3-5-sonnet-20241022')).toMatchObject({
      contextWindow: 128_000,
      maxTokens: 8_192,
      reasoning: false,
    });
    expect(await models.find('openrouter', 'z-ai/glm-5.3:free')).toMatchObject({
      contextWindow: (await models.find('openrouter', 'z-ai/glm-5.3'))?.contextWindow,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    });
  });

  test('models.json declares them: in modelOverrides, or as the notice shows', async () => {
    const overrides = { openai: { modelOverrides: { 'gpt-99': { contextWindow: 5000, cost: { input: 3 } } } } };
    const overridden = createModelFixture({ files: { 'models.json': { providers: overrides } } });
    const model = await overridden.models.find('openai', 'gpt-99');
    expect(model).toMatchObject({ contextWindow: 5000, cost: { input: 3 } });
    expect(overridden.models.takeAssumptionNotice?.(model!)).toBeUndefined();

    const { models, model: assumed, directory } = await choose({ model: 'openai/gpt-99' });
    const notice = models.takeAssumptionNotice?.(assumed) ?? '';
    expect(notice).toContain(`add this to ${directory}/models.json: {`);
    const declared = createModelFixture({ files: { 'models.json': notice.slice(notice.indexOf('{')) } });
    const again = await declared.models.find('openai', 'gpt-99');
    expect(again).toMatchObject({
      contextWindow: assumed.contextWindow,
      maxTokens: assumed.maxTokens,
      cost: assumed.cost,
    });
    expect(declared.models.isAssumed?.(again!)).toBe(false);
  });
});

test('the notice is returned once for each model', async () => {
  const { models } = createModelFixture();
  for (const id of ['gpt-98', 'gpt-99']) {
    const model = await models.find('openai', id);
    expect(models.takeAssumptionNotice?.(model!)).toContain(
      `The model openai/${id} is not in the list of models. Its limits and prices are assumed`,
    );
    expect(models.takeAssumptionNotice?.((await models.find('openai', id))!)).toBeUndefined();
  }
  const known = await models.find('openai', 'gpt-5.5');
  expect(models.takeAssumptionNotice?.(known!)).toBeUndefined();
});

test('an id of a local server is accepted when the server answers', async () => {
  const server = createServer((_, response) => response.end('{"data":[{"id":"listed","max_model_len":9000}]}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const env = { VLLM_BASE_URL: `127.0.0.1:${(server.address() as AddressInfo).port}` };
  const { model } = await choose({ model: 'vllm/my-adapter' }, env);
  expect(model).toMatchObject({ id: 'my-adapter', provider: 'vllm', baseUrl: `http://${env.VLLM_BASE_URL}/v1` });
  await expect(choose({ model: 'vllm/my-adapter' }, { VLLM_BASE_URL: '127.0.0.1:9' })).rejects.toThrow(
    'No server answers',
  );
});

test('an id of a provider of models.json is accepted, with the URL of its models', async () => {
  const acme = {
    baseUrl: 'http://127.0.0.1:9',
    api: 'openai-completions',
    models: [{ id: 'one', contextWindow: 7000 }],
  };
  const { models } = createModelFixture({ files: { 'models.json': { providers: { acme } } } });
  expect(await models.find('acme', 'two')).toMatchObject({ api: 'openai-completions', baseUrl: acme.baseUrl });
  expect(await models.find('acme', 'one')).toMatchObject({ contextWindow: 7000 });
  expect(await models.find('unknown', 'two')).toBeUndefined();
  expect(await models.find('acme', '')).toBeUndefined();
});
