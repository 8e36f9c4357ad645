// First floor, llm: Gemini by Google Cloud, which takes a token for a project, or a key for none.
import type { ApiRequest, ModelApi } from '../../../contracts/index.ts';
import { ProviderFault } from '../../http/failure.ts';
import { lowerCased } from '../../http/headers.ts';
import type { WirePorts } from '../../http/wire.ts';
import { createSdkApi } from './api.ts';
import { geminiFormat } from './gemini.ts';
import { GoogleGenerativeAILanguageModel } from './vendor/google.ts';

type Env = Readonly<Record<string, string | undefined>>;

export function createGoogleVertex(ports: WirePorts, env: Env): ModelApi {
  return createSdkApi(ports, {
    ...geminiFormat('vertex'),
    connect: (request, { fetch, newId }) =>
      new GoogleGenerativeAILanguageModel(request.model.id, {
        // The SDK goes by this name: Vertex takes no ids of calls, for instance.
        provider: 'google.vertex.chat',
        baseURL: addressOf(request, env),
        headers: keyOf(request),
        fetch,
        generateId: newId,
      }),
  });
}

const ANYWHERE = 'https://aiplatform.googleapis.com';
const KEY = /^(AIza|AQ\.)/;

/** Tokens are good for the hour of a project; keys are not bound to one. */
function isKey(apiKey: string): boolean {
  return KEY.test(apiKey);
}

function addressOf({ model, apiKey, headers }: ApiRequest, env: Env): string {
  const base = model.baseUrl.replace(/\/+$/, '');
  // An address with a path is whole: somebody wrote it.
  if (base !== '' && new URL(base).pathname !== '/') return base;
  const project = env.GOOGLE_VERTEX_PROJECT || env.GOOGLE_CLOUD_PROJECT || env.GCLOUD_PROJECT;
  const location = env.GOOGLE_VERTEX_LOCATION || env.GOOGLE_CLOUD_LOCATION || 'global';
  if (apiKey && isKey(apiKey)) return `${base || ANYWHERE}/v1/publishers/google`;
  if (!apiKey && !lowerCased({ headers }).authorization) throw locked();
  if (!project) {
    throw new ProviderFault({ kind: 'auth' }, 'Google Vertex AI wants to know the project: set GOOGLE_VERTEX_PROJECT');
  }
  const host = base === '' || base === ANYWHERE ? hostOf(location) : base;
  return `${host}/v1beta1/projects/${project}/locations/${location}/publishers/google`;
}

function hostOf(location: string): string {
  if (location === 'global') return ANYWHERE;
  if (location === 'eu' || location === 'us') return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

function locked(): ProviderFault {
  return new ProviderFault(
    { kind: 'auth' },
    'Google Vertex AI takes a token or a key: set GOOGLE_CLOUD_API_KEY, or put "!gcloud auth print-access-token" as the key of google-vertex into auth.json',
  );
}

function keyOf(request: ApiRequest): Record<string, string> {
  const { apiKey } = request;
  if (!apiKey || 'authorization' in lowerCased(request)) return {};
  return isKey(apiKey) ? { 'x-goog-api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}
