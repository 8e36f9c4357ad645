// First floor, llm: the models that one may choose from. Loaded when there is a choice: without keys there is none.
import type { Models } from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import type { Doors } from './doors.ts';
import { firstChoice } from './first-choice.ts';
import { createKnownModels } from './known-models.ts';
import { offlineModel } from './offline/model.ts';
import { PROVIDERS } from './providers/providers.ts';
import type { ExplainedOptions } from './registry-options.ts';
import { scopeOf } from './scope.ts';

export type Choices = Pick<Models, 'initial' | 'find' | 'available' | 'scope'>;

export function createChoices(options: ExplainedOptions, { custom, credentials }: Doors): Choices {
  const { apis, env, ports, asked = {}, apiKey, patterns, explain, warn = () => {} } = options;
  const { fetch, clock } = ports;
  const { key, address } = credentials;
  const known = createKnownModels({ fetch, clock, custom, env, key, address, warn });
  let { preferred = {} } = options;
  const isSpoken = ({ api }: Model) => Object.hasOwn(apis, api);

  async function available(): Promise<readonly Model[]> {
    const { has, described } = await credentials.inHand();
    const named = [asked.provider, preferred.provider].map((name) => name?.toLowerCase());
    // Servers of one's own need no key, but are asked only when somebody has spoken of them.
    const servers = PROVIDERS.filter(
      ({ id, keyless, baseUrlEnv: variable }) =>
        keyless && (named.includes(id) || described.includes(id) || (variable && env[variable])),
    ).map(({ id }) => id);
    const models = await known.ofAll((id) => has(id) || servers.includes(id));
    const usable = models.filter((model) => isSpoken(model) && model.baseUrl !== '');
    return usable.length > 0 ? usable : [offlineModel];
  }

  return {
    available,
    initial(wished = preferred) {
      preferred = wished;
      const wishes = { asked, preferred, apiKey, patterns, env };
      return firstChoice({ ...wishes, known, credentials, available, isSpoken, explain, warn });
    },
    async find(provider, modelId) {
      const models = await known.of(provider);
      return models.find(({ id }) => id === modelId);
    },
    async scope() {
      if (!patterns || patterns.length === 0) return undefined;
      return scopeOf(await available(), patterns, offlineModel);
    },
  };
}
