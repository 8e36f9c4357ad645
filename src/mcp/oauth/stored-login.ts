// What is stored for an HTTP server after a sign-in: the registered client, the tokens, and where they are refreshed.
import { array, type InferOutput, number, object, optional, safeParse, string } from 'valibot';
import type { McpHttpServer } from '../../contracts/index.ts';
import type { OAuthTokens } from '../vendor/client-auth.ts';

const storedLoginSchema = object({
  /** The authorization server that issued the tokens. Client and tokens are never sent to another one. */
  issuer: string(),
  tokenEndpoint: string(),
  /** How clients authenticate at the token endpoint, as the authorization server announces it. */
  tokenAuthMethods: optional(array(string())),
  /** The server for which the tokens are valid (RFC 8707). */
  resource: optional(string()),
  client: object({
    id: string(),
    secret: optional(string()),
    /** The redirect URI with which the client was registered. Absent when it was registered in another way. */
    redirectUri: optional(string()),
  }),
  accessToken: optional(string()),
  refreshToken: optional(string()),
  /** In milliseconds since 1970. */
  expiresAt: optional(number()),
  scope: optional(string()),
  /** The scope of a request that was refused because the token does not have it. The next sign-in requests it. */
  requiredScope: optional(string()),
});

export type StoredLogin = InferOutput<typeof storedLoginSchema>;

/** `undefined` when there is none, or when it is not valid. */
export function parseStoredLogin(value: unknown): StoredLogin | undefined {
  const result = safeParse(storedLoginSchema, value);
  return result.success ? result.output : undefined;
}

/** The texts of a stored login that must be redacted. */
export function listLoginSecrets(value: unknown): string[] {
  const login = parseStoredLogin(value);
  return [login?.accessToken, login?.refreshToken, login?.client.secret].filter((secret) => secret !== undefined);
}

/** Identifies a server in the credential store. */
export function getLoginKey({ url }: Pick<McpHttpServer, 'url'>): string {
  const key = new URL(url);
  key.hash = '';
  return key.href;
}

type StoredTokens = Pick<StoredLogin, 'accessToken' | 'refreshToken' | 'expiresAt' | 'scope'>;

/** A server that issues a token may omit what did not change. */
export function toStoredTokens(tokens: OAuthTokens, now: number, previous?: StoredTokens): StoredTokens {
  const { access_token: accessToken, refresh_token: refreshToken = previous?.refreshToken } = tokens;
  const { scope = previous?.scope, expires_in: seconds } = tokens;
  const expiresAt = seconds === undefined ? undefined : now + seconds * 1000;
  return { accessToken, refreshToken, expiresAt, scope };
}

export function removeTokens(login: StoredLogin): StoredLogin {
  const { accessToken: _access, refreshToken: _refresh, expiresAt: _expiry, ...rest } = login;
  return rest;
}
