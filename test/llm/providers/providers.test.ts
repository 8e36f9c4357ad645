// The table of hosts: complete, without contradictions, and movable by the environment.
import { describe, expect, test } from 'vitest';
import { baseUrlOf } from '../../../src/llm/providers/base-url.ts';
import { readCompat, withCompat } from '../../../src/llm/providers/compat.ts';
import { findProvider, PROVIDERS } from '../../../src/llm/providers/providers.ts';

describe('the table', () => {
  test('names every host once', () => {
    const ids = PROVIDERS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining([
        ...[
          'anthropic',
          'openai',
          'google',
          'openrouter',
          'groq',
          'deepseek',
          'xai',
          'mistral',
          'together',
          'fireworks',
        ],
        ...['cerebras', 'huggingface', 'nvidia', 'moonshot', 'zai', 'minimax', 'perplexity', 'sambanova', 'azure'],
        ...[
          'github-models',
          'vercel-gateway',
          'amazon-bedrock',
          'google-vertex',
          'ollama',
          'lmstudio',
          'llamacpp',
          'vllm',
        ],
      ]),
    );
    expect(findProvider('groq')?.name).toBe('Groq');
    expect(findProvider('nobody')).toBeUndefined();
  });

  test.each(PROVIDERS.map((provider) => [provider.id, provider] as const))('%s can be reached', (_, provider) => {
    expect(provider.env.length).toBeGreaterThan(0);
    for (const name of provider.env) expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/);
    expect(provider.baseUrl === '' ? provider.baseUrlEnv : provider.baseUrl).toMatch(
      /^(https:\/\/[^/]|http:\/\/localhost:\d+\/v1$|[A-Z_]+$)/,
    );
    expect(provider.baseUrl.endsWith('/')).toBe(false);
    expect(provider.keyless === true).toBe(provider.baseUrl.startsWith('http://localhost'));
    expect(readCompat(provider.compat ?? {})).toEqual(provider.compat ?? {});
  });
});

describe('addresses', () => {
  const moved = (id: string, value: string) => {
    const provider = findProvider(id)!;
    return baseUrlOf(provider, { [provider.baseUrlEnv ?? '']: value });
  };

  test.each([
    ['ollama', '', 'http://localhost:11434/v1'],
    ['ollama', 'box', 'http://box:11434/v1'],
    ['ollama', 'box:8080', 'http://box:8080/v1'],
    ['ollama', ':8080', 'http://localhost:8080/v1'],
    ['ollama', '0.0.0.0', 'http://localhost:11434/v1'],
    ['ollama', ' 0.0.0.0:11435 ', 'http://localhost:11435/v1'],
    ['ollama', 'https://box.test', 'https://box.test/v1'],
    ['ollama', 'http://box.test/llm/v1/', 'http://box.test/llm/v1'],
    ['ollama', '[::1]:11434', 'http://[::1]:11434/v1'],
    ['lmstudio', 'http://box:1234', 'http://box:1234/v1'],
    ['openai', 'https://proxy.test/openai/', 'https://proxy.test/openai'],
    ['openai', 'https://proxy.test', 'https://proxy.test'],
    ['azure', 'https://mine.openai.azure.com', 'https://mine.openai.azure.com/openai/v1'],
  ])('%s with "%s" is at %s', (id, value, expected) => {
    expect(moved(id, value)).toBe(expected);
  });

  test('that are none are refused by the name of the variable', () => {
    expect(() => moved('openai', 'proxy')).toThrow(
      'OPENAI_BASE_URL is no web address: proxy. Write it like https://api.openai.com/v1',
    );
    expect(() => moved('ollama', 'ftp://box')).toThrow('OLLAMA_HOST is no web address: ftp://box');
  });

  test('without a variable are the known ones', () => {
    expect(baseUrlOf(findProvider('groq')!, {})).toBe('https://api.groq.com/openai/v1');
    expect(baseUrlOf(findProvider('azure')!, {})).toBe('');
  });
});

describe('compat', () => {
  test('is common, then the host’s, then the user’s', () => {
    const merged = withCompat(
      { thinkTags: true, reasoningEffortMap: { low: 'a', high: 'b' } },
      { reasoningEffortMap: { low: 'c' } },
    );
    expect(merged).toMatchObject({ thinkTags: true, maxTokensField: 'max_tokens' });
    expect(merged.reasoningEffortMap).toEqual({ minimal: 'low', xhigh: 'high', low: 'c', high: 'b' });
  });

  test('lets pass what others read, and refuses what is wrong', () => {
    expect(readCompat({ supportsStore: false, thinkTags: true })).toEqual({ thinkTags: true });
    expect(() => readCompat({ reasoningEffortMap: { low: 3 } })).toThrow(
      'compat.reasoningEffortMap.low in models.json is wrong',
    );
  });
});
