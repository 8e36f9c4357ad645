// Loopback token server for Google accounts: signed assertions and refresh tokens.
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
  /** The received grants, in order. */
  readonly grants: readonly Readonly<Record<string, string>>[];
  /** Sent instead of a token; 'nothing' sends no response. */
  override: { status: number; body: string } | 'nothing' | undefined;
  /** Resolves with the next grant request. */
  next(): Promise<void>;
  close(): Promise<void>;
}

/** `toleranceS` is how far the time of an assertion may differ from `now`. */
export async function startGoogleTokens(now: () => number, toleranceS = 0): Promise<TokenServer> {
  const grants: Record<string, string>[] = [];
  const waiters: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const grant = Object.fromEntries(new URLSearchParams(text));
    grants.push(grant);
    for (const resolve of waiters.splice(0)) resolve();
    if (tokenServer.override === 'nothing') return;
    const problem = tokenServer.override ?? findProblem(grant, tokenServer.url, { now: now(), toleranceS });
    response.writeHead(problem?.status ?? 200, { 'content-type': 'application/json' });
    response.end(problem?.body ?? JSON.stringify({ access_token: TOKEN, expires_in: 3599, token_type: 'Bearer' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tokenServer: TokenServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    grants,
    override: undefined,
    next: () => new Promise((resolve) => waiters.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return tokenServer;
}

function findProblem(
  grant: Record<string, string>,
  url: string,
  { now, toleranceS }: { now: number; toleranceS: number },
) {
  const createError = (error: string, error_description: string) => ({
    status: 400,
    body: JSON.stringify({ error, error_description }),
  });
  if (grant.grant_type === 'refresh_token') {
    const isKnown = Object.entries(USER).every(([name, value]) => grant[name] === value);
    return isKnown ? undefined : createError('invalid_grant', `Bad Request (${grant.refresh_token})`);
  }
  if (grant.grant_type !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
    return createError('unsupported_grant_type', `Invalid grant_type: ${grant.grant_type}`);
  }
  const [head = '', claims = '', signature = ''] = (grant.assertion ?? '').split('.');
  const verifier = createVerify('RSA-SHA256').update(`${head}.${claims}`);
  if (!verifier.verify(createPublicKey(publicKey), signature, 'base64url')) {
    return createError('invalid_grant', 'Invalid JWT Signature.');
  }
  const { iss, scope, aud, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
    string,
    unknown
  >;
  const seconds = Math.floor(now / 1000);
  const isRecent = Math.abs(Number(iat) - seconds) <= toleranceS && exp === Number(iat) + 3600;
  const isValid = iss === EMAIL && aud === url && isRecent;
  return isValid && scope === 'https://www.googleapis.com/auth/cloud-platform'
    ? undefined
    : createError('invalid_grant', 'Invalid JWT: check your iat, exp and aud.');
}
