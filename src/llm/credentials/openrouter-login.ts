// OpenRouter: sign-in in a browser creates an API key that does not expire.

import { createSecretText, type LoginContext, signInWithBrowser } from '../../support/oauth/browser-login.ts';
import { createRefusedTokenFault, isNonEmptyString, requestJson } from '../../support/oauth/oauth-request.ts';
import type { AuthEntry } from './auth-file.ts';

const SITE = 'https://openrouter.ai';

/** `site` is replaced in tests. */
export async function signInToOpenRouter(context: LoginContext, site = SITE): Promise<AuthEntry> {
  const { code, codeVerifier } = await signInWithBrowser(context, {
    port: 0,
    // OpenRouter returns no `state`. The random path has the same purpose.
    path: `/callback/${createSecretText(context.ids)}`,
    buildUrl(redirectUri, codeChallenge) {
      const query = { callback_url: redirectUri, code_challenge: codeChallenge, code_challenge_method: 'S256' };
      return `${site}/auth?${new URLSearchParams(query)}`;
    },
  });
  const response = await requestJson(
    context.fetch,
    `${site}/api/v1/auth/keys`,
    {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ code, code_verifier: codeVerifier, code_challenge_method: 'S256' }),
    },
    [code, codeVerifier],
  );
  const { key } = response.fields;
  if (!isNonEmptyString(key)) throw createRefusedTokenFault(response);
  return { type: 'api_key', key };
}
