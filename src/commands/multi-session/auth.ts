// Commands for API keys and provider logins. Results never contain a key.
import { array, boolean, literal, nullable, number, object, optional, picklist, string } from 'valibot';
import { command, type ProviderStatus } from '../../contracts/index.ts';
import { nonEmptyString } from './non-empty-string.ts';

export const authReport = object({
  status: picklist(['ready', 'setup_required']),
  provider: nullable(string()),
  providers: array(
    object({
      id: string(),
      name: string(),
      method: picklist(['device_code', 'api_key']),
      envVar: optional(string()),
      ready: boolean(),
    }),
  ),
});

export function buildAuthReport(providers: readonly ProviderStatus[]) {
  const first = providers.find(({ ready }) => ready);
  return {
    status: first ? ('ready' as const) : ('setup_required' as const),
    provider: first?.id ?? null,
    providers: providers.map(({ id, name, method, envVariable, ready }) => ({
      id,
      name,
      method,
      ...(envVariable === undefined ? {} : { envVar: envVariable }),
      ready,
    })),
  };
}

export const authStatus = command({
  name: 'auth_status',
  doc: 'Which providers have credentials: an API key in the environment or in a file, or a sign-in.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ authenticated: boolean(), auth: authReport }),
  async run(_, { pool }) {
    const auth = buildAuthReport(await pool.auth.getStatus());
    return { authenticated: auth.status === 'ready', auth };
  },
});

export const saveKey = command({
  name: 'save_key',
  doc: 'Save the API key of a provider. It is used from the next request on, also in open sessions.',
  lane: 'now',
  long: true,
  params: object({ provider: nonEmptyString, apiKey: nonEmptyString }),
  result: object({ ok: literal(true) }),
  async run({ provider, apiKey }, { pool }) {
    await pool.auth.saveKey(provider, apiKey);
    return { ok: true as const };
  },
});

export const beginLogin = command({
  name: 'begin_login',
  doc: 'Start a device-code sign-in with GitHub Copilot. Returns the code and the URL where the user enters it.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ userCode: string(), verificationUri: string(), deviceCode: string(), interval: number() }),
  run: (_, { pool }) => pool.auth.startDeviceLogin(),
});

export const awaitLogin = command({
  name: 'await_login',
  doc: 'Waits until the user has confirmed the sign-in and the credentials are saved, or until the sign-in fails or expires. Other commands do not wait.',
  lane: 'now',
  long: true,
  params: object({ deviceCode: nonEmptyString, interval: number() }),
  result: object({ authenticated: literal(true) }),
  async run(login, { pool }) {
    await pool.auth.waitForDeviceLogin(login);
    return { authenticated: true as const };
  },
});
