// auth/*: credentials of providers and the login with GitHub Copilot.
import { array, boolean, literal, nullable, number, object, optional, picklist, string } from 'valibot';
import type { ProviderStatus } from '../../../contracts/index.ts';
import { nonEmptyString, type OpalMethod, processMethod } from '../method.ts';
import { encodeProviderId } from '../provider-ids.ts';

export const authReport = object({
  status: picklist(['ready', 'setup_required']),
  provider: nullable(string()),
  providers: array(
    object({
      id: string(),
      name: string(),
      method: picklist(['device_code', 'api_key']),
      env_var: optional(string()),
      ready: boolean(),
    }),
  ),
});

export function buildAuthReport(statuses: readonly ProviderStatus[]) {
  const providers = statuses.map(({ id, name, method, envVariable, ready }) => ({
    id: encodeProviderId(id),
    name,
    method,
    ...(envVariable === undefined ? {} : { env_var: envVariable }),
    ready,
  }));
  const first = providers.find(({ ready }) => ready);
  return { status: first ? 'ready' : 'setup_required', provider: first?.id ?? null, providers };
}

export const authMethods: Record<string, OpalMethod> = {
  'auth/status': processMethod({
    command: 'auth_status',
    result: object({ authenticated: boolean(), auth: authReport }),
    toResult({ providers }: { providers: readonly ProviderStatus[] }) {
      const auth = buildAuthReport(providers);
      return { authenticated: auth.status === 'ready', auth };
    },
  }),
  'auth/set_key': processMethod({
    command: 'save_key',
    params: { provider: nonEmptyString, api_key: nonEmptyString },
    result: object({ ok: literal(true) }),
    toResult: () => ({ ok: true }),
  }),
  'auth/login': processMethod({
    command: 'begin_login',
    result: object({ user_code: string(), verification_uri: string(), device_code: string(), interval: number() }),
    failureMessage: 'Login flow failed',
  }),
  'auth/poll': processMethod({
    command: 'await_login',
    params: { device_code: nonEmptyString, interval: number() },
    result: object({ authenticated: literal(true) }),
    failureMessage: 'Auth polling failed',
    toResult: () => ({ authenticated: true }),
  }),
};
