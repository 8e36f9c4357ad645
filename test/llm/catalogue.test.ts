// The generated list of models: whole, sane, fresh, and in step with what the APIs say to each of them.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { catalogueText, firstRowsText } from '../../scripts/catalogue-text.mjs';
import { check } from '../../src/contracts/index.ts';
import { reasoningOf } from '../../src/llm/apis/openai-responses/effort.ts';
import { ROWS } from '../../src/llm/catalogue/generated.ts';
import { catalogued } from '../../src/llm/catalogue.ts';
import { DEFAULT_MODELS, defaultModelOf } from '../../src/llm/defaults.ts';
import { findProvider, PROVIDERS } from '../../src/llm/providers/providers.ts';
import { levelsOf, type Model, model, THINKING_LEVELS } from '../../src/protocol/index.ts';

const FILE = 'src/llm/catalogue/generated.ts';
const text = readFileSync(FILE, 'utf8');
const all = (await Promise.all(PROVIDERS.map((provider) => catalogued(provider, provider.baseUrl)))).flat();
const nameOf = ({ provider, id }: Model) => `${provider}/${id}`;
const find = (name: string) => all.find((candidate) => nameOf(candidate) === name);

test('is what the script writes', () => {
  const [, date] = /prices of (\d{4}-\d{2}-\d{2})\./.exec(text) ?? [];
  expect(catalogueText(date!) === text, `${FILE} is stale: run \`npm run catalogue\``).toBe(true);
  const firsts = firstRowsText(date!, readFileSync('src/llm/defaults.ts', 'utf8'));
  expect(readFileSync('src/llm/catalogue/first-rows.ts', 'utf8') === firsts, 'first-rows.ts is stale').toBe(true);
});

test('the day decides the price', () => {
  const row = (day: string) => /\['gemini-3\.8-flash'.*/.exec(catalogueText(day))?.[0];
  expect(row('2026-11-15')).toContain('65536, 0.75, 3.75, 0.075, 0.75]');
  expect(row('2027-01-02')).toContain('65536, 1.5, 7.5, 0.15, 1.5]');
});

test('is small', () => {
  expect(text.length).toBeLessThan(250_000);
});

test('has models for every provider that it names, and only for ours', () => {
  for (const [provider, rows] of Object.entries(ROWS)) {
    expect(findProvider(provider)?.id).toBe(provider);
    expect(rows.length, provider).toBeGreaterThan(0);
  }
  expect(all.length).toBeGreaterThan(250);
});

test('no two models have one name', () => {
  expect(new Set(all.map(nameOf)).size).toBe(all.length);
});

test.each(Object.keys(ROWS))('every model of %s is whole and sane', (provider) => {
  for (const one of all.filter((candidate) => candidate.provider === provider)) {
    const { id, name, contextWindow, maxTokens, reasoning, cost, thinkingLevels = [] } = one;
    expect(check(model, one), id).toEqual(one);
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

test('nothing is listed that nobody talks to', () => {
  const others = /embed|whisper|tts|image|audio|realtime|moderation|ocr|guard|transcribe|:free/i;
  expect(all.map(nameOf).filter((name) => others.test(name))).toEqual([]);
});

test.each([...DEFAULT_MODELS.keys(), 'azure', 'amazon-bedrock', 'google-vertex', 'huggingface'])(
  '%s begins with a model that it has, which can think or code',
  (provider) => {
    expect(find(`${provider}/${defaultModelOf(provider)}`)).toBeDefined();
  },
);

describe('facts that people would miss', () => {
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
    expect(levelsOf(find('anthropic/claude-haiku-4-5')!)).toEqual(['off', 'minimal', 'low', 'medium', 'high']);
  });

  test('models that do not think have no levels', () => {
    expect(find('openai/gpt-4.1')).toMatchObject({ reasoning: false, maxTokens: 32_768 });
    expect(find('openai/gpt-4.1')).not.toHaveProperty('thinkingLevels');
  });

  test('the customers of Azure get the models of OpenAI, where their own address says', async () => {
    const azure = await catalogued(findProvider('azure')!, 'https://mine.example/openai/v1');
    expect(azure.map(({ id }) => id)).toEqual(all.filter(({ provider }) => provider === 'openai').map(({ id }) => id));
    expect(new Set(azure.map(({ baseUrl }) => baseUrl))).toEqual(new Set(['https://mine.example/openai/v1']));
  });

  const openai = all.filter(({ provider, reasoning }) => provider === 'openai' && reasoning);
  test.each(openai.map((one) => [one.id, one] as const))('%s is told each of its levels by its own name', (id, one) => {
    for (const level of levelsOf(one)) {
      const said = level === 'off' ? 'none' : level;
      expect(reasoningOf(one, level)?.effort, `${id} at ${level}`).toBe(said);
    }
  });
});
