// First floor, llm: one request in the Messages format: address, headers, body and cache markers. Pure.
import type { MessageCreateParamsStreaming, Tool } from '@anthropic-ai/sdk/resources/messages';
import type { ApiRequest, ToolOffer } from '../../../contracts/index.ts';
import { endpointOf } from '../../http/address.ts';
import { lowerCased, secretsOf } from '../../http/headers.ts';
import type { HttpCall } from '../../http/post.ts';
import { goesOnThinking, type WireMessage, wireMessages } from './messages.ts';
import { planThinking, type ThinkingPlan, thoughtless } from './thinking.ts';

type Body = Omit<MessageCreateParamsStreaming, 'thinking'> & Pick<ThinkingPlan, 'thinking'>;

const VERSION = '2023-06-01';
const OAUTH = 'oauth-2025-04-20';
const OAUTH_TOKEN = 'sk-ant-oat';
const CACHED = { cache_control: { type: 'ephemeral' } } as const;

export function call(request: ApiRequest): HttpCall {
  const { body, betas } = bodyOf(request);
  return {
    url: endpointOf(request.model.baseUrl, '/v1/messages', /\/v1(\/messages)?$/),
    headers: headersOf(request, betas),
    body,
    secrets: secretsOf(request),
  };
}

function bodyOf(request: ApiRequest): { body: Body; betas: readonly string[] } {
  const wanted = planThinking(request);
  const messages = wireMessages(request, wanted.remembers);
  const possible = wanted.thinking?.type !== 'enabled' || goesOnThinking(messages);
  const plan = possible ? wanted : thoughtless(request);
  const body: Body = {
    model: request.model.id,
    max_tokens: plan.maxTokens,
    stream: true,
    ...(plan.thinking ? { thinking: plan.thinking } : {}),
    ...(plan.effort ? { output_config: { effort: plan.effort } } : {}),
    ...(request.systemPrompt.trim() === ''
      ? {}
      : { system: [{ type: 'text' as const, text: request.systemPrompt, ...CACHED }] }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toolOf) }),
    messages: marked(messages),
  };
  return { body, betas: plan.betas };
}

function toolOf(offer: ToolOffer, index: number, all: readonly ToolOffer[]): Tool {
  return {
    name: offer.name,
    description: offer.description,
    input_schema: { ...offer.parameters, type: 'object' },
    ...(index === all.length - 1 ? CACHED : {}),
  };
}

/**
 * Marks the last two messages of the user's side. The last one writes the cache; the one before is where the previous
 * request wrote it, and a mark there finds it however many blocks have come since. With system and tools that makes
 * four marks, which is the limit.
 */
function marked(messages: readonly WireMessage[]): WireMessage[] {
  const last = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-2);
  return messages.map((message, index) => {
    const end = message.content.at(-1);
    if (!last.includes(index) || end === undefined) return message;
    return { ...message, content: [...message.content.slice(0, -1), { ...end, ...CACHED }] };
  });
}

function headersOf({ apiKey, headers = {} }: ApiRequest, wanted: readonly string[]): Record<string, string> {
  const given = lowerCased({ headers });
  const opened = 'authorization' in given || 'x-api-key' in given;
  const token = !opened && apiKey?.startsWith(OAUTH_TOKEN) === true;
  const asked = (given['anthropic-beta'] ?? '').split(',').map((name) => name.trim());
  const betas = new Set([...asked, ...(token ? [OAUTH] : []), ...wanted].filter((name) => name !== ''));
  return {
    'anthropic-version': VERSION,
    ...(opened || !apiKey ? {} : token ? { authorization: `Bearer ${apiKey}` } : { 'x-api-key': apiKey }),
    ...given,
    ...(betas.size > 0 ? { 'anthropic-beta': [...betas].join(',') } : {}),
  };
}
