// Adds the stored token of an HTTP server to its requests, and refreshes it. Never opens a browser: a sign-in is a separate command.
import { Fault } from '../../base/index.ts';
import type { McpContext, McpHttpServer, McpServerDefinition } from '../../contracts/index.ts';
import {
  type AuthProvider,
  computeScopeUnion,
  InsufficientScopeError,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '../vendor/client-auth.ts';
import { createOAuthFetch } from './oauth-fetch.ts';
import { getLoginKey, parseStoredLogin, removeTokens, type StoredLogin, toStoredTokens } from './stored-login.ts';

/** The server cannot be used before the user has signed in. */
export class SignInRequiredFault extends Fault {
  /** The message without its subject. */
  readonly predicate: string;

  constructor(server: string, reason = 'requires a sign-in') {
    const predicate = `${reason}. Run: parley mcp login ${server}`;
    super('no_credentials', `MCP server "${server}" ${predicate}`);
    this.predicate = predicate;
  }
}

/** For the `authProvider` option of the transports. */
export interface ServerAuthProvider extends AuthProvider {
  onUnauthorized(): Promise<void>;
  /**
   * The fault for an error of the transport that means that a sign-in is needed; `undefined` for other errors. Saves the scope
   * that the server requires, so that the sign-in requests it.
   */
  toSignInFault(thrown: unknown): Promise<SignInRequiredFault | undefined>;
}

export type AuthContext = Pick<McpContext, 'ports' | 'credentials'>;

/** A token is refreshed this long before it expires. */
const RENEWAL_MARGIN_MS = 60_000;

/** Requests with the previous token may still be answered this long after a refresh. */
const SETTLE_MS = 5_000;

/** `undefined` when the definition has its own Authorization header, which is then the only one that is sent. */
export function createAuthProvider(
  { name, server }: Pick<McpServerDefinition, 'name'> & { server: McpHttpServer },
  context: AuthContext,
): ServerAuthProvider | undefined {
  if (Object.keys(server.headers).some((header) => header.toLowerCase() === 'authorization')) return undefined;
  const { credentials } = context;
  const key = getLoginKey(server);
  const read = async () => selectUsable(parseStoredLogin(await credentials?.read(key)), server);
  let lastToken: string | undefined;
  let lastRefreshAt = Number.NEGATIVE_INFINITY;
  /** Refreshes the token, unless another process has replaced it in the meantime. */
  const refresh = async (rejected: string | undefined): Promise<StoredLogin | undefined> => {
    let result: StoredLogin | undefined;
    await credentials?.update(key, async (current) => {
      const login = selectUsable(parseStoredLogin(current), server);
      if (!login) return current;
      if (login.accessToken !== rejected) {
        result = login;
        return current;
      }
      result = await refreshLogin(login, server, context);
      lastRefreshAt = context.ports.clock.now();
      return result;
    });
    return result;
  };
  return {
    async token() {
      let login = await read();
      if (login && isRenewalDue(login, context)) login = await refresh(login.accessToken);
      lastToken = login?.accessToken;
      return lastToken;
    },
    async onUnauthorized() {
      // Read before the first await, because other requests replace it meanwhile.
      const rejected = lastToken;
      // The refused request may have been sent before the token was refreshed for another one. It is sent again.
      if (rejected !== undefined && context.ports.clock.now() - lastRefreshAt < SETTLE_MS) return;
      const login = rejected === undefined ? await read() : await refresh(rejected);
      if (login?.accessToken === undefined) throw new SignInRequiredFault(name);
    },
    async toSignInFault(thrown) {
      const cause = findAuthError(thrown);
      if (cause instanceof SignInRequiredFault) return cause;
      if (cause instanceof InsufficientScopeError) {
        await saveRequiredScope(context, key, cause.requiredScope);
        return new SignInRequiredFault(name, 'requires more rights than the sign-in has');
      }
      return cause === undefined ? undefined : new SignInRequiredFault(name);
    },
  };
}

/** A login of another client id is not used: the definition has changed since the sign-in. */
function selectUsable(login: StoredLogin | undefined, { oauth }: McpHttpServer): StoredLogin | undefined {
  return oauth?.clientId === undefined || oauth.clientId === login?.client.id ? login : undefined;
}

function isRenewalDue({ expiresAt, refreshToken }: StoredLogin, { ports }: AuthContext): boolean {
  return refreshToken !== undefined && expiresAt !== undefined && expiresAt - RENEWAL_MARGIN_MS <= ports.clock.now();
}

/** Without its tokens when the authorization server no longer accepts them. Throws when it cannot be reached. */
async function refreshLogin(login: StoredLogin, server: McpHttpServer, { ports }: AuthContext): Promise<StoredLogin> {
  const { refreshToken, issuer, tokenEndpoint, tokenAuthMethods, resource, client } = login;
  if (refreshToken === undefined) return removeTokens(login);
  try {
    const tokens = await refreshAuthorization(issuer, {
      metadata: {
        issuer,
        token_endpoint: tokenEndpoint,
        token_endpoint_auth_methods_supported: tokenAuthMethods,
        // Required by the type, and not used for a refresh.
        authorization_endpoint: tokenEndpoint,
        response_types_supported: [],
      },
      clientInformation: { client_id: client.id, client_secret: client.secret },
      refreshToken,
      resource,
      fetchFn: createOAuthFetch({ ...ports, serverUrl: server.url }),
    });
    return { ...login, ...toStoredTokens(tokens, ports.clock.now(), login) };
  } catch (thrown) {
    if (thrown instanceof OAuthError && !isTransient(thrown)) return removeTokens(login);
    if (thrown instanceof Fault) throw thrown;
    // The original text may quote the request.
    throw new Fault('refused', `${new URL(tokenEndpoint).host} could not refresh the sign-in. Try again later.`);
  }
}

function isTransient({ code }: OAuthError): boolean {
  const codes: string[] = [
    OAuthErrorCode.ServerError,
    OAuthErrorCode.TemporarilyUnavailable,
    OAuthErrorCode.TooManyRequests,
  ];
  return codes.includes(code);
}

async function saveRequiredScope({ credentials }: AuthContext, key: string, scope: string | undefined): Promise<void> {
  if (scope === undefined) return;
  await credentials?.update(key, async (current) => {
    const login = parseStoredLogin(current);
    return login ? { ...login, requiredScope: computeScopeUnion(login.requiredScope, scope) } : current;
  });
}

/** The error, or one of its causes, that means that the token is missing, not accepted or not sufficient. */
function findAuthError(thrown: unknown): unknown {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const isAuthError =
      error instanceof SignInRequiredFault ||
      error instanceof UnauthorizedError ||
      error instanceof InsufficientScopeError ||
      (error instanceof SdkHttpError && error.status === 401) ||
      (error instanceof SseError && error.code === 401);
    if (isAuthError) return error;
  }
  return undefined;
}
