// First floor, llm: where Bedrock is and what opens it, after what the environment says. Pure; reads no environment itself.
import type { ApiRequest } from '../../../contracts/index.ts';
import { trimSlashes } from '../../http/address.ts';
import { lowerCased, secretsOf } from '../../http/headers.ts';
import type { Env } from './sign-in/aws-files.ts';
import { locked } from './sign-in/aws-keys.ts';

export interface Door {
  baseURL: string;
  region: string;
  /** A bearer token; without it, requests are signed. */
  apiKey: string;
  accessKeyId?: string;
  secretAccessKey?: string;
  sessionToken?: string | undefined;
}

const USUAL = /^https:\/\/bedrock-runtime(?:-fips)?\.([a-z]{2}[a-z0-9-]+-\d)\.amazonaws\.com(?:\.cn)?$/;
/** The catalogue's models say this of their address because they have to say something. */
const UNSAID = 'us-east-1';

const WAYS = 'set AWS_BEARER_TOKEN_BEDROCK, AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';

export function doorOf(request: ApiRequest, env: Env): Door {
  const place = placeOf(request.model.baseUrl, env);
  if (isOpened(request)) return { ...place, apiKey: request.apiKey ?? '-' };
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey) throw locked(WAYS);
  return { ...place, apiKey: '', accessKeyId, secretAccessKey, sessionToken: env.AWS_SESSION_TOKEN || undefined };
}

/** The region that the environment names counts, unless somebody wrote another address. */
function placeOf(baseUrl: string, env: Env): Pick<Door, 'baseURL' | 'region'> {
  const base = trimSlashes(baseUrl);
  const named = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  const [, written] = USUAL.exec(base) ?? [];
  if (written === undefined && base !== '') return { baseURL: base, region: named || UNSAID };
  const region = written !== undefined && written !== UNSAID ? written : named || UNSAID;
  return { baseURL: region === written ? base : addressIn(region), region };
}

function addressIn(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** A bearer token, or a header of the user's own: nothing needs to be signed. */
export function isOpened(request: ApiRequest): boolean {
  return !!request.apiKey || 'authorization' in lowerCased(request);
}

export function bedrockSecrets(request: ApiRequest, env: Env): string[] {
  const values = [env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN];
  return [...secretsOf(request), ...values.filter((value): value is string => !!value)];
}
