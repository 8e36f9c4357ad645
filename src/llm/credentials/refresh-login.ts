// Refreshes the login of a provider in auth.json before it expires.
import { Fault } from '../../base/index.ts';
import type { AuthFile, OAuthEntry } from './auth-file.ts';

/** Asks the provider for a new login to replace an expired one. */
export type RefreshLogin = (expired: OAuthEntry) => Promise<OAuthEntry>;

export interface RefreshLoginOptions {
  authFile: AuthFile;
  clock: { now(): number };
}

/** A login is refreshed this long before it expires, because an answer may take minutes. */
const RENEWAL_MARGIN_MS = 5 * 60_000;

/** Returns the login, refreshed unless another process has refreshed it in the meantime. */
export async function refreshLogin(
  provider: string,
  refresh: RefreshLogin,
  { authFile, clock }: RefreshLoginOptions,
): Promise<OAuthEntry> {
  const entry = await authFile.update(provider, async (current) => {
    if (current?.type !== 'oauth')
      throw new Fault('no_credentials', `There is no login for ${provider} in ${authFile.path}`);
    return isRenewalDue(current, clock) ? { ...current, ...(await refresh(current)) } : current;
  });
  return entry as OAuthEntry;
}

export function isRenewalDue({ expires }: OAuthEntry, clock: { now(): number }): boolean {
  return expires - RENEWAL_MARGIN_MS <= clock.now();
}
