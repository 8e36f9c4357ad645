// Setup for tests of the Responses format: loopback provider, models and requests.
import type { ApiRequest } from '../../../src/contracts/index.ts';
import { createOpenAiResponses } from '../../../src/llm/apis/openai-responses/index.ts';
import type { Model } from '../../../src/protocol/index.ts';
import { KEY, type LoopbackServer, startOpenAiResponses } from '../servers/openai-responses.ts';
import { SERVED } from '../servers/openai-responses-models.ts';
import * as fixture from './api-fixture.ts';
import { createSampleRequest } from './request-samples.ts';

export function createApiFixture(): fixture.ApiFixture<LoopbackServer> {
  return fixture.createApiFixture({
    start: startOpenAiResponses,
    create: createOpenAiResponses,
    createModel: (server, id = 'gpt-5', overrides = {}) => gpt(id, { baseUrl: server?.url ?? '', ...overrides }),
    createRequest,
  });
}

export function gpt(id = 'gpt-5', overrides: Partial<Model> = {}): Model {
  const served = SERVED[id];
  return {
    id,
    name: id,
    api: 'openai-responses',
    provider: 'openai',
    baseUrl: 'https://api.example.test/v1',
    reasoning: served?.efforts.length !== 0,
    input: served?.supportsImages === false ? ['text'] : ['text', 'image'],
    contextWindow: 400_000,
    maxTokens: 128_000,
    cost: { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 0 },
    ...overrides,
  };
}

export function createRequest(model: Model, overrides: Partial<ApiRequest> = {}): ApiRequest {
  return createSampleRequest(model, { thinkingLevel: 'medium', apiKey: KEY, ...overrides });
}
