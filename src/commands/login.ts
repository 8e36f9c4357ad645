// Commands for provider logins. Results never contain a key.
import { array, boolean, object, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { command, type HostUi } from '../contracts/index.ts';

export const getLoginProviders = command({
  name: 'get_login_providers',
  stability: 'experimental',
  doc: 'The providers that support sign-in, and whether they have credentials.',
  lane: 'now',
  access: 'read',
  long: true,
  params: object({}),
  result: object({
    providers: array(object({ id: string(), name: string(), available: boolean(), authenticated: boolean() })),
  }),
  async run(_, { auth }) {
    const providers = (await auth.listSignIns()).map(({ id, name, ready }) => ({
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
  doc: 'Sign in with a provider. The URL to open and the code to enter are sent as extension_ui_request `open_url`. If the sign-in ends with a redirect to this machine, an `input` request follows: a browser on another machine cannot be redirected here, and the user can paste the URL of its last page instead. The request is withdrawn after the redirect; dismissing it does not end the sign-in. The response follows when the user has confirmed and the credentials are saved. Other commands do not wait. A second login with the same provider cancels the first.',
  lane: 'now',
  long: true,
  params: object({ providerId: string() }),
  result: object({ providerId: string() }),
  examples: [{ providerId: 'github-copilot' }],
  async run({ providerId }, { auth, ui }) {
    const known = await auth.listSignIns();
    const provider = known.find(({ id }) => id === providerId);
    if (!provider) {
      const ids = known.map(({ id }) => id).join(', ');
      const message = `Unknown OAuth provider: ${providerId || '""'}. Available: ${ids}`;
      throw new Fault('not_found', message);
    }
    await auth.signIn(providerId, {
      showUrl(url, userCode) {
        const instructions = userCode === undefined ? `Sign in with ${provider.account}` : `Enter the code ${userCode}`;
        ui?.show({ method: 'open_url', url, instructions });
      },
      readLine: ui && ((_, signal) => askForUrl(ui, provider.name, signal)),
    });
    return { providerId };
  },
});

export const cancelLogin = command({
  name: 'cancel_login',
  stability: 'experimental',
  doc: 'Cancel the `login` with a provider that is in progress. That `login` fails. `cancelled` is false if there was none.',
  lane: 'now',
  long: true,
  params: object({ providerId: string() }),
  result: object({ cancelled: boolean() }),
  examples: [{ providerId: 'openai' }],
  run: async ({ providerId }, { auth }) => ({ cancelled: await auth.cancelSignIn(providerId) }),
});

async function askForUrl(ui: HostUi, name: string, signal: AbortSignal): Promise<string | undefined> {
  const answer = await ui.ask(
    {
      method: 'input',
      title: `Paste the URL of the last page if it does not open (${name})`,
      placeholder: 'http://127.0.0.1…',
    },
    { signal },
  );
  return answer && 'value' in answer ? answer.value : undefined;
}
