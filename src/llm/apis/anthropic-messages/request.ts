// Builds a request in the Anthropic Messages format: URL, headers, body and cache markers.
import type { MessageCreateParamsStreaming, Tool } from '@anthropic-ai/sdk/resources/messages';
import type { ApiRequest, ToolDefinition } from '../../../contracts/index.ts';
import { ANTHROPIC_FAST_BETA } from '../../fast-mode.ts';
import { collectSecrets, lowerCaseHeaders } from '../../http/headers.ts';
import type { ProviderRequest } from '../../http/post-for-events.ts';
import { buildEndpointUrl } from '../../http/url-secrets.ts';
import { buildMessages, canContinueThinking, type WireMessage } from './messages.ts';
import { planThinking, planWithoutThinking, type ThinkingPlan } from './thinking.ts';

type Body = Omit<MessageCreateParamsStreaming, 'thinking'> & Pick<ThinkingPlan, 'thinking'>;

const API_VERSION = '2023-06-01';
const OAUTH_BETA = 'oauth-2025-04-20';
const OAUTH_TOKEN_PREFIX = 'sk-ant-oat';
const CACHE_MARKER = { cache_control: { type: 'ephemeral' } } as const;

export function buildRequest(request: ApiRequest): ProviderRequest {
  const { body, betas } = buildBody(request);
  return {
    url: buildEndpointUrl(request.model.baseUrl, '/v1/messages', /\/v1(\/messages)?$/),
    headers: buildHeaders(request, betas),
    body,
    secrets: collectSecrets(request),
  };
}

function buildBody(request: ApiRequest): { body: Body; betas: readonly string[] } {
  const thinkingPlan = planThinking(request);
  const messages = buildMessages(request, thinkingPlan.replaysThinking);
  const isPossible = thinkingPlan.thinking?.type !== 'enabled' || canContinueThinking(messages);
  const plan = isPossible ? thinkingPlan : planWithoutThinking(request);
  const body: Body = {
    model: request.model.id,
    max_tokens: plan.maxTokens,
    stream: true,
    ...(plan.thinking ? { thinking: plan.thinking } : {}),
    ...(plan.effort ? { output_config: { effort: plan.effort } } : {}),
    ...(request.fast ? { speed: 'fast' as const } : {}),
    ...(request.systemPrompt.trim() === ''
      ? {}
      : { system: [{ type: 'text' as const, text: request.systemPrompt, ...CACHE_MARKER }] }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toTool) }),
    messages: addCacheMarkers(messages),
  };
  return { body, betas: request.fast ? [...plan.betas, ANTHROPIC_FAST_BETA] : plan.betas };
}

function toTool(tool: ToolDefinition, index: number, all: readonly ToolDefinition[]): Tool {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { ...tool.parameters, type: 'object' },
    ...(index === all.length - 1 ? CACHE_MARKER : {}),
  };
}

/**
 * Marks the last two user messages. The last mark writes the cache; the one before is where the previous request wrote
 * it. Together with the system prompt and the tools these are four marks, which is the limit of the API.
 */
function addCacheMarkers(messages: readonly WireMessage[]): WireMessage[] {
  const marked = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-2);
  return messages.map((message, index) => {
    const lastBlock = message.content.at(-1);
    if (!marked.includes(index) || lastBlock === undefined) return message;
    return { ...message, content: [...message.content.slice(0, -1), { ...lastBlock, ...CACHE_MARKER }] };
  });
}

function buildHeaders({ apiKey, headers = {} }: ApiRequest, requiredBetas: readonly string[]): Record<string, string> {
  const customHeaders = lowerCaseHeaders({ headers });
  const hasAuthHeader = 'authorization' in customHeaders || 'x-api-key' in customHeaders;
  const isOAuthToken = !hasAuthHeader && apiKey?.startsWith(OAUTH_TOKEN_PREFIX) === true;
  const customBetas = (customHeaders['anthropic-beta'] ?? '').split(',').map((name) => name.trim());
  const betas = new Set(
    [...customBetas, ...(isOAuthToken ? [OAUTH_BETA] : []), ...requiredBetas].filter((name) => name !== ''),
  );
  return {
    'anthropic-version': API_VERSION,
    ...(hasAuthHeader || !apiKey ? {} : isOAuthToken ? { authorization: `Bearer ${apiKey}` } : { 'x-api-key': apiKey }),
    ...customHeaders,
    ...(betas.size > 0 ? { 'anthropic-beta': [...betas].join(',') } : {}),
  };
}
