// First floor, commands: keys and logins of providers. What is said here never holds a key.
import { array, boolean, literal, nullable, number, object, optional, picklist, string } from 'valibot';
import { command, type ProviderStatus } from '../../contracts/index.ts';
import { filled } from './filled.ts';

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

export function reportOf(providers: readonly ProviderStatus[]) {
  const first = providers.find(({ ready }) => ready);
  return {
    status: first ? ('ready' as const) : ('setup_required' as const),
    provider: first?.id ?? null,
    providers: providers.map(({ id, name, method, variable, ready }) => ({
      id,
      name,
      method,
      ...(variable === undefined ? {} : { envVar: variable }),
      ready,
    })),
  };
}

export const authStatus = command({
  name: 'auth_status',
  doc: 'Which providers can be reached: by a key in the environment, in a file, or by a login.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ authenticated: boolean(), auth: authReport }),
  async run(_, { desk }) {
    const auth = reportOf(await desk.auth.status());
    return { authenticated: auth.status === 'ready', auth };
  },
});

export const saveKey = command({
  name: 'save_key',
  doc: 'Keep a key for a provider. It holds from the next request on, also in sessions that are open.',
  lane: 'now',
  long: true,
  params: object({ provider: filled, apiKey: filled }),
  result: object({ ok: literal(true) }),
  async run({ provider, apiKey }, { desk }) {
    await desk.auth.saveKey(provider, apiKey);
    return { ok: true as const };
  },
});

export const beginLogin = command({
  name: 'begin_login',
  doc: 'Begin to sign in with GitHub Copilot: a code that the person types at an address.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ userCode: string(), verificationUri: string(), deviceCode: string(), interval: number() }),
  run: (_, { desk }) => desk.auth.login(),
});

export const awaitLogin = command({
  name: 'await_login',
  doc: 'Answered when the person has agreed and the login is kept, or when that can no longer happen. Holds up nothing else.',
  lane: 'now',
  long: true,
  params: object({ deviceCode: filled, interval: number() }),
  result: object({ authenticated: literal(true) }),
  async run(login, { desk }) {
    await desk.auth.poll(login);
    return { authenticated: true as const };
  },
});
