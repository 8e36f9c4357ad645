// Reports which providers have credentials, saves API keys and runs the Copilot login.
import type { ProviderAuth, ProviderStatus } from '../../contracts/index.ts';
import { findProvider, PROVIDERS } from '../providers/providers.ts';
import { COPILOT_PROVIDER_ID, type CopilotLoginOptions, createCopilotLogin } from './copilot-login.ts';
import type { Credentials } from './credentials.ts';

/** Always listed, first and in this order. Others are listed when they have credentials; those of models.json come last. */
const LISTED_FIRST = ['anthropic', 'openai', 'google'];

export function createProviderAuth(credentials: Credentials, options: CopilotLoginOptions): ProviderAuth {
  const copilot = createCopilotLogin(options);
  const cancelled = new AbortController();
  return {
    async getStatus() {
      const { hasCredential, modelsFileProviders } = await credentials.readSnapshot();
      const rank = (id: string) => (LISTED_FIRST.includes(id) ? LISTED_FIRST.indexOf(id) : LISTED_FIRST.length);
      const keyed = PROVIDERS.filter(
        ({ id }) => id !== COPILOT_PROVIDER_ID && (LISTED_FIRST.includes(id) || hasCredential(id)),
      )
        .toSorted((a, b) => rank(a.id) - rank(b.id))
        .map(({ id, name, env }): ProviderStatus => {
          const variable = env.find((variableName) => variableName.endsWith('_API_KEY')) ?? env[0];
          return { id, name, method: 'api_key', envVariable: variable, ready: hasCredential(id) };
        });
      const customProviders = modelsFileProviders
        .filter((id) => hasCredential(id) && !findProvider(id))
        .map((id): ProviderStatus => ({ id, name: id, method: 'api_key', ready: true }));
      return [
        {
          id: COPILOT_PROVIDER_ID,
          name: 'GitHub Copilot',
          method: 'device_code',
          ready: hasCredential(COPILOT_PROVIDER_ID),
        },
        ...keyed,
        ...customProviders,
      ];
    },
    saveKey: (provider, key) => credentials.saveKey(provider, key),
    startDeviceLogin: () => copilot.start(),
    async waitForDeviceLogin(login) {
      await credentials.saveLogin(COPILOT_PROVIDER_ID, await copilot.waitForApproval(login, cancelled.signal));
    },
    cancelPending: () => cancelled.abort(),
  };
}
