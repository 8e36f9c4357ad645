// First floor, llm: Gemini by Google Cloud, which takes a token for a project, or a key for none.
import type { ApiRequest, ModelApi } from '../../../contracts/index.ts';
import { trimSlashes } from '../../http/address.ts';
import { ProviderFault } from '../../http/failure.ts';
import { lowerCased } from '../../http/headers.ts';
import type { WirePorts } from '../../http/wire.ts';
import { createSdkApi } from './api.ts';
import type { SdkFormat } from './format.ts';
import { geminiFormat } from './gemini.ts';
import type { CloudFiles, Env } from './sign-in/aws-files.ts';
import { googleAccount } from './sign-in/google-account.ts';
import { GoogleGenerativeAILanguageModel } from './vendor/google.ts';

/** Without files, a key or a token must come with the request. */
export function createGoogleVertex(ports: WirePorts, env: Env, files?: CloudFiles): ModelApi {
  const path = env.GOOGLE_APPLICATION_CREDENTIALS;
  const account = path && files ? googleAccount({ ...ports, files }, path) : undefined;
  return createSdkApi(ports, async (request) => {
    if (!account || isOpened(request)) return { request, format: formatFor(env) };
    const { token, project } = await account();
    return { request: { ...request, apiKey: token }, format: formatFor({ GCLOUD_PROJECT: project, ...env }) };
  });
}

function formatFor(env: Env): SdkFormat {
  return {
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
  };
}

function isOpened(request: ApiRequest): boolean {
  return !!request.apiKey || 'authorization' in lowerCased(request);
}

const ANYWHERE = 'https://aiplatform.googleapis.com';
const KEY = /^(AIza|AQ\.)/;

/** Tokens are good for the hour of a project; keys are not bound to one. */
function isKey(apiKey: string): boolean {
  return KEY.test(apiKey);
}

function addressOf(request: ApiRequest, env: Env): string {
  const { model, apiKey } = request;
  const base = trimSlashes(model.baseUrl);
  // An address with a path is whole: somebody wrote it.
  if (base !== '' && new URL(base).pathname !== '/') return base;
  const project = env.GOOGLE_VERTEX_PROJECT || env.GOOGLE_CLOUD_PROJECT || env.GCLOUD_PROJECT;
  const location = env.GOOGLE_VERTEX_LOCATION || env.GOOGLE_CLOUD_LOCATION || 'global';
  if (apiKey && isKey(apiKey)) return `${base || ANYWHERE}/v1/publishers/google`;
  if (!isOpened(request)) throw locked();
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
    'Google Vertex AI takes a token or a key: set GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_CLOUD_API_KEY, or put "!gcloud auth print-access-token" as the key of google-vertex into auth.json',
  );
}

function keyOf(request: ApiRequest): Record<string, string> {
  const { apiKey } = request;
  if (!apiKey || 'authorization' in lowerCased(request)) return {};
  return isKey(apiKey) ? { 'x-goog-api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}
