// Requests Google Cloud access tokens for the account in a credentials file.
import { createSign } from 'node:crypto';
import { type InferOutput, literal, looseObject, nonEmpty, optional, pipe, safeParse, string, variant } from 'valibot';
import { createCachedFile } from '../../../cached-file.ts';
import { createMalformedFault, ProviderFault } from '../../../http/provider-fault.ts';
import type { CloudFiles } from './aws-config.ts';
import {
  type CredentialSourcePorts,
  createExpiringCache,
  type Expiring,
  parseFields,
  requestCredential,
} from './request-credential.ts';

export interface GoogleToken {
  readonly token: string;
  /** The project named in the file, used when the environment names none. */
  readonly project?: string | undefined;
}

export interface GooglePorts extends CredentialSourcePorts {
  files: CloudFiles;
}

const nonEmptyString = pipe(string(), nonEmpty());
const accountSchema = variant('type', [
  looseObject({
    type: literal('service_account'),
    client_email: nonEmptyString,
    private_key: nonEmptyString,
    private_key_id: optional(nonEmptyString),
    token_uri: optional(nonEmptyString),
    project_id: optional(nonEmptyString),
  }),
  /** Written by `gcloud auth application-default login`. */
  looseObject({
    type: literal('authorized_user'),
    client_id: nonEmptyString,
    client_secret: nonEmptyString,
    refresh_token: nonEmptyString,
    token_uri: optional(nonEmptyString),
    quota_project_id: optional(nonEmptyString),
  }),
]);
type GoogleAccount = InferOutput<typeof accountSchema>;

const TOKEN_URI = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_LIFETIME_S = 3600;
const ALTERNATIVES_HINT =
  'set the key of google-vertex in auth.json to "!gcloud auth print-access-token", or set GOOGLE_CLOUD_API_KEY';

export function createGoogleTokenSource(ports: GooglePorts, path: string): () => Promise<GoogleToken> {
  const file = createCachedFile(ports.files, path, async (content) => parseAccount(content, path));
  const getCached = createExpiringCache<string>(ports.clock);
  return async () => {
    const account = await file.read();
    const project = account.type === 'service_account' ? account.project_id : account.quota_project_id;
    return { token: await getCached(account, () => requestToken(ports, account)), project };
  };
}

/** Errors do not quote the contents of the file. */
function parseAccount(content: string | undefined, path: string): GoogleAccount {
  const prefix = `GOOGLE_APPLICATION_CREDENTIALS names ${path}`;
  if (content === undefined) throw createVertexAuthFault(`${prefix}, which does not exist`);
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw createVertexAuthFault(`${prefix}, which is not JSON`);
  }
  const result = safeParse(accountSchema, value);
  if (result.success) return result.output;
  const type = (value as { type?: unknown } | null)?.type;
  const isSupported = type === 'service_account' || type === 'authorized_user';
  const missingField = result.issues[0]?.path?.map(({ key }) => String(key)).join('.');
  throw createVertexAuthFault(
    isSupported
      ? `${prefix}, where ${missingField} is missing`
      : `${prefix}, an account of an unsupported type (${String(type)})`,
  );
}

function createVertexAuthFault(reason: string): ProviderFault {
  return new ProviderFault(
    { kind: 'auth' },
    `Cannot authenticate with Google Vertex AI: ${reason}. Fix this, or ${ALTERNATIVES_HINT}`,
  );
}

async function requestToken(ports: GooglePorts, account: GoogleAccount): Promise<Expiring<string>> {
  const secrets =
    account.type === 'service_account' ? [account.private_key] : [account.client_secret, account.refresh_token];
  const url = account.token_uri ?? TOKEN_URI;
  const body = new URLSearchParams(buildGrant(account, url, ports.clock.now())).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const source = { name: 'Google Cloud', credentialName: 'token', secrets };
  const responseText = await requestCredential(ports, url, { method: 'POST', headers, body }, source);
  const { access_token: value, expires_in: seconds } = parseFields(responseText);
  if (typeof value !== 'string' || value === '') throw createMalformedFault('Google returned no token');
  return { value, expires: ports.clock.now() + (Number(seconds) || TOKEN_LIFETIME_S) * 1000 };
}

function buildGrant(account: GoogleAccount, url: string, now: number): Record<string, string> {
  if (account.type === 'service_account') {
    const assertion = signJwt(account, url, Math.floor(now / 1000));
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  }
  const { client_id, client_secret, refresh_token } = account;
  return { grant_type: 'refresh_token', client_id, client_secret, refresh_token };
}

function signJwt(account: Extract<GoogleAccount, { type: 'service_account' }>, aud: string, iat: number): string {
  const { private_key_id: kid, private_key: key, client_email: iss } = account;
  const head = { alg: 'RS256', typ: 'JWT', ...(kid === undefined ? {} : { kid }) };
  const claims = { iss, scope: SCOPE, aud, iat, exp: iat + TOKEN_LIFETIME_S };
  const unsigned = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  try {
    return `${unsigned}.${createSign('RSA-SHA256').update(unsigned).sign(key, 'base64url')}`;
  } catch {
    // The parser's error may quote the key.
    throw createVertexAuthFault('the private_key of the account cannot be read');
  }
}
