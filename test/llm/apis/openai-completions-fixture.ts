// Setup for tests of Chat Completions: loopback provider, models, requests and event summaries.

import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll } from 'vitest';
import { createSend } from '../../../src/app/system-ports/send.ts';
import type { ApiRequest, ModelApi } from '../../../src/contracts/index.ts';
import { createOpenAiCompletions } from '../../../src/llm/apis/openai-completions/index.ts';
import { createReader } from '../../../src/llm/apis/openai-completions/reader.ts';
import type { ServerSentEvent } from '../../../src/llm/http/post-for-events.ts';
import { MessageBuilder } from '../../../src/llm/message-builder.ts';
import type {
  AssistantMessage,
  AssistantMessageEvent,
  Model,
  ToolResultMessage,
  UserMessage,
} from '../../../src/protocol/index.ts';
import { createFakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';
import { type Observation, observe } from '../contract.ts';
import { KEY, type LoopbackServer, startOpenAiCompletions } from '../servers/openai-completions.ts';

export interface ApiFixture {
  readonly server: LoopbackServer;
  readonly clock: FakeClock;
  readonly api: ModelApi;
  /** A model of one of the imitated providers. The provider id is the name of the imitated provider, unless overridden. */
  model(provider?: string, overrides?: Partial<Model>): Model;
  request(other?: Partial<ApiRequest>): ApiRequest;
  /** Runs one request. */
  ask(other?: Partial<ApiRequest>): Promise<Observation>;
}

export const IDLE_MS = 60_000;
export const TOTAL_MS = 600_000;

export function createApiFixture(): ApiFixture {
  let server: LoopbackServer | undefined;
  const clock = createFakeClock();
  const timeouts = { idleTimeoutMs: IDLE_MS, totalTimeoutMs: TOTAL_MS };
  const api = createOpenAiCompletions({ fetch, send: createSend(clock), clock, userAgent: 'parley/test', ...timeouts });
  beforeAll(async () => {
    server = await startOpenAiCompletions();
  });
  afterAll(() => server?.close());
  const model: ApiFixture['model'] = (provider = 'openai', overrides = {}) =>
    createModel({ baseUrl: server?.getUrl(provider) ?? '', provider: provider, ...overrides });
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
    ask: (other) => observe(api.stream(request(other))),
  };
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

const path = { type: 'string' };
export const READ = { name: 'read', description: 'Read a file.', parameters: { type: 'object', properties: { path } } };
export const BASH = { name: 'bash', description: 'Run a command.', parameters: { type: 'object' } };

export function createRequest(model: Model, other: Partial<ApiRequest> = {}): ApiRequest {
  return {
    model,
    systemPrompt: 'You are a careful engineer.',
    messages: [user('Hello')],
    tools: [READ, BASH],
    thinkingLevel: 'off',
    signal: new AbortController().signal,
    sessionId: 'session-1',
    apiKey: KEY,
    ...other,
  };
}

export function user(content: UserMessage['content']): UserMessage {
  return { role: 'user', content, timestamp: 1 };
}

export function result(
  toolCallId: string,
  content: ToolResultMessage['content'] | string,
  isError = false,
): ToolResultMessage {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return { role: 'toolResult', toolCallId, toolName: 'read', content: blocks, isError, timestamp: 1 };
}

export function assistant(
  model: Model,
  content: AssistantMessage['content'],
  other: Partial<AssistantMessage> = {},
): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: 'assistant',
    content,
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost },
    stopReason: 'stop',
    timestamp: 1,
    ...other,
  };
}

export function toolCall(
  id: string,
  args: Record<string, unknown> = { path: 'a' },
): AssistantMessage['content'][number] {
  return { type: 'toolCall', id, name: 'read', arguments: args };
}

/** An event without the message it carries. */
export function summarizeEvent(event: AssistantMessageEvent): unknown[] {
  const { type, ...rest } = event;
  const { partial: _partial, message: _message, error: _error, ...fields } = rest as Record<string, unknown>;
  return [type, ...Object.values(fields)];
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
