// Signs in to an HTTP server: authorization code with PKCE and a redirect to the loopback interface, or a device code.
import { Fault } from '../../base/index.ts';
import type { McpCredentialStore, McpHttpServer, McpServerDefinition } from '../../contracts/index.ts';
import { createSecretText, type LoginContext, signInWithBrowser } from '../../support/oauth/browser-login.ts';
import { DEVICE_GRANT_TYPE, pollUntilApproved, readDeviceCode } from '../../support/oauth/device-code.ts';
import { createCancelledFault, postForm, TransientFault } from '../../support/oauth/oauth-request.ts';
import {
  computeScopeUnion,
  exchangeAuthorization,
  fetchToken,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
} from '../vendor/client-auth.ts';
import { type ChooseClientOptions, findClient, type OAuthClient, registerNewClient } from './choose-client.ts';
import { type Authorization, discoverAuthorization } from './discover-authorization.ts';
import { assertSecureUrl, createOAuthFetch, type OAuthFetch } from './oauth-fetch.ts';
import { getLoginKey, parseStoredLogin, type StoredLogin, toStoredTokens } from './stored-login.ts';

export interface SignInContext extends Omit<LoginContext, 'env'> {
  readonly credentials: McpCredentialStore;
  /** `device` and `browser` choose a flow; without a choice, a device code is used if there is no browser. */
  readonly flow?: 'device' | 'browser' | undefined;
  readonly hasBrowser: boolean;
  /** Port of the redirect; 0 for any free port. */
  readonly port: number;
  /** Of the client in the definition. */
  readonly clientSecret?: string | undefined;
}

export type HttpServerDefinition = Pick<McpServerDefinition, 'name' | 'source'> & { readonly server: McpHttpServer };

const CALLBACK_PATH = '/callback';

/** Resolves when the tokens are stored. */
export async function signInToServer(definition: HttpServerDefinition, context: SignInContext): Promise<void> {
  const { server, name } = definition;
  assertSecureUrl(server.url, server.url);
  const key = getLoginKey(server);
  const previous = parseStoredLogin(await context.credentials.read(key));
  const fetch = createOAuthFetch({ ...context, serverUrl: server.url });
  const knownScope = previous?.requiredScope && computeScopeUnion(previous.scope, previous.requiredScope);
  const authorization = await discoverAuthorization({ name, server, fetch, knownScope });
  const { clientId } = server.oauth ?? {};
  const { clientSecret } = context;
  const options = { definition, url: server.url, clientId, clientSecret, previous, authorization, fetch };
  const { client, tokens } = chooseDevice(name, authorization, context)
    ? await signInWithDevice(options, context)
    : await signInWithRedirect(options, context);
  if (context.signal?.aborted) throw createCancelledFault();
  const login = createStoredLogin(authorization, client, tokens, context.clock.now());
  await context.credentials.update(key, async () => login);
}

function chooseDevice(name: string, { deviceEndpoint }: Authorization, { flow, hasBrowser }: SignInContext): boolean {
  if (flow === 'device' && deviceEndpoint === undefined)
    throw new Fault('refused', `The authorization server of ${name} offers no device codes.`);
  return flow === undefined ? deviceEndpoint !== undefined && !hasBrowser : flow === 'device';
}

function createStoredLogin(
  { issuer, tokenEndpoint, metadata, resource, scope }: Authorization,
  client: OAuthClient,
  tokens: OAuthTokens,
  now: number,
): StoredLogin {
  if (tokens.token_type.toLowerCase() !== 'bearer')
    throw new Fault('refused', `${new URL(issuer).host} issued a token of a type that is not supported.`);
  const tokenAuthMethods = metadata?.token_endpoint_auth_methods_supported;
  return { issuer, tokenEndpoint, tokenAuthMethods, resource, client, ...toStoredTokens(tokens, now, { scope }) };
}

interface Grant {
  readonly client: OAuthClient;
  readonly tokens: OAuthTokens;
}

async function signInWithRedirect(options: ChooseClientOptions, context: SignInContext): Promise<Grant> {
  const { authorization, fetch } = options;
  const { scope, resource, metadata, authorizationServerUrl, authorizationEndpoint } = authorization;
  const known = findClient(options);
  // A registered client may be limited to the redirect URI of its registration, port included.
  const registeredPort = Number(known?.redirectUri && new URL(known.redirectUri).port) || 0;
  const state = createSecretText(context.ids);
  let client: OAuthClient | undefined;
  const grant = await signInWithBrowser(preferPort(context, registeredPort), {
    port: context.port,
    path: CALLBACK_PATH,
    state,
    async buildUrl(redirectUri, codeChallenge) {
      const isUsable = known && (known.redirectUri ?? redirectUri) === redirectUri;
      client = isUsable ? known : await registerNewClient(options, redirectUri);
      const url = new URL(authorizationEndpoint);
      const fields = {
        response_type: 'code',
        client_id: client.id,
        redirect_uri: redirectUri,
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
        ...(scope === undefined ? {} : { scope }),
        // OpenID Connect: without the user's consent there is no refresh token.
        ...(scope?.split(' ').includes('offline_access') ? { prompt: 'consent' } : {}),
        ...(resource === undefined ? {} : { resource }),
      };
      for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
      return url.href;
    },
  });
  if (!client) throw new Fault('internal', 'The sign-in has no client.');
  const tokens = await exchangeAuthorization(authorizationServerUrl, {
    metadata,
    clientInformation: { client_id: client.id, client_secret: client.secret },
    authorizationCode: grant.code,
    iss: grant.query.get('iss') ?? undefined,
    codeVerifier: grant.codeVerifier,
    redirectUri: grant.redirectUri,
    resource,
    fetchFn: fetch,
  }).catch((thrown) => {
    throw toTokenFault(options.definition.name, thrown);
  });
  return { client, tokens };
}

/** Opens the callback server at `port`, or at the requested one if `port` is 0 or in use. */
function preferPort(context: SignInContext, port: number): LoginContext {
  return {
    ...context,
    env: {},
    async openCallbackServer(options) {
      if (port === 0 || options.port !== 0) return context.openCallbackServer(options);
      return context.openCallbackServer({ ...options, port }).catch(() => context.openCallbackServer(options));
    },
  };
}

async function signInWithDevice(options: ChooseClientOptions, context: SignInContext): Promise<Grant> {
  const { authorization, fetch } = options;
  const { deviceEndpoint, scope, resource } = authorization;
  const client = findClient(options) ?? (await registerNewClient(options, `http://127.0.0.1${CALLBACK_PATH}`));
  const form = {
    client_id: client.id,
    ...(scope === undefined ? {} : { scope }),
    ...(resource === undefined ? {} : { resource }),
  };
  const { fields, host } = await postForm(fetch as typeof globalThis.fetch, deviceEndpoint ?? '', form);
  const { login, lifetimeMs } = readDeviceCode(fields, host);
  assertSecureUrl(login.verificationUri, options.url);
  context.showUrl(login.verificationUri, login.userCode);
  const grant = new URLSearchParams({ grant_type: DEVICE_GRANT_TYPE, device_code: login.deviceCode });
  const tokens = await pollUntilApproved({
    poll: () => requestDeviceToken(authorization, client, grant, fetch),
    clock: context.clock,
    interval: login.interval,
    deadline: context.clock.now() + lifetimeMs,
    signal: context.signal,
  });
  return { client, tokens: tokens as unknown as OAuthTokens };
}

async function requestDeviceToken(
  { authorizationServerUrl, metadata, resource, issuer }: Authorization,
  client: OAuthClient,
  grant: URLSearchParams,
  fetch: OAuthFetch,
): Promise<Record<string, unknown>> {
  const provider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => ({ client_id: client.id, client_secret: client.secret, issuer }),
    prepareTokenRequest: () => new URLSearchParams(grant),
  } as unknown as Parameters<typeof fetchToken>[0];
  try {
    const options = { metadata, resource, fetchFn: fetch };
    return { ...(await fetchToken(provider, authorizationServerUrl, options)) };
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    if (thrown instanceof OAuthError && thrown.code !== OAuthErrorCode.ServerError) return { error: thrown.code };
    throw new TransientFault(`${new URL(issuer).host} cannot be reached`);
  }
}

/** Quotes only the error code, because descriptions may quote the request. */
function toTokenFault(name: string, thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  if (thrown instanceof IssuerMismatchError)
    return new Fault('refused', `The answer to the sign-in to ${name} comes from another issuer. Nothing was stored.`);
  const code = thrown instanceof OAuthError && /^\w{1,60}$/.test(thrown.code) ? ` (${thrown.code})` : '';
  return new Fault('refused', `The authorization server of ${name} issued no token${code}. Start the sign-in again.`);
}
