// Gemini through Google Cloud Vertex AI, with a project token or an API key.
import type { ApiRequest, ModelApi } from '../../../contracts/index.ts';
import { lowerCaseHeaders } from '../../http/headers.ts';
import { ProviderFault } from '../../http/provider-fault.ts';
import { trimSlashes } from '../../http/url-secrets.ts';
import type { WirePorts } from '../../http/wire-api.ts';
import { createGeminiFormat } from './gemini-format.ts';
import { createSdkApi } from './sdk-api.ts';
import type { SdkFormat } from './sdk-format.ts';
import type { CloudFiles, Env } from './sign-in/aws-config.ts';
import { createGoogleTokenSource } from './sign-in/google-token-source.ts';
import { GoogleGenerativeAILanguageModel } from './vendor/google.ts';

/** Without `files`, the request must contain a key or a token. */
export function createGoogleVertex(ports: WirePorts, env: Env, files?: CloudFiles): ModelApi {
  const getToken = files && createGoogleTokenSource({ ...ports, files }, env);
  return createSdkApi(ports, async (request) => {
    if (!getToken || hasAuthorization(request)) return { request, format: createFormat(env) };
    const { token: apiKey, project } = (await getToken()) ?? {};
    return { request: { ...request, apiKey }, format: createFormat({ GCLOUD_PROJECT: project, ...env }) };
  });
}

function createFormat(env: Env): SdkFormat {
  return {
    ...createGeminiFormat('vertex'),
    connect: (request, { fetch, newId }) =>
      new GoogleGenerativeAILanguageModel(request.model.id, {
        // The SDK checks this name; for Vertex it omits call ids, for example.
        provider: 'google.vertex.chat',
        baseURL: buildBaseUrl(request, env),
        headers: buildAuthHeaders(request),
        fetch,
        generateId: newId,
      }),
  };
}

function hasAuthorization(request: ApiRequest): boolean {
  return !!request.apiKey || 'authorization' in lowerCaseHeaders(request);
}

const GLOBAL_URL = 'https://aiplatform.googleapis.com';
const API_KEY_PATTERN = /^(AIza|AQ\.)/;

/** API keys need no project, tokens do. */
function isApiKey(apiKey: string): boolean {
  return API_KEY_PATTERN.test(apiKey);
}

function buildBaseUrl(request: ApiRequest, env: Env): string {
  const { model, apiKey } = request;
  const base = trimSlashes(model.baseUrl);
  // A URL with a path was configured by the user and is used as it is.
  if (base !== '' && new URL(base).pathname !== '/') return base;
  const project = env.GOOGLE_VERTEX_PROJECT || env.GOOGLE_CLOUD_PROJECT || env.GCLOUD_PROJECT;
  const location = env.GOOGLE_VERTEX_LOCATION || env.GOOGLE_CLOUD_LOCATION || 'global';
  if (apiKey && isApiKey(apiKey)) return `${base || GLOBAL_URL}/v1/publishers/google`;
  if (!hasAuthorization(request)) throw createMissingCredentialsFault();
  if (!project) {
    throw new ProviderFault({ kind: 'auth' }, 'Google Vertex AI requires a project: set GOOGLE_VERTEX_PROJECT');
  }
  const host = base === '' || base === GLOBAL_URL ? selectHost(location) : base;
  return `${host}/v1beta1/projects/${project}/locations/${location}/publishers/google`;
}

function selectHost(location: string): string {
  if (location === 'global') return GLOBAL_URL;
  if (location === 'eu' || location === 'us') return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

function createMissingCredentialsFault(): ProviderFault {
  return new ProviderFault(
    { kind: 'auth' },
    'Google Vertex AI requires a token or a key: set GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_CLOUD_API_KEY, or set the key of google-vertex in auth.json to "!gcloud auth print-access-token"',
  );
}

function buildAuthHeaders(request: ApiRequest): Record<string, string> {
  const { apiKey } = request;
  if (!apiKey || 'authorization' in lowerCaseHeaders(request)) return {};
  return isApiKey(apiKey) ? { 'x-goog-api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}
