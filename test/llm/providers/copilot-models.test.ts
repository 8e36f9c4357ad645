// Conversion of the Copilot model list.
import { expect, test } from 'vitest';
import { COPILOT_HEADERS } from '../../../src/llm/providers/copilot-headers.ts';
import { listCopilotModels } from '../../../src/llm/providers/copilot-models.ts';
import { findProvider, type Provider } from '../../../src/llm/providers/providers.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';

const provider = { ...(findProvider('github-copilot') as Provider), baseUrl: 'https://copilot.example.test' };

async function fetchModels(answer: Response | Promise<Response>) {
  const requests: { url: string; headers: Headers }[] = [];
  const clock = createFakeClock();
  const fetch = (async (url: string, init: RequestInit) => {
    requests.push({ url, headers: new Headers(init.headers) });
    init.signal?.addEventListener('abort', () => {});
    return answer;
  }) as typeof globalThis.fetch;
  const models = await listCopilotModels(provider, { fetch, clock, apiKey: 'short-lived' });
  return { models, asked: requests };
}

const entry = (id: string, fields: Record<string, unknown> = {}, capabilities: Record<string, unknown> = {}) => ({
  id,
  name: id.toUpperCase(),
  model_picker_enabled: true,
  capabilities: { type: 'chat', ...capabilities },
  ...fields,
});

test('requests the list with the key and converts the models', async () => {
  const { models, asked } = await fetchModels(
    Response.json({
      data: [
        entry(
          'claude-x',
          { supported_endpoints: ['/v1/messages', '/chat/completions'], policy: { state: 'enabled' } },
          {
            limits: { max_context_window_tokens: 200_000, max_output_tokens: 8_000, max_prompt_tokens: 90_000 },
            supports: { vision: true, tool_calls: true, reasoning_effort: ['low', 'high', 'odd'] },
          },
        ),
        entry('gpt-y', { supported_endpoints: ['/responses'] }),
      ],
    }),
  );
  expect(asked.map(({ url }) => url)).toEqual(['https://copilot.example.test/models']);
  expect(asked[0]?.headers.get('authorization')).toBe('Bearer short-lived');
  expect(asked[0]?.headers.get('copilot-integration-id')).toBe('vscode-chat');
  expect(models).toEqual([
    {
      id: 'claude-x',
      name: 'CLAUDE-X',
      api: 'openai-completions',
      provider: 'github-copilot',
      baseUrl: 'https://copilot.example.test',
      reasoning: true,
      thinkingLevels: ['low', 'high'],
      input: ['text', 'image'],
      contextWindow: 98_000,
      maxTokens: 8_000,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      headers: COPILOT_HEADERS,
    },
    expect.objectContaining({
      id: 'gpt-y',
      api: 'openai-responses',
      reasoning: false,
      input: ['text'],
      contextWindow: 128_000,
      maxTokens: 16_384,
    }),
  ]);
});

test('omits models that cannot be used', async () => {
  const { models } = await fetchModels(
    Response.json({
      data: [
        null,
        'odd',
        { name: 'no id' },
        entry('hidden', { model_picker_enabled: false }),
        entry('forbidden', { policy: { state: 'disabled' } }),
        entry('embedding', {}, { type: 'embeddings' }),
        entry('no-tools', {}, { supports: { tool_calls: false } }),
        entry('another-wire', { supported_endpoints: ['/v1/messages'] }),
        { id: 'plain' },
      ],
    }),
  );
  expect(models.map(({ id, name }) => [id, name])).toEqual([['plain', 'plain']]);
});

test.each([
  ['no list', () => Response.json({ models: [] }), 'GitHub Copilot did not list its models. Sign in again.'],
  [
    'an error status',
    () => new Response('{}', { status: 401 }),
    'GitHub Copilot returned status 401 for the list of models.',
  ],
  ['invalid JSON', () => new Response('<html>'), 'The models of GitHub Copilot cannot be listed:'],
  ['a network error', () => Promise.reject(new TypeError('fetch failed')), 'cannot be listed: fetch failed'],
])('reports %s', async (_, answer, sentence) => {
  await expect(fetchModels(answer())).rejects.toThrow(sentence);
});
