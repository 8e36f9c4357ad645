// What the tests of the formats behind the AI SDK share: a loopback provider, models on it, requests, and streams without a network.
import { afterAll, beforeAll } from 'vitest';
import type { ApiRequest, ModelApi } from '../../../src/contracts/index.ts';
import type { WirePorts } from '../../../src/llm/http/wire.ts';
import type { AssistantMessage, Model } from '../../../src/protocol/index.ts';
import { createFakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';
import { type Observation, observe } from '../contract.ts';
import type { LoopbackServer } from '../servers/loopback.ts';
import { requestFor } from './anthropic-stage.ts';

export { bare, called, READ, result, said, user } from './anthropic-stage.ts';

export const IDLE_MS = 60_000;
export const PNG = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };

export interface Stage<Answer> {
  readonly server: LoopbackServer<Answer>;
  readonly clock: FakeClock;
  readonly api: ModelApi;
  model(id?: string, other?: Partial<Model>): Model;
  request(other?: Partial<ApiRequest>): ApiRequest;
  /** The final message of one more turn. */
  ask(other?: Partial<ApiRequest>): Promise<AssistantMessage>;
}

export interface Subject<Answer> {
  start(): Promise<LoopbackServer<Answer>>;
  create(ports: WirePorts): ModelApi;
  model: Partial<Model> & { id: string };
  apiKey?: string | undefined;
  /** After the server's own address. */
  path?: string;
}

export function portsWith(clock: FakeClock, other: Partial<WirePorts> = {}): WirePorts {
  const patience = { idleTimeoutMs: IDLE_MS, totalTimeoutMs: 10 * IDLE_MS };
  return { fetch, send: fetch, clock, userAgent: 'parley/test', ...patience, ...other };
}

export function stage<Answer>(subject: Subject<Answer>): Stage<Answer> {
  let server: LoopbackServer<Answer> | undefined;
  const clock = createFakeClock();
  const api = subject.create(portsWith(clock));
  beforeAll(async () => {
    server = await subject.start();
  });
  afterAll(() => server?.close());
  const model: Stage<Answer>['model'] = (id = subject.model.id, other = {}) => ({
    ...modelOf({ ...subject.model, id }),
    baseUrl: `${server?.url ?? ''}${subject.path ?? ''}`,
    ...other,
  });
  const request: Stage<Answer>['request'] = (other = {}) => requestFor(model(), { apiKey: subject.apiKey, ...other });
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

export function modelOf(other: Partial<Model> & { id: string }): Model {
  return {
    name: other.id,
    api: 'google-generative-ai',
    provider: 'google',
    baseUrl: 'https://api.example.test',
    reasoning: true,
    input: ['text', 'image'],
    contextWindow: 1_000_000,
    maxTokens: 64_000,
    cost: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
    ...other,
  };
}

/** Answers every request with these pieces, without a network. */
export function fetchOf(type: string, pieces: readonly Uint8Array[]): typeof fetch {
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

/** What was seen of one stream, as data that can be compared. */
export function told({ events, message }: Observation): unknown {
  return [
    events.map(({ type, ...rest }) => [type, 'delta' in rest ? rest.delta : undefined].filter(Boolean).join(' ')),
    JSON.parse(JSON.stringify(message)),
  ];
}
