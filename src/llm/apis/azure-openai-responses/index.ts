// First floor, llm: the Responses format as Azure serves it: the same words, another address, another header for the key.
import type { ApiRequest, ModelApi } from '../../../contracts/index.ts';
import { trimSlashes } from '../../http/address.ts';
import type { WirePorts } from '../../http/wire.ts';
import { createOpenAiResponses } from '../openai-responses/index.ts';

export function createAzureOpenAiResponses(ports: WirePorts): ModelApi {
  const responses = createOpenAiResponses(ports);
  return { stream: (request) => responses.stream(forAzure(request)) };
}

/** Header, claims and signature: what a sign-in gives is not taken for a key. */
const TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

function forAzure({ apiKey, ...request }: ApiRequest): ApiRequest {
  const model = { ...request.model, baseUrl: addressOf(request.model.baseUrl) };
  if (!apiKey || TOKEN.test(apiKey)) return { ...request, apiKey, model };
  return { ...request, model, headers: { 'api-key': apiKey, ...request.headers } };
}

/** The portal shows a resource's address without the path that this format lives under. */
function addressOf(baseUrl: string): string {
  const base = trimSlashes(baseUrl);
  return /^https:\/\/[^/]+\.azure\.com(\/openai)?$/i.test(base) ? `${base.replace(/\/openai$/i, '')}/openai/v1` : base;
}
