// Gemini through the Google AI developer API, with an API key.
import type { ApiRequest, ModelApi } from '../../../contracts/index.ts';
import { lowerCaseHeaders } from '../../http/headers.ts';
import { trimSlashes } from '../../http/url-secrets.ts';
import type { WirePorts } from '../../http/wire-api.ts';
import { createGeminiFormat } from './gemini-format.ts';
import { createSdkApi } from './sdk-api.ts';
import type { SdkFormat } from './sdk-format.ts';
import { GoogleGenerativeAILanguageModel } from './vendor/google.ts';

export function createGoogleGenerativeAi(ports: WirePorts): ModelApi {
  return createSdkApi(ports, async (request) => ({ format, request }));
}

const format: SdkFormat = {
  ...createGeminiFormat('google'),
  connect: (request, { fetch, newId }) =>
    new GoogleGenerativeAILanguageModel(request.model.id, {
      provider: 'google.generative-ai',
      baseURL: trimSlashes(request.model.baseUrl),
      headers: buildAuthHeaders(request),
      fetch,
      generateId: newId,
    }),
};

function buildAuthHeaders(request: ApiRequest): Record<string, string> {
  // The API rejects requests with two credentials.
  const hasAuthorization = 'authorization' in lowerCaseHeaders(request);
  return hasAuthorization || !request.apiKey ? {} : { 'x-goog-api-key': request.apiKey };
}
