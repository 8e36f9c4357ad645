// First floor, llm: Gemini by Google's API for developers, which takes a key.
import type { ApiRequest, ModelApi } from '../../../contracts/index.ts';
import { trimSlashes } from '../../http/address.ts';
import { lowerCased } from '../../http/headers.ts';
import type { WirePorts } from '../../http/wire.ts';
import { createSdkApi } from './api.ts';
import type { SdkFormat } from './format.ts';
import { geminiFormat } from './gemini.ts';
import { GoogleGenerativeAILanguageModel } from './vendor/google.ts';

export function createGoogleGenerativeAi(ports: WirePorts): ModelApi {
  return createSdkApi(ports, async (request) => ({ format, request }));
}

const format: SdkFormat = {
  ...geminiFormat('google'),
  connect: (request, { fetch, newId }) =>
    new GoogleGenerativeAILanguageModel(request.model.id, {
      provider: 'google.generative-ai',
      baseURL: trimSlashes(request.model.baseUrl),
      headers: keyOf(request),
      fetch,
      generateId: newId,
    }),
};

function keyOf(request: ApiRequest): Record<string, string> {
  // Two keys would be refused.
  const opened = 'authorization' in lowerCased(request);
  return opened || !request.apiKey ? {} : { 'x-goog-api-key': request.apiKey };
}
