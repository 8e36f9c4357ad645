// Commands for provider logins. Results never contain a key.
import { array, boolean, object, string } from 'valibot';
import { command } from '../contracts/index.ts';

export const getLoginProviders = command({
  name: 'get_login_providers',
  stability: 'experimental',
  doc: 'The providers that support sign-in, and whether the user is signed in.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({
    providers: array(object({ id: string(), name: string(), available: boolean(), authenticated: boolean() })),
  }),
  run: async (_, { logins }) => ({ providers: [...(await logins.listProviders())] }),
});

export const login = command({
  name: 'login',
  stability: 'experimental',
  doc: 'Sign in with a provider. The URL to open and the code to enter are sent as extension_ui_request `open_url`. The response follows when the user has confirmed and the credentials are saved. Other commands do not wait.',
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
