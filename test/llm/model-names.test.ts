// Names of models as people type them: parts of names, aliases, thinking levels, and the choice between providers.
import { describe, expect, test } from 'vitest';
import { parseModelId, pickNewestOfSeries } from '../../src/llm/model-id.ts';
import { offlineModel } from '../../src/llm/offline/offline-model.ts';
import { createModelFixture, getModelName, type ModelFixtureOptions } from './model-fixture.ts';

const ANTHROPIC = { ANTHROPIC_API_KEY: 'k' };
const OPENAI = { OPENAI_API_KEY: 'k' };
const OPENROUTER = { OPENROUTER_API_KEY: 'k' };

async function choose(model: string, options: ModelFixtureOptions = {}) {
  const { models } = createModelFixture({ requested: { model }, ...options });
  const name = getModelName(await models.chooseInitial());
  return models.initialThinkingLevel ? `${name} at ${models.initialThinkingLevel}` : name;
}

describe('the parts of an id', () => {
  test.each([
    ['claude-sonnet-4-5-20250929', ['claude', 'sonnet'], [4, 5], '20250929'],
    ['us.anthropic.claude-sonnet-5', ['anthropic', 'claude', 'sonnet'], [5], ''],
    ['anthropic/claude-opus-4.8-fast', ['claude', 'opus', 'fast'], [4, 8], ''],
    ['gemini-2.5-flash-preview-09-2025', ['gemini', 'flash'], [2, 5], '092025'],
    ['accounts/fireworks/models/glm-5p1', ['glm'], [5, 1], ''],
    ['qwen/qwen3.5-plus-02-15', ['qwen', 'plus'], [3, 5], '0215'],
    ['zai-org/GLM-4.7-FP8', ['glm', 'fp8'], [4, 7], ''],
    ['gpt-4o-mini', ['gpt', 'mini'], [4], ''],
    ['llama-3.3-70b-instruct', ['llama', '70b', 'instruct'], [3, 3], ''],
    ['mistral-medium-latest', ['mistral', 'medium'], [Infinity], ''],
    [
      'arn:aws:bedrock:us-east-1:123:inference-profile/us.anthropic.claude-opus-5',
      ['anthropic', 'claude', 'opus'],
      [5],
      '',
    ],
  ])('%s', (id, words, version, date) => {
    expect(parseModelId(id)).toEqual({ words, version, date });
  });

  test.each([
    [['m-4-20250101', 'm-4', 'm-5-20250101'], ['m-4']],
    [['m-4-20250101', 'm-4-20250601'], ['m-4-20250601']],
    [['grok-4.20', 'grok-4.6'], ['grok-4.6']],
    [['m-5.5', 'm-5.11'], ['m-5.11']],
    [['m-4', 'm-latest', 'm-9'], ['m-latest']],
    [['m-5-fast', 'm-5'], ['m-5']],
    // A variant that is newer may be what the user means.
    [
      ['m-6-fast', 'm-5'],
      ['m-6-fast', 'm-5'],
    ],
    [
      ['m-large-1', 'm-small-1', 'm-large-2'],
      ['m-large-2', 'm-small-1'],
    ],
  ])('of %j the newest are %j', (ids, newest) => {
    const models = ids.map((id) => ({ ...offlineModel, id }));
    expect(pickNewestOfSeries(models).map(({ id }) => id)).toEqual(newest);
  });
});

describe('a name of one provider', () => {
  test.each([
    ['sonnet', 'anthropic/claude-sonnet-5-5'],
    ['Opus', 'anthropic/claude-opus-5-5'],
    ['sonnet-4', 'anthropic/claude-sonnet-4-6'],
    ['Sonnet 4.5', 'anthropic/claude-sonnet-4-5'],
    ['anthropic/sonnet-5', 'anthropic/claude-sonnet-5-5'],
    ['ANTHROPIC/Claude-Sonnet-5', 'anthropic/claude-sonnet-5'],
    ['claude-sonnet-4-5:high', 'anthropic/claude-sonnet-4-5 at high'],
    ['anthropic/haiku:off', 'anthropic/claude-haiku-5-5 at off'],
    ['anthropic:low', 'anthropic/claude-opus-5-5 at low'],
  ])('%s', async (name, expected) => {
    expect(await choose(name, { env: ANTHROPIC })).toBe(expected);
  });

  test('the plain model wins over its variants, unless a variant is newer', async () => {
    expect(await choose('codex', { env: OPENAI })).toBe('openai/gpt-5.3-codex');
    expect(await choose('glm', { env: { ZAI_API_KEY: 'k' } })).toBe('zai/glm-5.3');
    await expect(choose('gpt', { env: OPENAI })).rejects.toThrow(/gpt matches several models: .*openai\/gpt-6\.1-sol/);
    await expect(choose('claude', { env: ANTHROPIC })).rejects.toThrow(
      'Model not found: claude matches several models: anthropic/claude-haiku-5-5, anthropic/claude-opus-5-5, anthropic/claude-sonnet-5-5, anthropic/claude-fable-5-1. Name one of them.',
    );
  });

  test('an exact id with a colon wins over a thinking level', async () => {
    const acme = { baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', models: [{ id: 'x' }, { id: 'x:high' }] };
    const files = { 'models.json': { providers: { acme } } };
    expect(await choose('acme/x:high', { files })).toBe('acme/x:high');
    expect(await choose('acme/x:low', { files })).toBe('acme/x at low');
  });
});

describe('a name of several providers', () => {
  const both = { ...ANTHROPIC, ...OPENROUTER };

  test('a provider with a key is preferred', async () => {
    expect(await choose('sonnet', { env: OPENROUTER })).toBe('openrouter/anthropic/claude-sonnet-5');
    expect(await choose('anthropic/claude-opus-5', { env: OPENROUTER })).toBe('openrouter/anthropic/claude-opus-5');
    expect(await choose('anthropic/claude-opus-5', { env: both })).toBe('anthropic/claude-opus-5');
    expect(await choose('openrouter/anthropic/claude-opus-5', { env: both })).toBe(
      'openrouter/anthropic/claude-opus-5',
    );
  });

  test('without any key the first provider is used, and its key is named as missing', async () => {
    expect(await choose('sonnet')).toBe('anthropic/claude-sonnet-5-5');
    expect(await choose('deepseek/deepseek-v4-pro')).toBe('deepseek/deepseek-v4-pro');
  });

  test('providers that are used only when they are named do not count', async () => {
    expect(await choose('sonnet', { env: { ...ANTHROPIC, AWS_PROFILE: 'work' } })).toBe('anthropic/claude-sonnet-5-5');
    expect(await choose('sonnet', { env: { AWS_PROFILE: 'work' } })).toBe(
      'amazon-bedrock/global.anthropic.claude-sonnet-5',
    );
  });

  test('several keys: the candidates are listed, unless the settings name a provider', async () => {
    await expect(choose('sonnet', { env: both })).rejects.toMatchObject({
      code: 'not_found',
      message:
        'Model not found: sonnet matches several models: anthropic/claude-sonnet-5-5, openrouter/anthropic/claude-sonnet-5. Name one of them. List the models with `parley models`.',
    });
    expect(await choose('sonnet', { env: both, preferred: { provider: 'openrouter' } })).toBe(
      'openrouter/anthropic/claude-sonnet-5',
    );
  });

  test('a key of the command line is not sent to a provider that was guessed', async () => {
    await expect(choose('sonnet', { apiKey: 'k', env: ANTHROPIC })).rejects.toThrow('sonnet matches several models');
    expect(await choose('anthropic/sonnet', { apiKey: 'k' })).toBe('anthropic/claude-sonnet-5-5');
    expect(await choose('gpt-5.5', { apiKey: 'k' })).toBe('openai/gpt-5.5');
    const azure = { AZURE_OPENAI_BASE_URL: 'https://mine.example' };
    await expect(choose('gpt-5.5', { apiKey: 'k', env: azure })).rejects.toThrow('openai/gpt-5.5, azure/gpt-5.5');
  });
});

test('findByName finds usable models only, and decides as --model does', async () => {
  const { models } = createModelFixture({ env: ANTHROPIC });
  const find = async (name: string) => getModelName(await models.findByName?.(name));
  expect(await find('sonnet')).toBe('anthropic/claude-sonnet-5-5');
  expect(await find('anthropic/claude-opus-5:low')).toBe('anthropic/claude-opus-5');
  expect(await find('gpt-5.5')).toBeUndefined();
  expect(await find('claude')).toBeUndefined();
});

describe('a name that matches nothing', () => {
  test.each([
    [{ model: 'opnai/gpt-5.5' }, 'Model not found: opnai/gpt-5.5 (did you mean openai/gpt-5.5?). List the models'],
    [{ model: 'claude-opsu-5-5' }, 'Model not found: claude-opsu-5-5 (did you mean claude-opus-5-5?). List the models'],
    [{ model: 'sonnett' }, 'Model not found: sonnett (did you mean sonnet?). List the models'],
    [{ model: 'unknown/model' }, 'Model not found: unknown/model. List the models with `parley models`.'],
    [
      { provider: 'antropic' },
      'Unknown provider: antropic (did you mean anthropic?). Known providers: anthropic, openai,',
    ],
    [{ provider: 'acme', model: 'x' }, 'Unknown provider: acme. Known providers: anthropic, openai,'],
    [
      { model: 'claude-sonnet-4-5:hihg' },
      'Model not found: claude-sonnet-4-5:hihg. "hihg" is not a thinking level: use off, minimal, low, medium, high, xhigh.',
    ],
    [{ model: 'anthropic/claude-sonnet-4-5:max' }, '"max" is not a thinking level: use off, minimal, low, medium,'],
    [{ provider: 'anthropic', model: 'claude-sonnet-4-5:max' }, '"max" is not a thinking level'],
  ])('%j', async (requested, message) => {
    const { models } = createModelFixture({ requested, env: ANTHROPIC });
    await expect(models.chooseInitial()).rejects.toMatchObject({ code: 'not_found' });
    await expect(models.chooseInitial()).rejects.toThrow(message);
  });
});

describe('the patterns of --models', () => {
  test('each may have a thinking level, which the initial model gets as well', async () => {
    const env = { ...ANTHROPIC, ...OPENAI };
    const { models, warnings } = createModelFixture({
      env,
      modelPatterns: ['sonnet:high', 'openai/gpt-5.4*:low', 'o3'],
    });
    expect(getModelName(await models.chooseInitial())).toBe('anthropic/claude-sonnet-5-5');
    expect(models.initialThinkingLevel).toBe('high');
    const scope = (await models.listScoped()) ?? [];
    const levels = await Promise.all(scope.map(async (model) => [model.id, await models.findScopedLevel?.(model)]));
    expect(levels).toEqual([
      ['claude-sonnet-5-5', 'high'],
      ['gpt-5.4', 'low'],
      ['gpt-5.4-mini', 'low'],
      ['gpt-5.4-nano', 'low'],
      ['gpt-5.4-pro', 'low'],
      ['o3', undefined],
    ]);
    expect(warnings).toEqual([]);
  });

  test('several providers and an invalid level are reported, and the models are used', async () => {
    const env = { ...ANTHROPIC, ...OPENROUTER };
    const { models, warnings } = createModelFixture({
      env,
      modelPatterns: ['sonnet', 'claude-opus-5-5:hihg', 'none*'],
    });
    await models.chooseInitial();
    expect((await models.listScoped())?.map(getModelName)).toEqual([
      'anthropic/claude-sonnet-5-5',
      'openrouter/anthropic/claude-sonnet-5',
      'anthropic/claude-opus-5-5',
    ]);
    expect(warnings).toEqual([
      '--models sonnet matches several models: anthropic/claude-sonnet-5-5, openrouter/anthropic/claude-sonnet-5. Name the provider and the model to choose one.',
      'Invalid thinking level "hihg" in --models claude-opus-5-5:hihg: use off, minimal, low, medium, high, xhigh. The default level is used.',
      'No usable model matches --models none*. List the usable models with `parley models`',
    ]);
  });
});
