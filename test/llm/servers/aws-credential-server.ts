// Loopback server for AWS credentials: STS, the SSO portal and the container endpoint.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ACCESS_KEY, isSigned, SECRET_KEY, SESSION_TOKEN } from './bedrock-auth.ts';

export const USER_KEYS = { id: 'AKIAPERSON', secret: 'person/secret+key' };
export const PORTAL_TOKEN = 'sso-portal-token';
export const WEB_TOKEN = 'oidc.web-identity.token';
export const CONTAINER_TOKEN = 'container-token';

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
    const fields = Object.fromEntries(method === 'POST' ? new URLSearchParams(text) : searchParams);
    requests.push({ route: `${method} ${pathname}`, fields, headers });
    const expires = now() + credentialServer.lifetimeMs;
    const plainHeaders = headers as Record<string, string | undefined>;
    const signed = isSigned({ path: `${method} ${url}`, headers: plainHeaders, text }, 'sts', USER_KEYS.secret);
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

function createErrorXml(code: string, message: string): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
}
