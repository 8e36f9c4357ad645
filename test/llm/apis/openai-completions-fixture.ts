// Setup for tests of Chat Completions: loopback provider, models, requests, and streams without a network.
import { createParser } from 'eventsource-parser';
import type { ApiRequest } from '../../../src/contracts/index.ts';
import { createOpenAiCompletions } from '../../../src/llm/apis/openai-completions/index.ts';
import { createReader } from '../../../src/llm/apis/openai-completions/reader.ts';
import type { ServerSentEvent } from '../../../src/llm/http/post-for-events.ts';
import { MessageBuilder } from '../../../src/llm/message-builder.ts';
import type { AssistantMessageEvent, Model } from '../../../src/protocol/index.ts';
import type { Observation } from '../contract.ts';
import { KEY, type LoopbackServer, startOpenAiCompletions } from '../servers/openai-completions.ts';
import * as fixture from './api-fixture.ts';
import { createSampleRequest } from './request-samples.ts';

/** A model is selected by the name of its imitated provider, which is also its provider id unless overridden. */
export function createApiFixture(): fixture.ApiFixture<LoopbackServer> {
  return fixture.createApiFixture({
    start: startOpenAiCompletions,
    create: createOpenAiCompletions,
    createModel: (server, provider = 'openai', overrides = {}) =>
      createModel({ baseUrl: server?.getUrl(provider) ?? '', provider, ...overrides }),
    createRequest,
  });
}

export function createModel(overrides: Partial<Model> = {}): Model {
  return {
    id: 'loop-1',
    name: 'Loop 1',
    api: 'openai-completions',
    provider: 'loop',
    baseUrl: 'https://api.example.test/v1',
    reasoning: false,
    input: ['text', 'image'],
    contextWindow: 200_000,
    maxTokens: 16_000,
    cost: { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 2.5 },
    ...overrides,
  };
}

export function createRequest(model: Model, overrides: Partial<ApiRequest> = {}): ApiRequest {
  return createSampleRequest(model, { apiKey: KEY, ...overrides });
}

/** Reads a stream in chunks through parser and reader, without a network. */
export function readBytes(pieces: readonly Uint8Array[], request: ApiRequest): Observation {
  const builder = new MessageBuilder(request.model, 1);
  const reader = createReader(builder, request);
  const events: AssistantMessageEvent[] = [builder.start()];
  const usages = new Map();
  const pending: ServerSentEvent[] = [];
  const parser = createParser({ onEvent: (event) => void pending.push(event) });
  const decoder = new TextDecoder();
  const record = (event: AssistantMessageEvent) => {
    events.push(event);
    const { usage } = builder.message;
    if (!usages.has(usage)) usages.set(usage, JSON.stringify(usage));
  };
  for (const piece of pieces) {
    parser.feed(decoder.decode(piece, { stream: true }));
    for (const event of pending.splice(0)) for (const streamEvent of reader.read(event)) record(streamEvent);
  }
  const end = reader.end();
  for (let step = end.next(); ; step = end.next()) {
    if (step.done) {
      record(builder.finish(step.value));
      return { events, message: builder.message, usages };
    }
    record(step.value);
  }
}

export function readFrames(frames: readonly string[], request: ApiRequest = createRequest(createModel())): Observation {
  return readBytes([new TextEncoder().encode(frames.join(''))], request);
}
