// Requests the credentials of a role from AWS STS, with other AWS keys or an OIDC web-identity token.
import { createHash, createHmac } from 'node:crypto';
import type { Env } from './aws-config.ts';
import { type AwsCredentials, parseAwsCredentials } from './aws-credentials.ts';
import { type CredentialSourcePorts, type Expiring, requestCredential } from './request-credential.ts';

export interface AwsRole {
  readonly arn: string;
  readonly sessionName: string | undefined;
  readonly externalId?: string | undefined;
  readonly seconds?: string | undefined;
}

interface StsContext {
  readonly ports: CredentialSourcePorts;
  readonly env: Env;
  readonly region: string;
}

const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded; charset=utf-8';

/** Signed with keys that are allowed to assume the role. */
export function assumeRole(
  context: StsContext,
  role: AwsRole,
  keys: AwsCredentials,
): Promise<Expiring<AwsCredentials>> {
  const secrets = [keys.secretAccessKey, ...(keys.sessionToken ? [keys.sessionToken] : [])];
  const options = { ExternalId: role.externalId, DurationSeconds: role.seconds };
  return requestRoleCredentials(context, role, { Action: 'AssumeRole', ...options }, { secrets, keys });
}

export function assumeRoleWithWebIdentity(
  context: StsContext,
  role: AwsRole,
  token: string,
): Promise<Expiring<AwsCredentials>> {
  const query = { Action: 'AssumeRoleWithWebIdentity', WebIdentityToken: token };
  return requestRoleCredentials(context, role, query, { secrets: [token] });
}

async function requestRoleCredentials(
  { ports, env, region }: StsContext,
  role: AwsRole,
  query: Readonly<Record<string, string | undefined>>,
  { secrets, keys }: { secrets: readonly string[]; keys?: AwsCredentials },
): Promise<Expiring<AwsCredentials>> {
  const parameters = {
    Version: '2011-06-15',
    RoleArn: role.arn,
    RoleSessionName: role.sessionName || 'parley',
    ...query,
  };
  const fields = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const body = new URLSearchParams(fields).toString();
  const url = new URL(env.AWS_ENDPOINT_URL_STS || buildStsUrl(region));
  const unsignedHeaders = { 'content-type': FORM_CONTENT_TYPE };
  const headers = keys
    ? signRequest({ url, body, headers: unsignedHeaders, region, keys, now: ports.clock.now() })
    : unsignedHeaders;
  const source = { name: 'Amazon', credentialName: `credentials for the role ${role.arn}`, secrets };
  return parseAwsCredentials(
    parseXmlElements(await requestCredential(ports, url.href, { method: 'POST', headers, body }, source)),
    url.host,
  );
}

function buildStsUrl(region: string): string {
  return `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** Returns the elements without children by name. The response has no repeated names. */
function parseXmlElements(xml: string): Record<string, string> {
  const matches = [...xml.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
  return Object.fromEntries(matches.map(([, name, text = '']) => [name, text.replaceAll('&amp;', '&')]));
}

interface UnsignedRequest {
  readonly url: URL;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly region: string;
  readonly keys: AwsCredentials;
  readonly now: number;
}

/** Signature Version 4 of a POST without a query. */
function signRequest({ url, body, headers, region, keys, now }: UnsignedRequest): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const signedHeaders: Record<string, string> = { ...headers, host: url.host, 'x-amz-date': time };
  if (keys.sessionToken) signedHeaders['x-amz-security-token'] = keys.sessionToken;
  const names = Object.keys(signedHeaders).sort();
  const lines = names.map((name) => `${name}:${signedHeaders[name]}`);
  const canonicalRequest = ['POST', url.pathname, '', ...lines, '', names.join(';'), sha256(body)].join('\n');
  const scope = [day, region, 'sts', 'aws4_request'];
  const key = scope.reduce<Buffer>((secret, part) => hmac(secret, part), Buffer.from(`AWS4${keys.secretAccessKey}`));
  const signature = hmac(
    key,
    ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonicalRequest)].join('\n'),
  ).toString('hex');
  const { host: _, ...requestHeaders } = signedHeaders;
  const credential = `${keys.accessKeyId}/${scope.join('/')}`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...requestHeaders, authorization };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
