// Setup for tests of the Messages format: loopback provider, models and requests.
import type { ApiRequest } from '../../../src/contracts/index.ts';
import { createAnthropicMessages } from '../../../src/llm/apis/anthropic-messages/index.ts';
import type { Model } from '../../../src/protocol/index.ts';
import { KEY, type LoopbackServer, startAnthropicMessages } from '../servers/anthropic-messages.ts';
import * as fixture from './api-fixture.ts';
import { createSampleRequest } from './request-samples.ts';

export function createApiFixture(): fixture.ApiFixture<LoopbackServer> {
  return fixture.createApiFixture({
    start: startAnthropicMessages,
    create: createAnthropicMessages,
    createModel: (server, id = 'claude-sonnet-4-5', overrides = {}) =>
      claude(id, { baseUrl: server?.url ?? '', ...overrides }),
    createRequest,
  });
}

export function claude(id: string, other: Partial<Model> = {}): Model {
  return {
    id,
    name: id,
    api: 'anthropic-messages',
    provider: 'anthropic',
    baseUrl: 'https://api.example.test',
    reasoning: true,
    input: ['text', 'image'],
    contextWindow: 200_000,
    maxTokens: 32_000,
    cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    ...other,
  };
}

export function createRequest(model: Model, overrides: Partial<ApiRequest> = {}): ApiRequest {
  return createSampleRequest(model, { apiKey: KEY, ...overrides });
}
