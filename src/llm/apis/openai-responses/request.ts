// First floor, llm: one request in the Responses format: address, headers and body. Pure.
import type { FunctionTool, ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import type { ApiRequest, ToolOffer } from '../../../contracts/index.ts';
import { endpointOf } from '../../http/address.ts';
import { lowerCased, secretsOf } from '../../http/headers.ts';
import type { HttpCall } from '../../http/post.ts';
import { reasoningOf } from './effort.ts';
import { wireInput } from './input.ts';

/** Less is refused. */
const SMALLEST_ANSWER = 16;
const LONGEST_CACHE_KEY = 64;

export function call(request: ApiRequest): HttpCall {
  return {
    url: endpointOf(request.model.baseUrl, '/responses', /\/responses$/),
    headers: headersOf(request),
    body: bodyOf(request),
    secrets: secretsOf(request),
  };
}

/** What changes with every turn comes last. */
function bodyOf(request: ApiRequest): ResponseCreateParamsStreaming {
  const { model, systemPrompt, tools, maxTokens, sessionId, thinkingLevel } = request;
  const reasoning = reasoningOf(model, thinkingLevel);
  return {
    model: model.id,
    stream: true,
    // Nothing is left with the provider, so reasoning must come to us, sealed, to be sent back.
    store: false,
    ...(model.reasoning ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(sessionId === '' ? {} : { prompt_cache_key: sessionId.slice(0, LONGEST_CACHE_KEY) }),
    ...(maxTokens === undefined ? {} : { max_output_tokens: Math.max(maxTokens, SMALLEST_ANSWER) }),
    ...(reasoning ? { reasoning } : {}),
    ...(systemPrompt.trim() === '' ? {} : { instructions: systemPrompt }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    input: wireInput(request),
  };
}

function toolOf({ name, description, parameters }: ToolOffer): FunctionTool {
  // Strict schemas forbid optional arguments, which our tools have.
  return { type: 'function', name, description, parameters, strict: false };
}

function headersOf({ apiKey, headers = {} }: ApiRequest): Record<string, string> {
  const given = lowerCased({ headers });
  const opened = 'authorization' in given || 'api-key' in given;
  return { ...(opened || !apiKey ? {} : { authorization: `Bearer ${apiKey}` }), ...given };
}
