// Builds a request in the Chat Completions format: URL, headers and body.

import type { ChatCompletionCreateParamsStreaming, ChatCompletionTool } from 'openai/resources/chat/completions';
import type { ApiRequest, ToolDefinition } from '../../../contracts/index.ts';
import { collectSecrets, lowerCaseHeaders } from '../../http/headers.ts';
import type { ProviderRequest } from '../../http/post-for-events.ts';
import { buildEndpointUrl } from '../../http/url-secrets.ts';
import type { Compat } from '../../providers/compat.ts';
import { computeMaxTokens } from './max-tokens.ts';
import { buildMessages, type WireMessage } from './messages.ts';
import { resolveCompat, usesClaudeRules } from './resolve-compat.ts';
import { buildThinkingFields } from './thinking.ts';

/** The fields of the format, and those that providers added. */
type Body = Omit<ChatCompletionCreateParamsStreaming, 'messages'> & {
  messages: WireMessage[];
  tool_stream?: boolean;
  provider?: Record<string, unknown>;
  providerOptions?: { gateway: Record<string, unknown> };
};

const MAX_CACHE_KEY_LENGTH = 64;

export function buildRequest(request: ApiRequest): ProviderRequest {
  const compat = resolveCompat(request);
  return {
    url: buildEndpointUrl(request.model.baseUrl, '/chat/completions', /\/chat\/completions$/),
    headers: buildHeaders(request, compat),
    body: buildBody(request, compat),
    secrets: collectSecrets(request),
  };
}

/** Fields that change with every turn come last, for prompt caching. */
function buildBody(request: ApiRequest, compat: Compat): Body {
  const { model, tools, sessionId } = request;
  const messages = buildMessages(request, compat);
  const supportedTools = compat.supportsTools ? tools : [];
  return {
    model: model.id,
    stream: true,
    ...(compat.supportsUsageInStreaming ? { stream_options: { include_usage: true } } : {}),
    [compat.maxTokensField]: computeMaxTokens(request),
    ...buildThinkingFields(request, compat),
    ...(request.fast ? { service_tier: 'priority' as const } : {}),
    ...(compat.supportsPromptCacheKey && sessionId
      ? { prompt_cache_key: sessionId.slice(0, MAX_CACHE_KEY_LENGTH) }
      : {}),
    ...(compat.openRouterRouting ? { provider: compat.openRouterRouting } : {}),
    ...(compat.vercelGatewayRouting ? { providerOptions: { gateway: compat.vercelGatewayRouting } } : {}),
    ...(compat.zaiToolStream && supportedTools.length > 0 ? { tool_stream: true } : {}),
    ...(supportedTools.length === 0 ? {} : { tools: supportedTools.map(toTool) }),
    messages: usesClaudeRules(model, compat) ? addCacheMarkers(messages) : messages,
  };
}

function toTool({ name, description, parameters }: ToolDefinition): ChatCompletionTool {
  return {
    type: 'function',
    function: { name, description, parameters: { type: 'object', properties: {}, ...parameters } },
  };
}

function buildHeaders(request: ApiRequest, compat: Compat): Record<string, string> {
  const { apiKey, headers = {}, sessionId, messages } = request;
  const { sessionHeader, initiatorHeader, imageHeader } = compat;
  const customHeaders = lowerCaseHeaders({ headers });
  const hasAuthHeader = 'authorization' in customHeaders || 'api-key' in customHeaders;
  return {
    ...(hasAuthHeader || !apiKey ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(sessionHeader && sessionId ? { [sessionHeader]: sessionId } : {}),
    ...(initiatorHeader ? { [initiatorHeader]: messages.at(-1)?.role === 'user' ? 'user' : 'agent' } : {}),
    ...(imageHeader && messages.some(hasImage) ? { [imageHeader]: 'true' } : {}),
    ...customHeaders,
  };
}

function hasImage({ content }: ApiRequest['messages'][number]): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === 'image');
}

const CACHE_MARKER = { cache_control: { type: 'ephemeral' } } as const;

/**
 * Marks the system prompt (which includes the tools before it) and the last two user or tool messages. The last mark
 * writes the cache; the one before is where the previous request wrote it.
 */
function addCacheMarkers(messages: readonly WireMessage[]): WireMessage[] {
  const userIndexes = messages.flatMap(({ role }, index) => (role === 'user' || role === 'tool' ? [index] : []));
  const markedIndexes = new Set([messages[0]?.role === 'system' ? 0 : -1, ...userIndexes.slice(-2)]);
  return messages.map((message, index) => (markedIndexes.has(index) ? addCacheMarker(message) : message));
}

function addCacheMarker(message: WireMessage): WireMessage {
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : [...(content ?? [])];
  const index = parts.findLastIndex(({ type }) => type === 'text');
  const part = parts[index];
  if (!part) return message;
  parts[index] = { ...part, ...CACHE_MARKER };
  return { ...message, content: parts } as WireMessage;
}
