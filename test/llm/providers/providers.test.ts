// The provider table: complete, consistent, and base URLs that the environment can change.
import { describe, expect, test } from 'vitest';
import { resolveBaseUrl } from '../../../src/llm/providers/base-url.ts';
import { mergeCompat, parseCompat } from '../../../src/llm/providers/compat.ts';
import { findProvider, PROVIDERS } from '../../../src/llm/providers/providers.ts';

describe('the provider table', () => {
  test('contains every provider once', () => {
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
    expect(findProvider('unknown')).toBeUndefined();
  });

  test.each(PROVIDERS.map((provider) => [provider.id, provider] as const))('%s has a valid entry', (_, provider) => {
    expect(provider.env.length).toBeGreaterThan(0);
    for (const name of provider.env) expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/);
    expect(provider.baseUrl === '' ? provider.baseUrlEnv : provider.baseUrl).toMatch(
      /^(https:\/\/[^/]|http:\/\/localhost:\d+\/v1$|[A-Z_]+$)/,
    );
    expect(provider.baseUrl.endsWith('/')).toBe(false);
    expect(provider.keyless === true).toBe(provider.baseUrl.startsWith('http://localhost'));
    expect(parseCompat(provider.compat ?? {})).toEqual(provider.compat ?? {});
  });
});

describe('base URLs', () => {
  // The URL of Copilot comes with its login.
  const changeable = PROVIDERS.filter(({ id }) => id !== 'github-copilot');
  test.each(changeable.map((provider) => [provider.id, provider] as const))(
    '%s has its own variable, which changes no other provider',
    (id, { baseUrlEnv = '' }) => {
      expect(baseUrlEnv).not.toBe('');
      const env = { [baseUrlEnv]: 'https://proxy.test/path/' };
      for (const other of PROVIDERS)
        expect(resolveBaseUrl(other, env)).toBe(other.id === id ? 'https://proxy.test/path' : other.baseUrl);
      for (const value of ['ftp://proxy.test', 'https://', 'https://user:secret-word@'])
        expect(() => resolveBaseUrl(findProvider(id)!, { [baseUrlEnv]: value })).toThrow(
          expect.objectContaining({
            code: 'config',
            message: expect.stringMatching(`^${baseUrlEnv} is not a valid HTTP URL`),
          }),
        );
      expect(resolveBaseUrl(findProvider(id)!, { [baseUrlEnv]: ' ' })).toBe(findProvider(id)?.baseUrl);
    },
  );

  const resolve = (id: string, value: string) => {
    const provider = findProvider(id)!;
    return resolveBaseUrl(provider, { [provider.baseUrlEnv ?? '']: value });
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
  ])('%s with "%s" has the base URL %s', (id, value, expected) => {
    expect(resolve(id, value)).toBe(expected);
  });

  test('an invalid URL is rejected with the name of the variable', () => {
    expect(() => resolve('openai', 'proxy')).toThrow(
      'OPENAI_BASE_URL is not a valid HTTP URL: proxy. Use a URL like https://api.openai.com/v1',
    );
    expect(() => resolve('ollama', 'ftp://box')).toThrow('OLLAMA_HOST is not a valid HTTP URL: ftp://box');
  });

  test('default to the provider table', () => {
    expect(resolveBaseUrl(findProvider('groq')!, {})).toBe('https://api.groq.com/openai/v1');
    expect(resolveBaseUrl(findProvider('azure')!, {})).toBe('');
  });
});

describe('compat', () => {
  test('merges defaults, provider settings and user settings', () => {
    const merged = mergeCompat(
      { thinkTags: true, reasoningEffortMap: { low: 'a', high: 'b' } },
      { reasoningEffortMap: { low: 'c' } },
    );
    expect(merged).toMatchObject({ thinkTags: true, maxTokensField: 'max_tokens' });
    expect(merged.reasoningEffortMap).toEqual({ minimal: 'low', xhigh: 'high', low: 'c', high: 'b' });
  });

  test('accepts unknown keys and rejects invalid values', () => {
    expect(parseCompat({ supportsStore: false, thinkTags: true })).toEqual({ thinkTags: true });
    expect(() => parseCompat({ reasoningEffortMap: { low: 3 } })).toThrow(
      'compat.reasoningEffortMap.low in models.json is invalid',
    );
  });
});
