// Uses every example of docs/models.md: the file is accepted, and its model is reached with the format, URL and key that it declares.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSystemPorts } from '../src/app/system-ports/index.ts';
import { createApiLoaders } from '../src/llm/index.ts';
import { observe } from './llm/contract.ts';
import { createModelFixture, createRequest } from './llm/model-fixture.ts';
import { startAnthropicMessages } from './llm/servers/anthropic-messages.ts';
import { startBedrock } from './llm/servers/bedrock.ts';
import { startGemini } from './llm/servers/gemini.ts';
import { startOpenAiCompletions } from './llm/servers/openai-completions.ts';
import { startOpenAiResponses } from './llm/servers/openai-responses.ts';
import { checkBlock } from './support/page-blocks.ts';
import { createTemporaryDirectory } from './support/temporary-directory.ts';

const page = readFileSync(fileURLToPath(new URL('../docs/models.md', import.meta.url)), 'utf8');
const block = (language: string) => new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';
const examples = new Map(
  [...page.matchAll(/^### (.*)\n(?:(?!^#|^```).*\n)*```json\n([\s\S]*?)^```/gm)].map(([, title = '', code = '']) => [
    title,
    code,
  ]),
);

interface Example {
  readonly provider: string;
  readonly id: string;
  readonly api: string;
  readonly baseUrl: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Headers that the server must receive. */
  readonly headers?: Readonly<Record<string, string>>;
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  'OpenAI-compatible server': {
    provider: 'acme',
    id: 'acme-large',
    api: 'openai-completions',
    baseUrl: 'https://llm.acme.example/v1',
    env: { ACME_API_KEY: 'sk-acme' },
    headers: { authorization: 'Bearer sk-acme' },
  },
  'OpenAI Responses API': {
    provider: 'acme-responses',
    id: 'acme-large',
    api: 'openai-responses',
    baseUrl: 'https://llm.acme.example/v1',
    env: { ACME_API_KEY: 'sk-acme' },
    headers: { authorization: 'Bearer sk-acme' },
  },
  'Anthropic-compatible server': {
    provider: 'acme-claude',
    id: 'claude-opus-5-5',
    api: 'anthropic-messages',
    baseUrl: 'https://claude.acme.example',
    headers: { 'x-api-key': 'key-of-.acme-key' },
  },
  Google: {
    provider: 'acme-gemini',
    id: 'gemini-3.8-flash',
    api: 'google-generative-ai',
    baseUrl: 'https://gemini.acme.example/v1beta',
    env: { ACME_GEMINI_KEY: 'AIza-acme' },
    headers: { 'x-goog-api-key': 'AIza-acme' },
  },
  'Azure OpenAI': {
    provider: 'azure',
    id: 'my-deployment',
    api: 'azure-openai-responses',
    baseUrl: 'https://my-resource.openai.azure.com/openai/v1',
    env: { AZURE_OPENAI_API_KEY: 'azure-key' },
    headers: { 'api-key': 'azure-key' },
  },
  'Amazon Bedrock': {
    provider: 'amazon-bedrock',
    id: 'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2c3d4',
    api: 'bedrock-converse-stream',
    baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    env: { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key' },
    headers: { authorization: 'Bearer bedrock-key' },
  },
  'Google Vertex AI': {
    provider: 'google-vertex',
    id: 'gemini-next-preview',
    api: 'google-vertex',
    baseUrl: 'https://aiplatform.googleapis.com',
    env: { GOOGLE_CLOUD_API_KEY: 'AIza-vertex' },
    headers: { 'x-goog-api-key': 'AIza-vertex' },
  },
  Ollama: { provider: 'ollama', id: 'qwen3:8b', api: 'openai-completions', baseUrl: 'http://gpu-box:11434/v1' },
  'LM Studio': {
    provider: 'lmstudio',
    id: 'qwen3-coder-30b',
    api: 'openai-completions',
    baseUrl: 'http://localhost:1234/v1',
  },
  vLLM: { provider: 'vllm', id: 'my-adapter', api: 'openai-completions', baseUrl: 'http://localhost:8000/v1' },
  OpenRouter: {
    provider: 'openrouter',
    id: 'vendor/new-model:free',
    api: 'openai-completions',
    baseUrl: 'https://openrouter.ai/api/v1',
    env: { OPENROUTER_API_KEY: 'or-key' },
    headers: { authorization: 'Bearer or-key' },
  },
  'Gateway with its own headers': {
    provider: 'gateway',
    id: 'team-model',
    api: 'openai-completions',
    baseUrl: 'https://gateway.acme.example/openai/v1',
    env: { GATEWAY_KEY: 'gw-key', GATEWAY_TOKEN: 'gw-token' },
    headers: { authorization: 'Bearer gw-key', 'x-team': 'platform', 'x-gateway-token': 'gw-token' },
  },
  'Another URL for a built-in provider': {
    provider: 'anthropic',
    id: 'claude-opus-5-5',
    api: 'anthropic-messages',
    baseUrl: 'https://proxy.acme.example',
    env: { ANTHROPIC_API_KEY: 'sk-ant' },
    headers: { 'x-api-key': 'sk-ant', 'x-proxy-user': 'me' },
  },
};

/** A home directory with the key files that the commands of the page print. */
function createHome(): Record<string, string> {
  const home = createTemporaryDirectory();
  mkdirSync(home, { recursive: true });
  for (const name of ['.acme-key', '.mistral-key']) writeFileSync(join(home, name), `key-of-${name}\n`);
  return { HOME: home };
}

test('every example of the page is in this test, and every language is checked', async () => {
  expect([...examples.keys()]).toEqual(Object.keys(EXAMPLES));
  await checkBlock('docs/getting-started.md', 'bash', block('bash'));
  expect(new Set([...page.matchAll(/^```(\w+)/gm)].map(([, language]) => language))).toEqual(new Set(['bash', 'json']));
});

test('auth.json: a key, a variable and a command', async () => {
  const fixture = createModelFixture({
    files: { 'auth.json': block('json') },
    env: { ...createHome(), WORK_OPENAI_KEY: 'sk-work' },
  });
  const keys = ['anthropic', 'openai', 'mistral'].map((provider) => fixture.models.credentials.getKey(provider));
  expect(await Promise.all(keys)).toEqual(['sk-ant-example', 'sk-work', 'key-of-.mistral-key']);
  expect(fixture.warnings).toEqual([]);
});

describe.each(Object.entries(EXAMPLES))('%s', (title, { provider, id, api, baseUrl, env, headers }) => {
  const code = examples.get(title) ?? '';

  test('is accepted, and declares the model', async () => {
    const { models, warnings } = createModelFixture({
      files: { 'models.json': code },
      env: { ...createHome(), ...env },
    });
    const model = await models.find(provider, id);
    expect(model).toMatchObject({ api, baseUrl });
    expect(models.isAssumed?.(model!)).toBe(false);
    expect((await models.listAvailable()).map((each) => `${each.provider}/${each.id}`)).toContain(`${provider}/${id}`);
    await models.requireCredentials(model!);
    expect(warnings).toEqual([]);
    const { providers } = JSON.parse(code);
    const { id: _, ...declared } = providers[provider].models?.[0] ?? { ...providers[provider].modelOverrides[id], id };
    expect(model).toMatchObject(declared);
  });

  test('a server with this format gets the request with key and headers', async () => {
    const server = await startFormatServer(api);
    const system = createSystemPorts({ env: { PATH: process.env.PATH } });
    onTestFinished(() => system.close());
    const url = new URL(baseUrl);
    const path = url.pathname === '/' ? '' : url.pathname;
    const text = code.includes('"baseUrl"')
      ? code.replace(/"baseUrl": "[^"]*"/, `"baseUrl": "${server.url}${path}"`)
      : code.replace(`"${provider}": {`, `"${provider}": { "baseUrl": "${server.url}${path}",`);
    const allEnv = { ...createHome(), ...env };
    const wire = {
      fetch: system.fetch,
      send: system.sendHttp,
      clock: system.clock,
      userAgent: 'test',
      idleTimeoutMs: 5000,
      totalTimeoutMs: 5000,
    };
    const { models } = createModelFixture({
      files: { 'models.json': text },
      env: allEnv,
      apis: createApiLoaders({ clock: system.clock, wire, env: allEnv }),
    });
    const model = await models.find(provider, id);
    const { message } = await observe(models.stream(createRequest(model!)));
    expect(message).toMatchObject({ stopReason: 'stop', content: [{ type: 'text', text: 'Hello.' }] });
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.headers).toMatchObject(headers ?? {});
    expect(decodeURIComponent(`${server.received[0]?.path} ${server.received[0]?.text}`)).toContain(id);
    expect(server.received[0]?.path).toContain(path);
  });
});

/** Sends one answer and checks nothing. */
async function startFormatServer(api: string) {
  const reply = { lax: true as const, answer: { parts: [{ text: 'Hello.' }] } };
  if (api === 'openai-completions') {
    const { getUrl, ...server } = await startOpenAiCompletions();
    onTestFinished(() => server.close());
    server.reply({ lax: true, answer: { text: ['Hello.'] } });
    return { ...server, url: new URL(getUrl('openai')).origin };
  }
  const start =
    api === 'anthropic-messages'
      ? startAnthropicMessages
      : api === 'bedrock-converse-stream'
        ? startBedrock
        : api.startsWith('google')
          ? startGemini
          : startOpenAiResponses;
  const server = await start();
  onTestFinished(() => server.close());
  server.reply(reply);
  return server;
}
