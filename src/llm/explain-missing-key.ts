// Explains why no model can be used although the configuration refers to a provider. Loaded only in that case; shows no key.
import type { CredentialSnapshot } from './credentials/credentials.ts';
import { excludeSharedVariables, hasVariableSet } from './providers/key-variables.ts';
import { findProvider, PROVIDERS, type Provider } from './providers/providers.ts';

type Env = Readonly<Record<string, string | undefined>>;

const OFFLINE_HINT = 'To use the offline model, pass --model parley/offline.';

/** Explains the first reference to a provider and how to fix it. */
export function explainMissingKey(
  env: Env,
  { authFileProviders, modelsFileProviders }: Pick<CredentialSnapshot, 'authFileProviders' | 'modelsFileProviders'>,
): string {
  const provider = PROVIDERS.find((candidate) => hasVariableSet(candidate, env));
  if (provider) return `${explainVariables(provider, env)} ${OFFLINE_HINT}`;
  const [login] = authFileProviders;
  if (login !== undefined)
    return `auth.json has an entry for ${getProviderName(login)}, but no usable key. ${OFFLINE_HINT}`;
  const names = modelsFileProviders.map(getProviderName).join(', ');
  return `models.json defines ${names}, but its models cannot be used: the key is missing. ${OFFLINE_HINT}`;
}

function explainVariables({ id, name, keyless, env: names, baseUrlEnv = '' }: Provider, env: Env): string {
  const variables = excludeSharedVariables(names);
  const key = variables.find((variable) => env[variable]?.trim());
  const empty = variables.find((variable) => env[variable] !== undefined);
  const choose = `choose it with --provider ${id}, or set the key of another provider.`;
  if (key ?? keyless)
    return `${key ?? baseUrlEnv} is set, but ${name} is used only when it is selected explicitly: ${choose}`;
  if (empty) return `${empty} is set but empty, so ${name} cannot be used. Set it to a key.`;
  return `${baseUrlEnv} is set, but there is no key for ${name}. Set ${variables.at(-1)}.`;
}

function getProviderName(id: string): string {
  return findProvider(id)?.name ?? id;
}
