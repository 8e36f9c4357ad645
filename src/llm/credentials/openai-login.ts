// OpenAI: "Sign in with ChatGPT" registers this program as a client, and gives it a token for the Responses API.
import { Fault } from '../../base/index.ts';
import { createSecretText, type LoginContext, signInWithBrowser } from '../../support/oauth/browser-login.ts';
import {
  createRefusedTokenFault,
  isNonEmptyString,
  type JsonResponse,
  postForm,
} from '../../support/oauth/oauth-request.ts';
import type { OAuthEntry } from './auth-file.ts';

const SITE = 'https://auth.openai.com';
const RESOURCE = 'https://api.openai.com/v1';
/** Every sign-in registers a client with this id. The redirect contains the id of the new client. */
const REGISTRATION_CLIENT_ID = 'dynamic_agent_client';
/** The right to use the models of the subscription. */
const MODEL_SCOPE = 'chatgpt.tokens.use.direct';
const SCOPES = `openid profile email offline_access resource.invoke ${MODEL_SCOPE}`;
/** The only redirect address that OpenAI accepts. */
const CALLBACK = { port: 1455, path: '/auth/callback' };

type TokenContext = Pick<LoginContext, 'fetch' | 'clock'>;

/** `previous` is the stored login, which has the id of this installation. `endpoints` are replaced in tests. */
export async function signInToOpenAi(
  context: LoginContext,
  previous?: OAuthEntry,
  endpoints = { site: SITE, port: CALLBACK.port },
): Promise<OAuthEntry> {
  const { ids } = context;
  const hostId = isNonEmptyString(previous?.hostId) ? previous.hostId : ids.uuid();
  const state = createSecretText(ids);
  const { code, codeVerifier, redirectUri, query } = await signInWithBrowser(context, {
    ...CALLBACK,
    port: endpoints.port,
    state,
    buildUrl(callbackUrl, codeChallenge) {
      const fields = {
        client_id: REGISTRATION_CLIENT_ID,
        agent_name_hint: 'Parley',
        ext_agent_host_id: `urn:uuid:${hostId}`,
        response_type: 'code',
        redirect_uri: callbackUrl,
        resource: RESOURCE,
        scope: SCOPES,
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
        nonce: createSecretText(ids),
      };
      return `${endpoints.site}/api/accounts/authorize?${new URLSearchParams(fields)}`;
    },
  });
  const clientId = query.get('client_id');
  if (!clientId) {
    throw new Fault(
      'refused',
      'The redirect has no client id. Paste the whole URL of the last page, not only the code.',
    );
  }
  const grant = { grant_type: 'authorization_code', code, code_verifier: codeVerifier, redirect_uri: redirectUri };
  return requestToken(context, endpoints.site, { ...grant, client_id: clientId }, { clientId, hostId });
}

export async function renewOpenAiLogin(context: TokenContext, expired: OAuthEntry, site = SITE): Promise<OAuthEntry> {
  const { clientId, refresh } = expired;
  if (!isNonEmptyString(clientId)) throw new Fault('refused', 'The OpenAI login is incomplete. Sign in again.');
  const grant = { grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId };
  return requestToken(context, site, grant, { clientId });
}

async function requestToken(
  { fetch, clock }: TokenContext,
  site: string,
  grant: Readonly<Record<string, string>>,
  kept: Readonly<Record<string, string>>,
): Promise<OAuthEntry> {
  const response = await postForm(fetch, `${site}/api/accounts/oauth/token`, { ...grant, resource: RESOURCE });
  return { ...readToken(response, clock.now()), ...kept };
}

function readToken(response: JsonResponse, now: number): OAuthEntry {
  const { access_token: access, refresh_token: refresh, expires_in: seconds, scope } = response.fields;
  if (!isNonEmptyString(access) || !isNonEmptyString(refresh) || typeof seconds !== 'number') {
    throw createRefusedTokenFault(response);
  }
  if (typeof scope !== 'string' || !scope.split(' ').includes(MODEL_SCOPE)) {
    throw new Fault('refused', 'This ChatGPT account does not permit the use of its models by other programs.');
  }
  return { type: 'oauth', access, refresh, expires: now + seconds * 1000 };
}
