// Why no model of a provider can be used, although something points at one. Loaded only in that case; shows no key.
import type { InHand } from './credentials/credentials.ts';
import { findProvider, PROVIDERS, type Provider } from './providers/providers.ts';
import { isMeant, ownVariables } from './providers/variables.ts';

type Env = Readonly<Record<string, string | undefined>>;

const OFFLINE = 'The offline model answers only when it is named: --model parley/offline.';

/** The first thing that points at a provider, and what to do about it. */
export function missingKey(env: Env, { named, described }: Pick<InHand, 'named' | 'described'>): string {
  const provider = PROVIDERS.find((one) => isMeant(one, env));
  if (provider) return `${fromVariables(provider, env)} ${OFFLINE}`;
  const [login] = named;
  if (login !== undefined)
    return `auth.json names ${nameOf(login)}, but has no key for it that can be used. ${OFFLINE}`;
  const own = described.map(nameOf).join(', ');
  return `models.json describes ${own}, but no model there can be used: its key is missing. ${OFFLINE}`;
}

function fromVariables({ id, name, keyless, env: names, baseUrlEnv = '' }: Provider, env: Env): string {
  const variables = ownVariables(names);
  const key = variables.find((variable) => env[variable]?.trim());
  const empty = variables.find((variable) => env[variable] !== undefined);
  const choose = `choose it with --provider ${id}, or set the key of another provider.`;
  if (key ?? keyless) return `${key ?? baseUrlEnv} is set, but ${name} is used only when it is named: ${choose}`;
  if (empty) return `${empty} is set but empty, so ${name} cannot be used. Set it to a key.`;
  return `${baseUrlEnv} is set, but there is no key for ${name}. Set ${variables.at(-1)}.`;
}

function nameOf(id: string): string {
  return findProvider(id)?.name ?? id;
}
