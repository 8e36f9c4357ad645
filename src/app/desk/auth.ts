// The hall: which providers can be reached, and how to change that.
import type { DeskAuth, ProviderStatus } from '../../contracts/index.ts';
import { COPILOT, type CopilotOptions, createCopilotLogin } from '../../llm/credentials/copilot.ts';
import type { Credentials } from '../../llm/credentials/credentials.ts';
import { findProvider, PROVIDERS } from '../../llm/providers/providers.ts';

/** Told first, in this order, ready or not. The others are told when they are; those of models.json come last. */
const FIRST = ['anthropic', 'openai', 'google'];

export function createDeskAuth(credentials: Credentials, surroundings: CopilotOptions): DeskAuth {
  const copilot = createCopilotLogin(surroundings);
  const gone = new AbortController();
  return {
    async status() {
      const { has, described } = await credentials.inHand();
      const rank = (id: string) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);
      const keyed = PROVIDERS.filter(({ id }) => id !== COPILOT && (FIRST.includes(id) || has(id)))
        .toSorted((a, b) => rank(a.id) - rank(b.id))
        .map(({ id, name, env }): ProviderStatus => {
          const variable = env.find((one) => one.endsWith('_API_KEY')) ?? env[0];
          return { id, name, method: 'api_key', variable, ready: has(id) };
        });
      const own = described
        .filter((id) => has(id) && !findProvider(id))
        .map((id): ProviderStatus => ({ id, name: id, method: 'api_key', ready: true }));
      return [{ id: 'copilot', name: 'GitHub Copilot', method: 'device_code', ready: has(COPILOT) }, ...keyed, ...own];
    },
    saveKey: (provider, key) => credentials.saveKey(provider, key),
    login: () => copilot.begin(),
    async poll(login) {
      await credentials.saveLogin(COPILOT, await copilot.granted(login, gone.signal));
    },
    giveUp: () => gone.abort(),
  };
}
