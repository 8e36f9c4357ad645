// Setup for tests of the Messages format: loopback provider, models, requests and event summaries.

import { afterAll, beforeAll } from 'vitest';
import { createSend } from '../../../src/app/system-ports/send.ts';
import type { ApiRequest, ModelApi } from '../../../src/contracts/index.ts';
import { createAnthropicMessages } from '../../../src/llm/apis/anthropic-messages/index.ts';
import type {
  AssistantMessage,
  AssistantMessageEvent,
  Model,
  ToolResultMessage,
  UserMessage,
} from '../../../src/protocol/index.ts';
import { createFakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';
import { observe } from '../contract.ts';
import { KEY, type LoopbackServer, startAnthropicMessages } from '../servers/anthropic-messages.ts';

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
export const TOTAL_MS = 600_000;

export function createApiFixture(): ApiFixture {
  let server: LoopbackServer | undefined;
  const clock = createFakeClock();
  const api = createAnthropicMessages({
    fetch,
    send: createSend(clock),
    clock,
    userAgent: 'parley/test',
    idleTimeoutMs: IDLE_MS,
    totalTimeoutMs: TOTAL_MS,
  });
  beforeAll(async () => {
    server = await startAnthropicMessages();
  });
  afterAll(() => server?.close());
  const model: ApiFixture['model'] = (id = 'claude-sonnet-4-5', other = {}) =>
    claude(id, { baseUrl: server?.url ?? '', ...other });
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

export const READ = {
  name: 'read',
  description: 'Read a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};
export const BASH = {
  name: 'bash',
  description: 'Run a command.',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};

export function createRequest(model: Model, other: Partial<ApiRequest> = {}): ApiRequest {
  return {
    model,
    systemPrompt: 'You are a careful engineer.',
    messages: [user('Hello')],
    tools: [READ, BASH],
    thinkingLevel: 'off',
    signal: new AbortController().signal,
    sessionId: 'session',
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
  stopReason: AssistantMessage['stopReason'] = 'stop',
): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost };
  return {
    role: 'assistant',
    content,
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage,
    stopReason,
    timestamp: 1,
  };
}

export function toolCall(
  id: string,
  name = 'read',
  args: Record<string, unknown> = { path: 'a' },
): AssistantMessage['content'][number] {
  return { type: 'toolCall', id, name, arguments: args };
}

/** An event without the message it carries. */
export function summarizeEvent(event: AssistantMessageEvent): unknown[] {
  const { type, ...rest } = event;
  const { partial: _partial, message: _message, error: _error, ...fields } = rest as Record<string, unknown>;
  return [type, ...Object.values(fields)];
}
