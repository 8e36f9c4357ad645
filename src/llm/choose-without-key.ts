// Chooses the initial model when no provider has a key: the offline model, unless the configuration refers to a provider.
import type { Model } from '../protocol/index.ts';
import type { CredentialSnapshot } from './credentials/credentials.ts';
import { OFFLINE_NOTICE, offlineModel } from './offline/offline-model.ts';
import { hasVariableSet } from './providers/key-variables.ts';
import { PROVIDERS } from './providers/providers.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** `null` when the user configured a provider: the offline model must not replace it. `explain` receives the reason. */
export async function chooseWithoutKey(
  env: Env,
  current: Pick<CredentialSnapshot, 'authFileProviders' | 'modelsFileProviders'>,
  explain: (sentence: string) => void,
): Promise<Model | null> {
  if (
    current.authFileProviders.length + current.modelsFileProviders.length === 0 &&
    !PROVIDERS.some((provider) => hasVariableSet(provider, env))
  ) {
    explain(OFFLINE_NOTICE);
    return offlineModel;
  }
  explain((await import('./explain-missing-key.ts')).explainMissingKey(env, current));
  return null;
}
