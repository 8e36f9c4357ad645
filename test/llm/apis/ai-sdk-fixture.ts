// Setup for tests of the formats behind the AI SDK: loopback provider, models, requests, and responses without a network.
import { afterAll, beforeAll } from 'vitest';
import type { ApiRequest, ModelApi } from '../../../src/contracts/index.ts';
import type { WirePorts } from '../../../src/llm/http/wire-api.ts';
import type { AssistantMessage, Model } from '../../../src/protocol/index.ts';
import { createFakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';
import { type Observation, observe } from '../contract.ts';
import type { LoopbackServer } from '../servers/loopback.ts';
import { createRequest } from './anthropic-fixture.ts';

export { assistant, READ, result, summarizeEvent, toolCall, user } from './anthropic-fixture.ts';

export const IDLE_MS = 60_000;
export const PNG = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };

export interface ApiFixture<Answer> {
  readonly server: LoopbackServer<Answer>;
  readonly clock: FakeClock;
  readonly api: ModelApi;
  model(id?: string, overrides?: Partial<Model>): Model;
  request(other?: Partial<ApiRequest>): ApiRequest;
  /** The final message of one request. */
  ask(other?: Partial<ApiRequest>): Promise<AssistantMessage>;
}

export interface ApiFixtureOptions<Answer> {
  start(): Promise<LoopbackServer<Answer>>;
  create(ports: WirePorts): ModelApi;
  model: Partial<Model> & { id: string };
  apiKey?: string | undefined;
  /** Appended to the URL of the server. */
  path?: string;
}

export function createPorts(clock: FakeClock, overrides: Partial<WirePorts> = {}): WirePorts {
  const timeouts = { idleTimeoutMs: IDLE_MS, totalTimeoutMs: 10 * IDLE_MS };
  return { fetch, send: fetch, clock, userAgent: 'parley/test', ...timeouts, ...overrides };
}

export function createApiFixture<Answer>(options: ApiFixtureOptions<Answer>): ApiFixture<Answer> {
  let server: LoopbackServer<Answer> | undefined;
  const clock = createFakeClock();
  const api = options.create(createPorts(clock));
  beforeAll(async () => {
    server = await options.start();
  });
  afterAll(() => server?.close());
  const model: ApiFixture<Answer>['model'] = (id = options.model.id, other = {}) => ({
    ...createModel({ ...options.model, id }),
    baseUrl: `${server?.url ?? ''}${options.path ?? ''}`,
    ...other,
  });
  const request: ApiFixture<Answer>['request'] = (other = {}) =>
    createRequest(model(), { apiKey: options.apiKey, ...other });
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

export function createModel(overrides: Partial<Model> & { id: string }): Model {
  return {
    name: overrides.id,
    api: 'google-generative-ai',
    provider: 'google',
    baseUrl: 'https://api.example.test',
    reasoning: true,
    input: ['text', 'image'],
    contextWindow: 1_000_000,
    maxTokens: 64_000,
    cost: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
    ...overrides,
  };
}

/** Responds to every request with these chunks, without a network. */
export function createFetch(type: string, pieces: readonly Uint8Array[]): typeof fetch {
  return async () =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece);
          controller.close();
        },
      }),
      { headers: { 'content-type': type } },
    );
}

/** An observation as comparable data. */
export function toComparable({ events, message }: Observation): unknown {
  return [
    events.map(({ type, ...rest }) => [type, 'delta' in rest ? rest.delta : undefined].filter(Boolean).join(' ')),
    JSON.parse(JSON.stringify(message)),
  ];
}
