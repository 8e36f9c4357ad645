// Builds a request in the OpenAI Responses format: URL, headers and body.
import type { FunctionTool, ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import type { ApiRequest, ToolDefinition } from '../../../contracts/index.ts';
import { collectSecrets, lowerCaseHeaders } from '../../http/headers.ts';
import type { ProviderRequest } from '../../http/post-for-events.ts';
import { buildEndpointUrl } from '../../http/url-secrets.ts';
import { buildInput } from './input.ts';
import { buildReasoning } from './reasoning-effort.ts';

/** The API rejects smaller values. */
const MIN_OUTPUT_TOKENS = 16;
const MAX_CACHE_KEY_LENGTH = 64;

export function buildRequest(request: ApiRequest): ProviderRequest {
  return {
    url: buildEndpointUrl(request.model.baseUrl, '/responses', /\/responses$/),
    headers: buildHeaders(request),
    body: buildBody(request),
    secrets: collectSecrets(request),
  };
}

/** Fields that change with every turn come last, for prompt caching. */
function buildBody(request: ApiRequest): ResponseCreateParamsStreaming {
  const { model, systemPrompt, tools, maxTokens, sessionId, thinkingLevel } = request;
  const reasoning = buildReasoning(model, thinkingLevel);
  return {
    model: model.id,
    stream: true,
    // The provider stores nothing, so it must send its encrypted reasoning, which is sent back later.
    store: false,
    ...(model.reasoning ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(sessionId === '' ? {} : { prompt_cache_key: sessionId.slice(0, MAX_CACHE_KEY_LENGTH) }),
    ...(maxTokens === undefined ? {} : { max_output_tokens: Math.max(maxTokens, MIN_OUTPUT_TOKENS) }),
    ...(reasoning ? { reasoning } : {}),
    ...(request.fast ? { service_tier: 'priority' as const } : {}),
    ...(systemPrompt.trim() === '' ? {} : { instructions: systemPrompt }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    input: buildInput(request),
  };
}

function toTool({ name, description, parameters }: ToolDefinition): FunctionTool {
  // Strict schemas do not allow optional arguments.
  return { type: 'function', name, description, parameters, strict: false };
}

function buildHeaders({ apiKey, headers = {} }: ApiRequest): Record<string, string> {
  const customHeaders = lowerCaseHeaders({ headers });
  const hasAuthHeader = 'authorization' in customHeaders || 'api-key' in customHeaders;
  return { ...(hasAuthHeader || !apiKey ? {} : { authorization: `Bearer ${apiKey}` }), ...customHeaders };
}
