// The hall: which providers can be reached, and how to change that.
import { Fault } from '../../base/index.ts';
import type { DeskAuth, Ports } from '../../contracts/index.ts';
import type { Credentials } from '../../llm/credentials/credentials.ts';
import { PROVIDERS } from '../../llm/providers/providers.ts';

interface Surroundings {
  ports: Ports;
  env: Readonly<Record<string, string | undefined>>;
}

/** Told first, in this order, ready or not. The others are told when they are. */
const FIRST = ['anthropic', 'openai', 'google'];

export function createDeskAuth(credentials: Credentials, _surroundings: Surroundings): DeskAuth {
  return {
    async status() {
      const { has } = await credentials.inHand();
      const rank = (id: string) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);
      return PROVIDERS.filter(({ id }) => FIRST.includes(id) || has(id))
        .toSorted((a, b) => rank(a.id) - rank(b.id))
        .map(({ id, name, env }) => ({
          id,
          name,
          method: 'api_key' as const,
          variable: env.find((variable) => variable.endsWith('_API_KEY')) ?? env[0],
          ready: has(id),
        }));
    },
    saveKey: (provider, key) => credentials.saveKey(provider, key),
    login: async () => {
      throw new Fault('refused', 'There is no provider to sign in with yet; save a key with auth/set_key');
    },
    poll: async () => {
      throw new Fault('refused', 'There is no provider to sign in with yet; save a key with auth/set_key');
    },
  };
}
