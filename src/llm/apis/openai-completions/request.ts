// First floor, llm: one request in the Chat Completions format: address, headers and body. Pure.
import type { ChatCompletionCreateParamsStreaming, ChatCompletionTool } from 'openai/resources/chat/completions';
import type { ApiRequest, ToolOffer } from '../../../contracts/index.ts';
import { endpointOf } from '../../http/address.ts';
import { lowerCased, secretsOf } from '../../http/headers.ts';
import type { HttpCall } from '../../http/post.ts';
import type { Compat } from '../../providers/compat.ts';
import { marked } from './cache-marks.ts';
import { compatOf, isClaude } from './compat.ts';
import { type WireMessage, wireMessages } from './messages.ts';
import { roomFor } from './room.ts';
import { thinkingFields } from './thinking.ts';

/** The format's own fields, and those that hosts added. */
type Body = Omit<ChatCompletionCreateParamsStreaming, 'messages'> & {
  messages: WireMessage[];
  tool_stream?: boolean;
  provider?: Record<string, unknown>;
  providerOptions?: { gateway: Record<string, unknown> };
};

const LONGEST_CACHE_KEY = 64;

export function call(request: ApiRequest): HttpCall {
  const compat = compatOf(request);
  return {
    url: endpointOf(request.model.baseUrl, '/chat/completions', /\/chat\/completions$/),
    headers: headersOf(request, compat),
    body: bodyOf(request, compat),
    secrets: secretsOf(request),
  };
}

/** What changes with every turn comes last. */
function bodyOf(request: ApiRequest, compat: Compat): Body {
  const { model, tools, sessionId } = request;
  const messages = wireMessages(request, compat);
  const offered = compat.supportsTools ? tools : [];
  return {
    model: model.id,
    stream: true,
    ...(compat.supportsUsageInStreaming ? { stream_options: { include_usage: true } } : {}),
    [compat.maxTokensField]: roomFor(request),
    ...thinkingFields(request, compat),
    ...(compat.supportsPromptCacheKey && sessionId ? { prompt_cache_key: sessionId.slice(0, LONGEST_CACHE_KEY) } : {}),
    ...(compat.openRouterRouting ? { provider: compat.openRouterRouting } : {}),
    ...(compat.vercelGatewayRouting ? { providerOptions: { gateway: compat.vercelGatewayRouting } } : {}),
    ...(compat.zaiToolStream && offered.length > 0 ? { tool_stream: true } : {}),
    ...(offered.length === 0 ? {} : { tools: offered.map(toolOf) }),
    messages: isClaude(model, compat) ? marked(messages) : messages,
  };
}

function toolOf({ name, description, parameters }: ToolOffer): ChatCompletionTool {
  return {
    type: 'function',
    function: { name, description, parameters: { type: 'object', properties: {}, ...parameters } },
  };
}

function headersOf(request: ApiRequest, compat: Compat): Record<string, string> {
  const { apiKey, headers = {}, sessionId, messages } = request;
  const { sessionHeader, initiatorHeader, imageHeader } = compat;
  const given = lowerCased({ headers });
  const opened = 'authorization' in given || 'api-key' in given;
  return {
    ...(opened || !apiKey ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(sessionHeader && sessionId ? { [sessionHeader]: sessionId } : {}),
    ...(initiatorHeader ? { [initiatorHeader]: messages.at(-1)?.role === 'user' ? 'user' : 'agent' } : {}),
    ...(imageHeader && messages.some(hasImage) ? { [imageHeader]: 'true' } : {}),
    ...given,
  };
}

function hasImage({ content }: ApiRequest['messages'][number]): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === 'image');
}
