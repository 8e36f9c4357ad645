// A model API with a fake clock, and the loopback server of its provider.
import { afterAll, beforeAll } from 'vitest';
import { createSend } from '../../../src/app/system-ports/send.ts';
import type { ApiRequest, ModelApi } from '../../../src/contracts/index.ts';
import type { WirePorts } from '../../../src/llm/http/wire-api.ts';
import type { AssistantMessage, Model } from '../../../src/protocol/index.ts';
import { createFakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';
import { type Observation, observe } from '../contract.ts';

export const IDLE_MS = 60_000;
export const TOTAL_MS = 10 * IDLE_MS;

/** `name` is the id of the model, or the name of the provider where the server imitates several. */
export interface ApiFixture<Server> {
  readonly server: Server;
  readonly clock: FakeClock;
  readonly api: ModelApi;
  model(name?: string, overrides?: Partial<Model>): Model;
  request(overrides?: Partial<ApiRequest>): ApiRequest;
  /** Runs one request. */
  observe(overrides?: Partial<ApiRequest>): Promise<Observation>;
  /** The final message of one request. */
  ask(overrides?: Partial<ApiRequest>): Promise<AssistantMessage>;
}

export interface ApiFixtureOptions<Server> {
  start(): Promise<Server>;
  create(ports: WirePorts): ModelApi;
  /** `server` is absent until the first test starts. */
  createModel(server: Server | undefined, name?: string, overrides?: Partial<Model>): Model;
  createRequest(model: Model, overrides?: Partial<ApiRequest>): ApiRequest;
}

export function createPorts(clock: FakeClock, overrides: Partial<WirePorts> = {}): WirePorts {
  const timeouts = { idleTimeoutMs: IDLE_MS, totalTimeoutMs: TOTAL_MS };
  return { fetch, send: createSend(clock), clock, userAgent: 'parley/test', ...timeouts, ...overrides };
}

export function createApiFixture<Server extends { close(): Promise<void> }>(
  options: ApiFixtureOptions<Server>,
): ApiFixture<Server> {
  let server: Server | undefined;
  const clock = createFakeClock();
  const api = options.create(createPorts(clock));
  beforeAll(async () => {
    server = await options.start();
  });
  afterAll(() => server?.close());
  const model: ApiFixture<Server>['model'] = (...args) => options.createModel(server, ...args);
  const request: ApiFixture<Server>['request'] = (overrides) => options.createRequest(model(), overrides);
  const observeRequest: ApiFixture<Server>['observe'] = (overrides) => observe(api.stream(request(overrides)));
  return {
    get server() {
      if (!server) throw new Error('The loopback server has not started');
      return server;
    },
    clock,
    api,
    model,
    request,
    observe: observeRequest,
    ask: async (overrides) => (await observeRequest(overrides)).message,
  };
}
