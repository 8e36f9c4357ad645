// First floor, commands: signing in with a provider. What is said here never holds a key.
import { array, boolean, object, string } from 'valibot';
import { command } from '../contracts/index.ts';

export const getLoginProviders = command({
  name: 'get_login_providers',
  stability: 'experimental',
  doc: 'The providers that a person can sign in with, and whether somebody has.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({
    providers: array(object({ id: string(), name: string(), available: boolean(), authenticated: boolean() })),
  }),
  run: async (_, { logins }) => ({ providers: [...(await logins.providers())] }),
});

export const login = command({
  name: 'login',
  stability: 'experimental',
  doc: 'Sign in with a provider. The address to open and the code to type there come as extension_ui_request `open_url`; answered when the person has agreed and the login is kept. Holds up nothing else.',
  lane: 'now',
  long: true,
  params: object({ providerId: string() }),
  result: object({ providerId: string() }),
  examples: [{ providerId: 'github-copilot' }],
  async run({ providerId }, { logins }) {
    await logins.login(providerId);
    return { providerId };
  },
});
