// Whether a request to Amazon may come in: by a bearer token, or signed with a secret that only the two sides know.
import { createHash, createHmac } from 'node:crypto';
import { type Received, Refusal } from './loopback.ts';

export const BEARER = 'bedrock-api-key-loopback';
export const ACCESS_KEY = 'AKIALOOPBACK';
export const SECRET_KEY = 'loopback/secret+access/key';
export const SESSION_TOKEN = 'loopback-session-token';

export function bedrockRefusal(status: number, type: string, message: string): Refusal {
  return new Refusal(status, JSON.stringify({ message }), {
    'x-amzn-errortype': `${type}:http://internal.amazon.com/`,
  });
}

export function checkDoor(got: Received): void {
  const { authorization = '' } = got.headers;
  if (authorization === `Bearer ${BEARER}`) return;
  if (authorization.startsWith('Bearer '))
    throw bedrockRefusal(403, 'AccessDeniedException', `Authentication failed: ${authorization}`);
  if (!authorization) throw bedrockRefusal(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  checkSignature(got, authorization);
}

function checkSignature(got: Received, authorization: string): void {
  if (!authorization.includes(`Credential=${ACCESS_KEY}/`))
    throw bedrockRefusal(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.');
  if (
    got.headers['x-amz-security-token'] !== SESSION_TOKEN ||
    !/SignedHeaders=[^,]*x-amz-security-token/.test(authorization)
  )
    throw bedrockRefusal(403, 'ExpiredTokenException', 'The security token included in the request is expired');
  if (isSigned(got, 'bedrock', SECRET_KEY)) return;
  const words = 'The request signature we calculated does not match the signature you provided.';
  throw bedrockRefusal(403, 'InvalidSignatureException', words);
}

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8})\/([a-z0-9-]+)\/(\w+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/** Signature Version 4 of a POST, for one of Amazon's services. */
export function isSigned(
  got: Pick<Received, 'path' | 'headers' | 'text'>,
  service: string,
  secretKey: string,
): boolean {
  const { path, headers, text } = got;
  const [, day = '', region = '', to, names = '', signature] = SIGNED.exec(headers.authorization ?? '') ?? [];
  if (to !== service) return false;
  const [, url = ''] = path.split(' ');
  const canonical = [
    'POST',
    // Every part of the path is encoded once more than on the wire.
    url.split('/').map(encodeURIComponent).join('/'),
    '',
    ...names.split(';').map((name) => `${name}:${headers[name]}`),
    '',
    names,
    sha256(text),
  ].join('\n');
  const scope = [day, region, service, 'aws4_request'];
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope.join('/'), sha256(canonical)].join('\n');
  return hmac(scope.reduce(hmac, Buffer.from(`AWS4${secretKey}`)), toSign).toString('hex') === signature;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
