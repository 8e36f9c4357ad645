// A loopback server that gives tokens as Google's does: for assertions that an account signed, and for refresh tokens.
import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TOKEN } from './gemini.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

export const PRIVATE_KEY = privateKey;
export const EMAIL = 'robot@loop-project.iam.gserviceaccount.com';
export const USER = { client_id: 'client-1', client_secret: 'client-secret-1', refresh_token: 'refresh-token-1' };

export interface TokenServer {
  readonly url: string;
  /** The grants that came, in order. */
  readonly grants: readonly Readonly<Record<string, string>>[];
  /** What to answer instead of a token, until told otherwise. */
  instead: { status: number; body: string } | 'nothing' | undefined;
  /** The next grant that is asked for. */
  next(): Promise<void>;
  close(): Promise<void>;
}

export async function startGoogleTokens(now: () => number): Promise<TokenServer> {
  const grants: Record<string, string>[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const grant = Object.fromEntries(new URLSearchParams(text));
    grants.push(grant);
    for (const tell of waiting.splice(0)) tell();
    if (tokens.instead === 'nothing') return;
    const problem = tokens.instead ?? problemWith(grant, tokens.url, now());
    response.writeHead(problem?.status ?? 200, { 'content-type': 'application/json' });
    response.end(problem?.body ?? JSON.stringify({ access_token: TOKEN, expires_in: 3599, token_type: 'Bearer' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tokens: TokenServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    grants,
    instead: undefined,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return tokens;
}

function problemWith(grant: Record<string, string>, url: string, now: number) {
  const wrong = (error: string, error_description: string) => ({
    status: 400,
    body: JSON.stringify({ error, error_description }),
  });
  if (grant.grant_type === 'refresh_token') {
    const known = Object.entries(USER).every(([name, value]) => grant[name] === value);
    return known ? undefined : wrong('invalid_grant', `Bad Request (${grant.refresh_token})`);
  }
  if (grant.grant_type !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
    return wrong('unsupported_grant_type', `Invalid grant_type: ${grant.grant_type}`);
  }
  const [head = '', claims = '', signature = ''] = (grant.assertion ?? '').split('.');
  const whole = createVerify('RSA-SHA256').update(`${head}.${claims}`);
  if (!whole.verify(createPublicKey(publicKey), signature, 'base64url')) {
    return wrong('invalid_grant', 'Invalid JWT Signature.');
  }
  const { iss, scope, aud, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
    string,
    unknown
  >;
  const seconds = Math.floor(now / 1000);
  const sane = iss === EMAIL && aud === url && iat === seconds && exp === seconds + 3600;
  return sane && scope === 'https://www.googleapis.com/auth/cloud-platform'
    ? undefined
    : wrong('invalid_grant', 'Invalid JWT: check your iat, exp and aud.');
}
