// First floor, llm: the model to begin with: what was asked for, what is preferred, or what a key is there for.
import { Fault, messageOf } from '../base/index.ts';
import type { Model } from '../protocol/index.ts';
import type { Credentials } from './credentials/credentials.ts';
import { ASKED_PROVIDERS, DEFAULT_MODELS } from './defaults.ts';
import type { KnownModels } from './known-models.ts';
import { offlineModel } from './offline/model.ts';
import { findProvider } from './providers/providers.ts';
import { scopeOf } from './scope.ts';
import { selectModel, type WantedModel } from './selection.ts';
import { withoutKey } from './without-key.ts';

export interface FirstChoice {
  known: KnownModels;
  credentials: Credentials;
  /** Flags: what they name is used, or nothing is. */
  asked: WantedModel;
  /** Settings: what they name is used, or the user hears why not. */
  preferred: WantedModel;
  apiKey: string | undefined;
  patterns: readonly string[] | undefined;
  env: Readonly<Record<string, string | undefined>>;
  available(): Promise<readonly Model[]>;
  isSpoken(model: Model): boolean;
  warn(sentence: string): void;
  /** Receives the reason when there is no model, or only the offline one. */
  explain(sentence: string): void;
}

/** The offline model never stands in for one that somebody named: then there is none, or a Fault that says why. */
export async function firstChoice(choice: FirstChoice): Promise<Model | null> {
  const { asked, preferred, apiKey, patterns, credentials, warn } = choice;
  if (asked.provider || asked.model) {
    const model = await choose(choice, asked);
    if (apiKey) credentials.use(model.provider, apiKey);
    return model;
  }
  if (apiKey) throw new Fault('config', 'Flag --api-key needs --provider or --model, to say whose key it is');
  if (patterns) {
    const usable = await choice.available();
    const scope = scopeOf(usable, patterns, offlineModel);
    for (const pattern of patterns.filter((each) => scopeOf(usable, [each], offlineModel).length === 0))
      warn(`No model that can be used matches --models ${pattern}. List them with --list-models`);
    if (scope[0]) return (preferred.model && selected(scope, preferred)) || scope[0];
  }
  if (preferred.provider || preferred.model) {
    try {
      return await choose(choice, preferred);
    } catch (thrown) {
      const reason = `The model that the settings name cannot be used: ${messageOf(thrown)}`;
      warn(reason);
      choice.explain(reason);
      return null;
    }
  }
  const first = await firstWithKey(choice);
  if (first) return first;
  if (patterns?.length) {
    choice.explain(`No model that can be used matches --models ${patterns.join(',')}.`);
    return null;
  }
  return withoutKey(choice.env, await credentials.inHand(), choice.explain);
}

async function choose({ known, credentials }: FirstChoice, wanted: WantedModel): Promise<Model> {
  const exact = await named(known, wanted);
  if (exact) return exact;
  const { has } = await credentials.inHand();
  const provider = wanted.provider && (await idOf(known, wanted.provider));
  const models = provider
    ? await known.of(provider)
    : [...(await known.ofAll(mayHave(wanted.model ?? ''))), offlineModel];
  const server = provider ? findProvider(provider) : undefined;
  if (server?.keyless && models.length === 0) throw new Fault('no_model', `${server.name} has no models yet`);
  return selectModel(models, wanted, (model) => has(model.provider));
}

/** `provider/id`, word for word: nobody else's models need to be looked at. */
async function named(known: KnownModels, { provider, model = '' }: WantedModel): Promise<Model | undefined> {
  const [owner = '', ...rest] = provider ? [provider, model] : model.split('/');
  const host = findProvider(owner);
  if (!host || host.keyless || rest.join('/') === '') return undefined;
  return (await known.of(owner).catch(() => [])).find(({ id }) => id === rest.join('/'));
}

/** Only a server that is named is asked. */
function mayHave(model: string): (provider: string) => boolean {
  return (id) => !findProvider(id)?.keyless || model.toLowerCase().startsWith(`${id}/`);
}

async function idOf(known: KnownModels, wanted: string): Promise<string> {
  const names = await known.providers();
  return names.find((id) => id === wanted) ?? names.find((id) => id.toLowerCase() === wanted.toLowerCase()) ?? wanted;
}

function selected(models: readonly Model[], wanted: WantedModel): Model | undefined {
  try {
    return selectModel(models, wanted);
  } catch {
    return undefined;
  }
}

async function firstWithKey({ known, credentials, isSpoken }: FirstChoice): Promise<Model | undefined> {
  const { has, described } = await credentials.inHand();
  const own = described.filter((id) => !findProvider(id));
  for (const provider of [...DEFAULT_MODELS.keys(), ...ASKED_PROVIDERS, ...own].filter(has)) {
    const models = (await known.ofAll((id) => id === provider)).filter(isSpoken);
    if (models.length > 0) return selectModel(models, { provider });
  }
  return undefined;
}
