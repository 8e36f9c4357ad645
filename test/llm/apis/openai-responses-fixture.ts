// Setup for tests of the Responses format: loopback provider, models, requests and histories.

import { afterAll, beforeAll } from 'vitest';
import { createSend } from '../../../src/app/system-ports/send.ts';
import type { ApiRequest, ModelApi } from '../../../src/contracts/index.ts';
import { createOpenAiResponses } from '../../../src/llm/apis/openai-responses/index.ts';
import type { AssistantMessage, Model } from '../../../src/protocol/index.ts';
import { createFakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';
import { observe } from '../contract.ts';
import { KEY, type LoopbackServer, startOpenAiResponses } from '../servers/openai-responses.ts';
import { SERVED } from '../servers/openai-responses-models.ts';
import { BASH, READ, user } from './anthropic-fixture.ts';

export { assistant, BASH, READ, result, summarizeEvent, toolCall, user } from './anthropic-fixture.ts';

export interface ApiFixture {
  readonly server: LoopbackServer;
  readonly clock: FakeClock;
  readonly api: ModelApi;
  model(id?: string, overrides?: Partial<Model>): Model;
  request(other?: Partial<ApiRequest>): ApiRequest;
  /** The final message of one request. */
  ask(other?: Partial<ApiRequest>): Promise<AssistantMessage>;
}

export const IDLE_MS = 60_000;

export function createApiFixture(): ApiFixture {
  let server: LoopbackServer | undefined;
  const clock = createFakeClock();
  const limits = { idleTimeoutMs: IDLE_MS, totalTimeoutMs: 10 * IDLE_MS };
  const api = createOpenAiResponses({ fetch, send: createSend(clock), clock, userAgent: 'parley/test', ...limits });
  beforeAll(async () => {
    server = await startOpenAiResponses();
  });
  afterAll(() => server?.close());
  const model: ApiFixture['model'] = (id = 'gpt-5', other = {}) => gpt(id, { baseUrl: server?.url ?? '', ...other });
  const request: ApiFixture['request'] = (other = {}) => createRequest(model(), other);
  return {
    get server() {
      if (!server) throw new Error('The loopback server has not started');
      return server;
    },
    clock,
    api,
    model,
    request,
    ask: async (other) => (await observe(api.stream(request(other)))).message,
  };
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

export function createRequest(model: Model, other: Partial<ApiRequest> = {}): ApiRequest {
  return {
    model,
    systemPrompt: 'You are a careful engineer.',
    messages: [user('Hello')],
    tools: [READ, BASH],
    thinkingLevel: 'medium',
    signal: new AbortController().signal,
    sessionId: 'session',
    apiKey: KEY,
    ...other,
  };
}
