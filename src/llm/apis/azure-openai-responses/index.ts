// The OpenAI Responses format on Azure: different URL, different header for the key.
import type { ApiRequest, ModelApi } from '../../../contracts/index.ts';
import { trimSlashes } from '../../http/url-secrets.ts';
import type { WirePorts } from '../../http/wire-api.ts';
import { createOpenAiResponses } from '../openai-responses/index.ts';

export function createAzureOpenAiResponses(ports: WirePorts): ModelApi {
  const responses = createOpenAiResponses(ports);
  return { stream: (request) => responses.stream(toAzureRequest(request)) };
}

/** A token of a Microsoft Entra sign-in (header, claims, signature) is sent as bearer token instead of `api-key`. */
const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

function toAzureRequest({ apiKey, ...request }: ApiRequest): ApiRequest {
  const model = { ...request.model, baseUrl: buildBaseUrl(request.model.baseUrl) };
  if (!apiKey || JWT.test(apiKey)) return { ...request, apiKey, model };
  return { ...request, model, headers: { 'api-key': apiKey, ...request.headers } };
}

/** The Azure portal shows the resource URL without the path of this API. */
function buildBaseUrl(baseUrl: string): string {
  const base = trimSlashes(baseUrl);
  return /^https:\/\/[^/]+\.azure\.com(\/openai)?$/i.test(base) ? `${base.replace(/\/openai$/i, '')}/openai/v1` : base;
}
