// Chooses the OAuth client of a sign-in: the one of the definition, one that was registered earlier, or a new registration (RFC 7591).
import { Fault } from '../../base/index.ts';
import type { McpServerDefinition } from '../../contracts/index.ts';
import { DEVICE_GRANT_TYPE } from '../../support/oauth/device-code.ts';
import { RegistrationRejectedError, registerClient } from '../vendor/client-auth.ts';
import { type Authorization, createNoSignInFault } from './discover-authorization.ts';
import { assertSecureUrl, type OAuthFetch } from './oauth-fetch.ts';
import type { StoredLogin } from './stored-login.ts';

export type OAuthClient = StoredLogin['client'];

export interface ChooseClientOptions {
  readonly definition: Pick<McpServerDefinition, 'name' | 'source'>;
  /** The server's URL. */
  readonly url: string;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly previous: StoredLogin | undefined;
  readonly authorization: Authorization;
  readonly fetch: OAuthFetch;
}

/** The client that can be used without a registration. */
export function findClient(options: ChooseClientOptions): OAuthClient | undefined {
  const { clientId, clientSecret, previous, authorization } = options;
  const known = previous?.issuer === authorization.issuer ? previous.client : undefined;
  if (clientId !== undefined) {
    const secret = clientSecret ?? (known?.id === clientId ? known.secret : undefined);
    return { id: clientId, secret };
  }
  return known?.redirectUri === undefined ? undefined : known;
}

export async function registerNewClient(options: ChooseClientOptions, redirectUri: string): Promise<OAuthClient> {
  const { authorization, fetch, url, definition } = options;
  const { authorizationServerUrl, metadata, deviceEndpoint, scope } = authorization;
  const endpoint = metadata ? metadata.registration_endpoint : new URL('/register', authorizationServerUrl).href;
  if (endpoint === undefined) throw createClientIdFault(options, 'does not register clients');
  assertSecureUrl(endpoint, url);
  const grants = ['authorization_code', 'refresh_token', ...(deviceEndpoint ? [DEVICE_GRANT_TYPE] : [])];
  try {
    const registered = await registerClient(authorizationServerUrl, {
      metadata,
      clientMetadata: {
        client_name: 'Parley',
        redirect_uris: [redirectUri],
        grant_types: grants,
        response_types: ['code'],
        token_endpoint_auth_method: chooseAuthMethod(metadata?.token_endpoint_auth_methods_supported),
        application_type: 'native',
      },
      scope,
      fetchFn: fetch,
    });
    return { id: registered.client_id, secret: registered.client_secret, redirectUri };
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    if (!(thrown instanceof RegistrationRejectedError)) throw createClientIdFault(options, 'registered no client');
    if (!metadata && thrown.status === 404) throw createNoSignInFault(definition.name);
    throw createClientIdFault(options, `refused to register a client (${thrown.status})`);
  }
}

/** A program on the user's machine cannot keep a secret, so none is requested if the server allows that. */
function chooseAuthMethod(supported: readonly string[] | undefined): string {
  if (!supported || supported.includes('none')) return 'none';
  return supported.find((method) => method === 'client_secret_basic' || method === 'client_secret_post') ?? 'none';
}

function createClientIdFault({ authorization, definition }: ChooseClientOptions, what: string): Fault {
  const { host } = new URL(authorization.authorizationServerUrl);
  return new Fault(
    'refused',
    `${host} ${what}. Register an application there with the redirect URI http://127.0.0.1/callback, and set its id ` +
      `in ${definition.source}: "oauth": {"clientId": "…"}. If it has a secret: parley mcp login ${definition.name} --client-secret`,
  );
}
