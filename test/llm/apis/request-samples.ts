// Tools, messages and requests for tests of model APIs.
import type { ApiRequest } from '../../../src/contracts/index.ts';
import type {
  AssistantMessage,
  AssistantMessageEvent,
  Model,
  ToolResultMessage,
  UserMessage,
} from '../../../src/protocol/index.ts';

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

export function createSampleRequest(model: Model, overrides: Partial<ApiRequest> = {}): ApiRequest {
  return {
    model,
    systemPrompt: 'You are a careful engineer.',
    messages: [user('Hello')],
    tools: [READ, BASH],
    thinkingLevel: 'off',
    signal: new AbortController().signal,
    sessionId: 'session',
    ...overrides,
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
  overrides: Partial<AssistantMessage> = {},
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
    ...overrides,
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
