// Resolves the URL, region and credentials of Bedrock from the request and the environment.
import type { ApiRequest } from '../../../contracts/index.ts';
import { collectSecrets, lowerCaseHeaders } from '../../http/headers.ts';
import { trimSlashes } from '../../http/url-secrets.ts';
import type { Env } from './sign-in/aws-config.ts';
import { createBedrockAuthFault } from './sign-in/aws-credentials.ts';

export interface BedrockEndpoint {
  baseURL: string;
  region: string;
  /** A bearer token; without it, requests are signed. */
  apiKey: string;
  accessKeyId?: string;
  secretAccessKey?: string;
  sessionToken?: string | undefined;
}

const STANDARD_URL = /^https:\/\/bedrock-runtime(?:-fips)?\.([a-z]{2}[a-z0-9-]+-\d)\.amazonaws\.com(?:\.cn)?$/;
/** Region of the URL in the provider table, which is only a placeholder. */
const DEFAULT_REGION = 'us-east-1';

const CREDENTIAL_HINT = 'set AWS_BEARER_TOKEN_BEDROCK, AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';

export function resolveBedrockEndpoint(request: ApiRequest, env: Env): BedrockEndpoint {
  const location = resolveLocation(request.model, env);
  if (hasAuthorization(request)) return { ...location, apiKey: request.apiKey ?? '-' };
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey) throw createBedrockAuthFault(CREDENTIAL_HINT);
  return { ...location, apiKey: '', accessKeyId, secretAccessKey, sessionToken: env.AWS_SESSION_TOKEN || undefined };
}

/** An inference profile or imported model exists in the region that its ARN names. */
const ARN_REGION = /^arn:aws[a-z-]*:bedrock:([a-z0-9-]+):/;

/** The region of the ARN or of the environment is used, unless the user configured another URL. */
function resolveLocation({ id, baseUrl }: ApiRequest['model'], env: Env): Pick<BedrockEndpoint, 'baseURL' | 'region'> {
  const base = trimSlashes(baseUrl);
  const envRegion = ARN_REGION.exec(id)?.[1] || env.AWS_REGION || env.AWS_DEFAULT_REGION;
  const [, urlRegion] = STANDARD_URL.exec(base) ?? [];
  if (urlRegion === undefined && base !== '') return { baseURL: base, region: envRegion || DEFAULT_REGION };
  const region = urlRegion !== undefined && urlRegion !== DEFAULT_REGION ? urlRegion : envRegion || DEFAULT_REGION;
  return { baseURL: region === urlRegion ? base : buildRegionUrl(region), region };
}

function buildRegionUrl(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** The request has a bearer token or an authorization header, so it needs no signature. */
export function hasAuthorization(request: ApiRequest): boolean {
  return !!request.apiKey || 'authorization' in lowerCaseHeaders(request);
}

export function collectBedrockSecrets(request: ApiRequest, env: Env): string[] {
  const values = [env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN];
  return [...collectSecrets(request), ...values.filter((value): value is string => !!value)];
}
