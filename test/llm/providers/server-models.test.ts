// Model lists of local servers, in the format of each server.
import { afterEach, expect, test } from 'vitest';
import { findProvider, type Provider } from '../../../src/llm/providers/providers.ts';
import { listServerModels } from '../../../src/llm/providers/server-models.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { type LocalServer, type Pages, startLocalServer } from '../servers/local-models.ts';

const clock = createFakeClock();
let server: LocalServer | undefined;
afterEach(() => server?.close());

async function startServer(id: string, pages: Pages): Promise<Provider> {
  server = await startLocalServer(pages);
  return { ...findProvider(id)!, baseUrl: `${server.url}/v1` };
}

const list = (provider: Provider, apiKey?: string) => listServerModels(provider, { fetch, clock, apiKey });

test('Ollama reports the capabilities of each model', async () => {
  const details: Record<string, unknown> = {
    'qwen3:8b': {
      capabilities: ['completion', 'tools', 'thinking'],
      model_info: { 'qwen3.context_length': 40_960, 'qwen3.block_count': 36 },
    },
    'gemma3:4b': { capabilities: ['completion', 'vision'], model_info: { 'gemma3.context_length': 131_072 } },
    'nomic-embed': { capabilities: ['embedding'], model_info: {} },
  };
  const provider = await startServer('ollama', (path, { model }) => {
    if (path === '/api/tags')
      return { models: [...Object.keys(details), 'broken'].map((name) => ({ name, model: name, size: 1 })) };
    return path === '/api/show' ? details[String(model)] : undefined;
  });
  const models = await list(provider);
  expect(models).toEqual([
    {
      id: 'qwen3:8b',
      name: 'qwen3:8b',
      api: 'openai-completions',
      provider: 'ollama',
      baseUrl: `${server!.url}/v1`,
      reasoning: true,
      input: ['text'],
      contextWindow: 40_960,
      maxTokens: 16_384,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    },
    expect.objectContaining({ id: 'gemma3:4b', reasoning: false, input: ['text', 'image'], contextWindow: 131_072 }),
    expect.objectContaining({ id: 'broken', reasoning: false, input: ['text'], contextWindow: 128_000 }),
  ]);
  expect(server!.keys).toEqual(server!.keys.map(() => undefined));
});

test('Ollama details are requested for at most 64 models', async () => {
  const models = Array.from({ length: 200 }, (_, n) => ({ name: `m${n}` }));
  const provider = await startServer('ollama', (path) =>
    path === '/api/tags' ? { models } : { capabilities: ['completion'] },
  );
  expect(await list(provider)).toHaveLength(200);
  expect(server!.requests).toHaveLength(65);
});

test('a proxy that exposes only the OpenAI list of Ollama', async () => {
  const provider = await startServer('ollama', (path) =>
    path === '/v1/models' ? { data: [{ id: 'a' }, { id: 7 }, null] } : undefined,
  );
  expect((await list(provider)).map(({ id }) => id)).toEqual(['a']);
});

test('LM Studio reports the loaded context length', async () => {
  const data = [
    { id: 'vl', type: 'vlm', state: 'not-loaded', max_context_length: 32_768 },
    { id: 'llm', type: 'llm', state: 'loaded', max_context_length: 131_072, loaded_context_length: 8192 },
    { id: 'embed', type: 'embeddings', max_context_length: 2048 },
  ];
  const provider = await startServer('lmstudio', (path) => (path === '/api/v0/models' ? { data } : undefined));
  expect(await list(provider)).toMatchObject([
    { id: 'vl', input: ['text', 'image'], contextWindow: 32_768 },
    { id: 'llm', input: ['text'], contextWindow: 8192, maxTokens: 8192 },
  ]);
});

test('llama.cpp reports the loaded context size under /props', async () => {
  const provider = await startServer('llamacpp', (path) => {
    if (path === '/v1/models') return { data: [{ id: 'qwen', meta: { n_ctx_train: 262_144 } }] };
    return path === '/props'
      ? { default_generation_settings: { n_ctx: 65_536 }, modalities: { vision: true } }
      : undefined;
  });
  expect(await list(provider)).toMatchObject([{ id: 'qwen', contextWindow: 65_536, input: ['text', 'image'] }]);
});

test('vLLM reports the maximum model length', async () => {
  const data = [{ id: 'served', max_model_len: 24_576, owned_by: 'vllm' }];
  const provider = await startServer('vllm', (path) => (path === '/v1/models' ? { data } : undefined));
  expect(await list(provider, 'token')).toMatchObject([{ id: 'served', contextWindow: 24_576 }]);
  expect(server!.keys).toEqual(['Bearer token']);
});

test('connection refused', async () => {
  const provider = { ...findProvider('ollama')!, baseUrl: 'http://127.0.0.1:9/v1' };
  await expect(list(provider)).rejects.toMatchObject({
    code: 'no_model',
    message: 'No server answers at http://127.0.0.1:9/v1: start it, or set OLLAMA_HOST',
  });
});

test('a server that does not respond in time', async () => {
  let onRequest: (() => void) | undefined;
  const reached = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const provider = await startServer('vllm', () => {
    onRequest?.();
    return 'silent';
  });
  const listing = list(provider);
  const rejection = expect(listing).rejects.toThrow(
    `The server at ${provider.baseUrl} did not answer within 2 seconds`,
  );
  await reached;
  await clock.advance(2000);
  await rejection;
});

test('a server that requires a key, and one without a list', async () => {
  const protectedServer = await startServer('vllm', () => 401);
  await expect(list(protectedServer)).rejects.toThrow(
    `The server at ${protectedServer.baseUrl} requires a key: set VLLM_API_KEY`,
  );
  await server?.close();
  const other = await startServer('lmstudio', () => '<html>');
  await expect(list(other)).rejects.toThrow('does not list its models');
});

test('a list that is too large is rejected', async () => {
  const provider = await startServer('vllm', () => ({ data: [{ id: 'a'.repeat(9 * 1024 * 1024) }] }));
  await expect(list(provider)).rejects.toThrow(
    `The models of the server at ${provider.baseUrl} cannot be listed: The response is larger than 8 MiB`,
  );
});
