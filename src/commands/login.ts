// Commands for provider logins. Results never contain a key.
import { array, boolean, object, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { command, type ProviderAuth, type ProviderStatus } from '../contracts/index.ts';

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
  async run(_, { auth }) {
    const providers = (await listLoginProviders(auth)).map(({ id, name, ready }) => ({
      id,
      name,
      available: true,
      authenticated: ready,
    }));
    return { providers };
  },
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
  async run({ providerId }, { auth, ui }) {
    const known = (await listLoginProviders(auth)).map(({ id }) => id);
    if (!known.includes(providerId)) {
      const message = `Unknown OAuth provider: ${providerId || '""'}. Available: ${known.join(', ')}`;
      throw new Fault('not_found', message);
    }
    const code = await auth.startDeviceLogin();
    ui?.show({ method: 'open_url', url: code.verificationUri, instructions: `Enter the code ${code.userCode}` });
    await auth.waitForDeviceLogin(code);
    return { providerId };
  },
});

async function listLoginProviders(auth: ProviderAuth): Promise<readonly ProviderStatus[]> {
  return (await auth.getStatus()).filter(({ method }) => method === 'device_code');
}
