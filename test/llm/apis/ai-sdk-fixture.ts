// Setup for tests of the formats behind the AI SDK: loopback provider, models, requests, and responses without a network.
import type { ModelApi } from '../../../src/contracts/index.ts';
import type { WirePorts } from '../../../src/llm/http/wire-api.ts';
import type { Model } from '../../../src/protocol/index.ts';
import type { Observation } from '../contract.ts';
import type { LoopbackServer } from '../servers/loopback.ts';
import * as fixture from './api-fixture.ts';
import { createSampleRequest } from './request-samples.ts';

export const PNG = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };

export interface ApiFixtureOptions<Answer> {
  start(): Promise<LoopbackServer<Answer>>;
  create(ports: WirePorts): ModelApi;
  model: Partial<Model> & { id: string };
  apiKey?: string | undefined;
  /** Appended to the URL of the server. */
  path?: string;
}

export function createApiFixture<Answer>(
  options: ApiFixtureOptions<Answer>,
): fixture.ApiFixture<LoopbackServer<Answer>> {
  return fixture.createApiFixture({
    start: options.start,
    create: options.create,
    createModel: (server, id = options.model.id, overrides = {}) => ({
      ...createModel({ ...options.model, id }),
      baseUrl: `${server?.url ?? ''}${options.path ?? ''}`,
      ...overrides,
    }),
    createRequest: (model, overrides) => createSampleRequest(model, { apiKey: options.apiKey, ...overrides }),
  });
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
