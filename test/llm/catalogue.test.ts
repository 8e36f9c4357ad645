// The generated catalogue is complete, plausible, up to date, and consistent with the API formats.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { catalogueText, firstRowsText } from '../../scripts/catalogue-text.mjs';
import { validate } from '../../src/contracts/index.ts';
import { buildReasoning } from '../../src/llm/apis/openai-responses/reasoning-effort.ts';
import { ROWS } from '../../src/llm/catalogue/generated.ts';
import { loadCatalogueModels } from '../../src/llm/catalogue.ts';
import { DEFAULT_MODELS, findDefaultModel } from '../../src/llm/default-models.ts';
import { findProvider, PROVIDERS } from '../../src/llm/providers/providers.ts';
import { getThinkingLevels, type Model, model, THINKING_LEVELS } from '../../src/protocol/index.ts';

const FILE = 'src/llm/catalogue/generated.ts';
const text = readFileSync(FILE, 'utf8');
const allModels = (
  await Promise.all(PROVIDERS.map((provider) => loadCatalogueModels(provider, provider.baseUrl)))
).flat();
const getName = ({ provider, id }: Model) => `${provider}/${id}`;
const find = (name: string) => allModels.find((candidate) => getName(candidate) === name);

test('matches the output of the generator script', () => {
  const [, date] = /prices of (\d{4}-\d{2}-\d{2})\./.exec(text) ?? [];
  expect(catalogueText(date!) === text, `${FILE} is stale: run \`npm run catalogue\``).toBe(true);
  const defaultRows = firstRowsText(date!, readFileSync('src/llm/default-models.ts', 'utf8'));
  expect(readFileSync('src/llm/catalogue/default-rows.ts', 'utf8') === defaultRows, 'default-rows.ts is stale').toBe(
    true,
  );
});

test('the price depends on the date', () => {
  const row = (day: string) => /\['gemini-3\.8-flash'.*/.exec(catalogueText(day))?.[0];
  expect(row('2026-11-15')).toContain('65536, 0.75, 3.75, 0.075, 0.75]');
  expect(row('2027-01-02')).toContain('65536, 1.5, 7.5, 0.15, 1.5]');
});

test('is smaller than 250 KB', () => {
  expect(text.length).toBeLessThan(250_000);
});

test('every provider has models and is in the provider table', () => {
  for (const [provider, rows] of Object.entries(ROWS)) {
    expect(findProvider(provider)?.id).toBe(provider);
    expect(rows.length, provider).toBeGreaterThan(0);
  }
  expect(allModels.length).toBeGreaterThan(250);
});

test('model names are unique', () => {
  expect(new Set(allModels.map(getName)).size).toBe(allModels.length);
});

test.each(Object.keys(ROWS))('every model of %s has plausible values', (provider) => {
  for (const entry of allModels.filter((candidate) => candidate.provider === provider)) {
    const { id, name, contextWindow, maxTokens, reasoning, cost, thinkingLevels = [] } = entry;
    expect(validate(model, entry), id).toEqual(entry);
    expect(name, id).not.toMatch(/free|^$|undefined/i);
    expect(contextWindow, id).toBeGreaterThanOrEqual(32_000);
    expect(maxTokens, id).toBeGreaterThanOrEqual(8000);
    expect(maxTokens, id).toBeLessThanOrEqual(contextWindow);
    expect(cost.input, id).toBeGreaterThan(0);
    expect(cost.output, id).toBeGreaterThanOrEqual(cost.input);
    expect(cost.output, id).toBeLessThan(300);
    expect(cost.cacheRead, id).toBeLessThanOrEqual(cost.input);
    expect(cost.cacheWrite, id).toBeLessThanOrEqual(cost.input * 1.5);
    expect(thinkingLevels, id).toEqual(THINKING_LEVELS.filter((level) => thinkingLevels.includes(level)));
    expect(reasoning || thinkingLevels.length === 0, id).toBe(true);
  }
});

test('lists only chat models', () => {
  const notChat = /embed|whisper|tts|image|audio|realtime|moderation|ocr|guard|transcribe|:free/i;
  expect(allModels.map(getName).filter((name) => notChat.test(name))).toEqual([]);
});

test.each([...DEFAULT_MODELS.keys(), 'azure', 'amazon-bedrock', 'google-vertex', 'huggingface'])(
  'the default model of %s is in the catalogue',
  (provider) => {
    expect(find(`${provider}/${findDefaultModel(provider)}`)).toBeDefined();
  },
);

describe('selected models', () => {
  test('Claude', () => {
    expect(find('anthropic/claude-opus-5-5')).toEqual({
      id: 'claude-opus-5-5',
      name: 'Claude Opus 5.5',
      api: 'anthropic-messages',
      provider: 'anthropic',
      baseUrl: 'https://api.anthropic.com',
      reasoning: true,
      thinkingLevels: ['low', 'medium', 'high', 'xhigh'],
      input: ['text', 'image'],
      contextWindow: 1_000_000,
      maxTokens: 128_000,
      cost: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
    });
    expect(getThinkingLevels(find('anthropic/claude-haiku-4-5')!)).toEqual(['off', 'minimal', 'low', 'medium', 'high']);
  });

  test('models that do not think have no levels', () => {
    expect(find('openai/gpt-4.1')).toMatchObject({ reasoning: false, maxTokens: 32_768 });
    expect(find('openai/gpt-4.1')).not.toHaveProperty('thinkingLevels');
  });

  test('Azure has the models of OpenAI with its own base URL', async () => {
    const azure = await loadCatalogueModels(findProvider('azure')!, 'https://mine.example/openai/v1');
    expect(azure.map(({ id }) => id)).toEqual(
      allModels.filter(({ provider }) => provider === 'openai').map(({ id }) => id),
    );
    expect(new Set(azure.map(({ baseUrl }) => baseUrl))).toEqual(new Set(['https://mine.example/openai/v1']));
  });

  const openai = allModels.filter(({ provider, reasoning }) => provider === 'openai' && reasoning);
  test.each(openai.map((one) => [one.id, one] as const))('%s gets each of its levels as effort', (id, one) => {
    for (const level of getThinkingLevels(one)) {
      const effort = level === 'off' ? 'none' : level;
      expect(buildReasoning(one, level)?.effort, `${id} at ${level}`).toBe(effort);
    }
  });
});
