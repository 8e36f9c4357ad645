// Loopback server for AWS credentials: STS, the SSO portal, `aws login`, the container endpoint and the metadata service of EC2.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ACCESS_KEY, isSigned, SECRET_KEY, SESSION_TOKEN } from './bedrock-auth.ts';

export const USER_KEYS = { id: 'AKIAPERSON', secret: 'person/secret+key' };
export const PORTAL_TOKEN = 'sso-portal-token';
export const WEB_TOKEN = 'oidc.web-identity.token';
export const CONTAINER_TOKEN = 'container-token';
/** The login that `aws sso login` and `aws login` store for renewal. */
export const RENEWAL = { clientId: 'client-1', clientSecret: 'client-secret-1', refreshToken: 'refresh-token-1' };
const METADATA_TOKEN = 'imds-token';

export interface AwsCredentialServer {
  readonly url: string;
  /** Received requests. */
  readonly requests: readonly {
    route: string;
    fields: Readonly<Record<string, string>>;
    headers: IncomingHttpHeaders;
  }[];
  /** Lifetime of the issued keys. */
  lifetimeMs: number;
  close(): Promise<void>;
}

export async function startAwsCredentialServer(now: () => number): Promise<AwsCredentialServer> {
  const requests: { route: string; fields: Record<string, string>; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { method = '', url = '', headers } = request;
    const { pathname, searchParams } = new URL(url, credentialServer.url);
    const form = method === 'POST' ? new URLSearchParams(text) : searchParams;
    const fields = text.startsWith('{') ? JSON.parse(text) : Object.fromEntries(form);
    requests.push({ route: `${method} ${pathname}`, fields, headers });
    const expires = now() + credentialServer.lifetimeMs;
    const plainHeaders = headers as Record<string, string | undefined>;
    const signed = [USER_KEYS.secret, SECRET_KEY].some((secret) =>
      isSigned({ path: `${method} ${url}`, headers: plainHeaders, text }, 'sts', secret),
    );
    const [status, body] = createResponse(`${method} ${pathname}`, { fields, headers: plainHeaders, signed, expires });
    response.writeHead(status, { 'content-type': body.startsWith('<') ? 'text/xml' : 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const credentialServer: AwsCredentialServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    lifetimeMs: 60 * 60_000,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return credentialServer;
}

interface CredentialRequest {
  fields: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string | undefined>>;
  signed: boolean;
  expires: number;
}

function createResponse(
  route: string,
  { fields, headers, signed, expires }: CredentialRequest,
): [status: number, body: string] {
  const date = new Date(expires).toISOString();
  if (route === 'GET /federation/credentials') {
    if (headers['x-amz-sso_bearer_token'] !== PORTAL_TOKEN) {
      const message = `Session token not found or invalid: ${headers['x-amz-sso_bearer_token']}`;
      return [401, JSON.stringify({ message, __type: 'com.amazonaws.switchboard.portal#UnauthorizedException' })];
    }
    const keys = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY, sessionToken: SESSION_TOKEN };
    return [200, JSON.stringify({ roleCredentials: { ...keys, expiration: expires } })];
  }
  if (route.startsWith('GET /container')) {
    if (headers.authorization !== CONTAINER_TOKEN) return [401, '{"message":"unauthorized"}'];
    return [
      200,
      JSON.stringify({ AccessKeyId: ACCESS_KEY, SecretAccessKey: SECRET_KEY, Token: SESSION_TOKEN, Expiration: date }),
    ];
  }
  const other = createRenewalResponse(route, fields, headers) ?? createMetadataResponse(route, headers, date);
  if (other) return other;
  const { Action, WebIdentityToken, RoleArn, RoleSessionName, Version } = fields;
  const isValid =
    route === 'POST /' && Version === '2011-06-15' && /^arn:aws:iam::\d+:role\//.test(RoleArn ?? '') && RoleSessionName;
  if (!isValid) return [400, createErrorXml('ValidationError', 'The request must contain a valid role')];
  const allowed = Action === 'AssumeRole' ? signed : WebIdentityToken === WEB_TOKEN;
  if (!allowed)
    return [403, createErrorXml('AccessDenied', `Not authorized: ${WebIdentityToken ?? headers.authorization}`)];
  return [
    200,
    `<${Action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <${Action}Result>
    <AssumedRoleUser><AssumedRoleId>AROA:me</AssumedRoleId><Arn>${RoleArn}</Arn></AssumedRoleUser>
    <Credentials>
      <AccessKeyId>${ACCESS_KEY}</AccessKeyId>
      <SecretAccessKey>${SECRET_KEY}</SecretAccessKey>
      <SessionToken>${SESSION_TOKEN}</SessionToken>
      <Expiration>${date}</Expiration>
    </Credentials>
  </${Action}Result>
  <ResponseMetadata><RequestId>1</RequestId></ResponseMetadata>
</${Action}Response>`,
  ];
}

/** New tokens of an SSO login, and new keys of `aws login`. */
function createRenewalResponse(
  route: string,
  fields: CredentialRequest['fields'],
  headers: CredentialRequest['headers'],
): [status: number, body: string] | undefined {
  if (route !== 'POST /token' && route !== 'POST /v1/token') return undefined;
  const isSso = route === 'POST /token';
  const { grantType, refreshToken, clientSecret } = fields;
  const isKnown =
    refreshToken === RENEWAL.refreshToken && (isSso ? clientSecret === RENEWAL.clientSecret : headers.dpop);
  if (grantType !== 'refresh_token' || !isKnown)
    return [400, JSON.stringify({ error: 'invalid_grant', error_description: `Invalid token: ${refreshToken}` })];
  const keys = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY, sessionToken: SESSION_TOKEN };
  const common = { expiresIn: 3600, refreshToken: 'refresh-token-2' };
  return [200, JSON.stringify({ ...common, ...(isSso ? { accessToken: PORTAL_TOKEN } : { accessToken: keys }) })];
}

function createMetadataResponse(
  route: string,
  headers: CredentialRequest['headers'],
  date: string,
): [status: number, body: string] | undefined {
  if (!route.includes(' /latest/')) return undefined;
  if (route === 'PUT /latest/api/token')
    return headers['x-aws-ec2-metadata-token-ttl-seconds'] ? [200, METADATA_TOKEN] : [400, ''];
  if (headers['x-aws-ec2-metadata-token'] !== METADATA_TOKEN) return [401, ''];
  const folder = 'GET /latest/meta-data/iam/security-credentials/';
  if (route === folder) return [200, 'instance-role'];
  const keys = { AccessKeyId: ACCESS_KEY, SecretAccessKey: SECRET_KEY, Token: SESSION_TOKEN, Expiration: date };
  return route === `${folder}instance-role` ? [200, JSON.stringify({ Code: 'Success', ...keys })] : [404, ''];
}

function createErrorXml(code: string, message: string): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
}
