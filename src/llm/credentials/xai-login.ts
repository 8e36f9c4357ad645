// xAI: sign-in with a device code (RFC 8628), for Grok subscriptions.

import type { LoginContext } from '../../support/oauth/browser-login.ts';
import { DEVICE_GRANT_TYPE, pollUntilApproved, readDeviceCode } from '../../support/oauth/device-code.ts';
import {
  createRefusedTokenFault,
  isNonEmptyString,
  type JsonResponse,
  postForm,
} from '../../support/oauth/oauth-request.ts';
import type { OAuthEntry } from './auth-file.ts';

const SITE = 'https://auth.x.ai';
const CLIENT_ID = 'b1a00492-073a-47ea-816f-4c329264a828';
const SCOPES = 'openid profile email offline_access grok-cli:access api:access';
const DEFAULT_LIFETIME_SECONDS = 3600;

type TokenContext = Pick<LoginContext, 'fetch' | 'clock'>;

/** `site` is replaced in tests. */
export async function signInToXai(context: LoginContext, site = SITE): Promise<OAuthEntry> {
  const { fetch, clock, showUrl, signal } = context;
  const { fields, host } = await postForm(fetch, `${site}/oauth2/device/code`, { client_id: CLIENT_ID, scope: SCOPES });
  const { login, lifetimeMs } = readDeviceCode(fields, host);
  showUrl(login.verificationUri, login.userCode);
  const form = { grant_type: DEVICE_GRANT_TYPE, client_id: CLIENT_ID, device_code: login.deviceCode };
  const token = await pollUntilApproved({
    poll: async () => (await postForm(fetch, `${site}/oauth2/token`, form)).fields,
    clock,
    interval: login.interval,
    deadline: clock.now() + lifetimeMs,
    signal,
  });
  return readToken({ host, status: 200, fields: token }, clock.now());
}

export async function renewXaiLogin(
  { fetch, clock }: TokenContext,
  expired: OAuthEntry,
  site = SITE,
): Promise<OAuthEntry> {
  const form = { grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token: expired.refresh };
  return readToken(await postForm(fetch, `${site}/oauth2/token`, form), clock.now(), expired.refresh);
}

/** A renewal may keep the refresh token and omit it. */
function readToken(response: JsonResponse, now: number, previousRefresh?: string): OAuthEntry {
  const { access_token: access, refresh_token: refresh = previousRefresh, expires_in: seconds } = response.fields;
  if (!isNonEmptyString(access) || !isNonEmptyString(refresh)) throw createRefusedTokenFault(response);
  const lifetimeSeconds = typeof seconds === 'number' && seconds > 0 ? seconds : DEFAULT_LIFETIME_SECONDS;
  return { type: 'oauth', access, refresh, expires: now + lifetimeSeconds * 1000 };
}
