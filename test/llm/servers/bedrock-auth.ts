// Checks the authentication of AWS requests: bearer token or Signature Version 4.
import { createHash, createHmac } from 'node:crypto';
import { type Received, Refusal } from './loopback.ts';

export const BEARER = 'bedrock-api-key-loopback';
export const ACCESS_KEY = 'AKIALOOPBACK';
export const SECRET_KEY = 'loopback/secret+access/key';
export const SESSION_TOKEN = 'loopback-session-token';

export function createBedrockError(status: number, type: string, message: string): Refusal {
  return new Refusal(status, JSON.stringify({ message }), {
    'x-amzn-errortype': `${type}:http://internal.amazon.com/`,
  });
}

export function checkAuthentication(request: Received): void {
  const { authorization = '' } = request.headers;
  if (authorization === `Bearer ${BEARER}`) return;
  if (authorization.startsWith('Bearer '))
    throw createBedrockError(403, 'AccessDeniedException', `Authentication failed: ${authorization}`);
  if (!authorization)
    throw createBedrockError(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  checkSignature(request, authorization);
}

function checkSignature(request: Received, authorization: string): void {
  if (!authorization.includes(`Credential=${ACCESS_KEY}/`))
    throw createBedrockError(
      403,
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    );
  if (
    request.headers['x-amz-security-token'] !== SESSION_TOKEN ||
    !/SignedHeaders=[^,]*x-amz-security-token/.test(authorization)
  )
    throw createBedrockError(403, 'ExpiredTokenException', 'The security token included in the request is expired');
  if (isSigned(request, 'bedrock', SECRET_KEY)) return;
  const message = 'The request signature we calculated does not match the signature you provided.';
  throw createBedrockError(403, 'InvalidSignatureException', message);
}

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8})\/([a-z0-9-]+)\/(\w+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/** Verifies Signature Version 4 of a POST to an AWS service. */
export function isSigned(
  request: Pick<Received, 'path' | 'headers' | 'text'>,
  service: string,
  secretKey: string,
): boolean {
  const { path, headers, text } = request;
  const [, day = '', region = '', signedService, names = '', signature] =
    SIGNED.exec(headers.authorization ?? '') ?? [];
  if (signedService !== service) return false;
  const [, url = ''] = path.split(' ');
  const canonical = [
    'POST',
    // Every path segment is encoded once more than on the wire.
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
