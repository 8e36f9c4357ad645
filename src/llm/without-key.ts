// The model to begin with where no provider has a key: the offline one, unless something points at a provider.
import type { Model } from '../protocol/index.ts';
import type { InHand } from './credentials/credentials.ts';
import { OFFLINE_NOTICE, offlineModel } from './offline/model.ts';
import { PROVIDERS } from './providers/providers.ts';
import { isMeant } from './providers/variables.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** `null` where a provider was meant: the offline model must not answer in its place. `explain` is told why. */
export async function withoutKey(
  env: Env,
  inHand: Pick<InHand, 'named' | 'described'>,
  explain: (sentence: string) => void,
): Promise<Model | null> {
  if (inHand.named.length + inHand.described.length === 0 && !PROVIDERS.some((one) => isMeant(one, env))) {
    explain(OFFLINE_NOTICE);
    return offlineModel;
  }
  explain((await import('./missing-key.ts')).missingKey(env, inHand));
  return null;
}
