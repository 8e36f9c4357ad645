// A loopback server that gives Amazon's keys as its keepers do: the token service, the portal of sign-ins, the neighbour of containers.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ACCESS_KEY, isSigned, SECRET_KEY, SESSION_TOKEN } from './bedrock-door.ts';

export const PERSON = { id: 'AKIAPERSON', secret: 'person/secret+key' };
export const PORTAL_TOKEN = 'portal-token-of-a-person';
export const WEB_TOKEN = 'token.of.another-house';
export const CONTAINER_TOKEN = 'container-token';

export interface Keepers {
  readonly url: string;
  /** What came: its way, its fields, its headers. */
  readonly asked: readonly { way: string; fields: Readonly<Record<string, string>>; headers: IncomingHttpHeaders }[];
  /** How long keys are good, from now on. */
  lifeMs: number;
  close(): Promise<void>;
}

export async function startAwsKeepers(now: () => number): Promise<Keepers> {
  const asked: { way: string; fields: Record<string, string>; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { method = '', url = '', headers } = request;
    const { pathname, searchParams } = new URL(url, keepers.url);
    const fields = Object.fromEntries(method === 'POST' ? new URLSearchParams(text) : searchParams);
    asked.push({ way: `${method} ${pathname}`, fields, headers });
    const expires = now() + keepers.lifeMs;
    const plain = headers as Record<string, string | undefined>;
    const signed = isSigned({ path: `${method} ${url}`, headers: plain, text }, 'sts', PERSON.secret);
    const [status, body] = answerTo(`${method} ${pathname}`, { fields, headers: plain, signed, expires });
    response.writeHead(status, { 'content-type': body.startsWith('<') ? 'text/xml' : 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const keepers: Keepers = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    lifeMs: 60 * 60_000,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return keepers;
}

interface Question {
  fields: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string | undefined>>;
  signed: boolean;
  expires: number;
}

function answerTo(way: string, { fields, headers, signed, expires }: Question): [status: number, body: string] {
  const date = new Date(expires).toISOString();
  if (way === 'GET /federation/credentials') {
    if (headers['x-amz-sso_bearer_token'] !== PORTAL_TOKEN) {
      const message = `Session token not found or invalid: ${headers['x-amz-sso_bearer_token']}`;
      return [401, JSON.stringify({ message, __type: 'com.amazonaws.switchboard.portal#UnauthorizedException' })];
    }
    const keys = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY, sessionToken: SESSION_TOKEN };
    return [200, JSON.stringify({ roleCredentials: { ...keys, expiration: expires } })];
  }
  if (way.startsWith('GET /container')) {
    if (headers.authorization !== CONTAINER_TOKEN) return [401, '{"message":"who are you?"}'];
    return [
      200,
      JSON.stringify({ AccessKeyId: ACCESS_KEY, SecretAccessKey: SECRET_KEY, Token: SESSION_TOKEN, Expiration: date }),
    ];
  }
  const { Action, WebIdentityToken, RoleArn, RoleSessionName, Version } = fields;
  const sane =
    way === 'POST /' && Version === '2011-06-15' && /^arn:aws:iam::\d+:role\//.test(RoleArn ?? '') && RoleSessionName;
  if (!sane) return [400, refusal('ValidationError', 'The request must contain a valid role')];
  const allowed = Action === 'AssumeRole' ? signed : WebIdentityToken === WEB_TOKEN;
  if (!allowed) return [403, refusal('AccessDenied', `Not authorized: ${WebIdentityToken ?? headers.authorization}`)];
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

function refusal(code: string, message: string): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
}
