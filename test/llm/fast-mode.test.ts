// Fast mode: which models have it, and how each wire format requests it.
import { expect, test } from 'vitest';
import type { ApiRequest } from '../../src/contracts/index.ts';
import { buildRequest as buildMessages } from '../../src/llm/apis/anthropic-messages/request.ts';
import { buildRequest as buildCompletions } from '../../src/llm/apis/openai-completions/request.ts';
import { buildRequest as buildResponses } from '../../src/llm/apis/openai-responses/request.ts';
import { supportsFastMode } from '../../src/llm/fast-mode.ts';
import type { Model } from '../../src/protocol/index.ts';
import { scriptedModel } from '../../src/testing/scripted-models.ts';

function createModel(provider: string, api: string, id: string): Model {
  return { ...scriptedModel, provider, api, id, baseUrl: 'http://127.0.0.1:9' };
}

test.each([
  ['openai', 'openai-responses', 'gpt-5.5', true],
  ['openai', 'openai-completions', 'gpt-4.1', true],
  ['openrouter', 'openai-completions', 'openai/gpt-5.5', false],
  ['azure-openai-responses', 'azure-openai-responses', 'gpt-5.5', false],
  ['anthropic', 'anthropic-messages', 'claude-opus-4-6', true],
  ['anthropic', 'anthropic-messages', 'claude-opus-5', true],
  ['anthropic', 'anthropic-messages', 'claude-opus-4-1', false],
  ['anthropic', 'anthropic-messages', 'claude-sonnet-5', false],
  ['amazon-bedrock', 'bedrock-converse-stream', 'anthropic.claude-opus-4-6', false],
])('%s %s %s: %s', (provider, api, id, isSupported) => {
  expect(supportsFastMode(createModel(provider, api, id))).toBe(isSupported);
});

const OPUS = createModel('anthropic', 'anthropic-messages', 'claude-opus-4-6');
const GPT = createModel('openai', 'openai-responses', 'gpt-5.5');

function createRequest(model: Model, fast?: boolean): ApiRequest {
  const { signal } = new AbortController();
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }], timestamp: 0 }];
  return { model, systemPrompt: 'S', messages, tools: [], thinkingLevel: 'off', signal, sessionId: 's', fast };
}

test.each([
  ['openai-responses', buildResponses, GPT, { service_tier: 'priority' }],
  ['openai-completions', buildCompletions, GPT, { service_tier: 'priority' }],
  ['anthropic-messages', buildMessages, OPUS, { speed: 'fast' }],
])('%s', (_, buildRequest, model, fields) => {
  const usual = buildRequest(createRequest(model));
  const fast = buildRequest(createRequest(model, true));
  expect(fast.body).toEqual({ ...(usual.body as object), ...fields });
  const beta = 'anthropic-beta';
  const betas = ({ headers }: typeof fast) => (headers[beta] ?? '').split(',').filter((name) => name !== '');
  const added = model === OPUS ? ['fast-mode-2026-02-01'] : [];
  expect(betas(fast)).toEqual([...betas(usual), ...added]);
});
