// Creates the client of google-auth-library for an account. Its requests use the given fetch.
import {
  ExternalAccountAuthorizedUserClient,
  ExternalAccountClient,
  Impersonated,
  JWT,
  UserRefreshClient,
} from '../vendor/google-auth.ts';
import { createVertexAuthFault, type GoogleAccount } from './google-account.ts';

type Account<Type extends GoogleAccount['type']> = Extract<GoogleAccount, { type: Type }>;
type Fetch = typeof fetch;

export interface GoogleClient {
  readonly credentials: { expiry_date?: number | null | undefined };
  getAccessToken(): Promise<{ token?: string | null | undefined }>;
}

const SCOPES = ['https://www.googleapis.com/auth/cloud-platform'];
/** The library sends the assertions of service accounts to this URL only. */
const TOKEN_URI = 'https://oauth2.googleapis.com/token';

export function createGoogleClient(account: GoogleAccount, fetch: Fetch): GoogleClient {
  return account.type === 'impersonated_service_account'
    ? createImpersonatedClient(account, fetch)
    : createSourceClient(account, fetch);
}

/** With an agent the library does not look for a proxy itself. `fetch` ignores the agent. */
function createOptions(fetch: Fetch) {
  return { scopes: SCOPES, transporterOptions: { fetchImplementation: fetch, agent: () => undefined as never } };
}

function createSourceClient(account: Exclude<GoogleAccount, { type: 'impersonated_service_account' }>, fetch: Fetch) {
  const options = createOptions(fetch);
  switch (account.type) {
    case 'service_account':
      return createServiceClient(account, fetch);
    case 'authorized_user': {
      const { client_id: clientId, client_secret: clientSecret, refresh_token: refreshToken, token_uri } = account;
      const endpoints = token_uri === undefined ? {} : { endpoints: { oauth2TokenUrl: token_uri } };
      return new UserRefreshClient({ ...options, clientId, clientSecret, refreshToken, ...endpoints });
    }
    case 'external_account_authorized_user':
      return new ExternalAccountAuthorizedUserClient({ token_info_url: '', ...account, ...options });
    case 'external_account':
      return createExternalClient(account, options);
  }
}

function createServiceClient(account: Account<'service_account'>, fetch: Fetch): JWT {
  const { client_email: email, private_key: key, token_uri: uri = TOKEN_URI } = account;
  const options = createOptions((url, init) => fetch(String(url) === TOKEN_URI ? uri : url, init));
  return new JWT({ ...options, email, key, additionalClaims: { aud: uri } });
}

function createExternalClient(account: Account<'external_account'>, options: ReturnType<typeof createOptions>) {
  const client = ExternalAccountClient.fromJSON({ ...account, ...options } as never);
  if (!client) throw createVertexAuthFault('the credential_source of the account is not supported');
  // The library gives its transporter to every part except the exchange of tokens.
  const { stsCredential, transporter } = client as unknown as Record<'stsCredential' | 'transporter', object>;
  Object.assign(stsCredential, { transporter });
  return client;
}

/** The URL ends with `/serviceAccounts/name@project.iam.gserviceaccount.com:generateAccessToken`. */
function createImpersonatedClient(account: Account<'impersonated_service_account'>, fetch: Fetch): Impersonated {
  const url = URL.canParse(account.service_account_impersonation_url)
    ? new URL(account.service_account_impersonation_url)
    : undefined;
  const targetPrincipal = url?.pathname.split('/').at(-1)?.split(':')[0];
  if (!url || !targetPrincipal)
    throw createVertexAuthFault(
      'the service_account_impersonation_url of the account is not a URL of a service account',
    );
  return new Impersonated({
    ...createOptions(fetch),
    sourceClient: createSourceClient(account.source_credentials, fetch) as JWT,
    targetPrincipal,
    targetScopes: SCOPES,
    delegates: account.delegates ?? [],
    endpoint: url.origin,
  });
}
