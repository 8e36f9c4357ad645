// Selects the model that a flag or a setting names. Refuses a name that several models share equally.
import { Fault } from '../base/index.ts';
import type { Model, ThinkingLevel } from '../protocol/index.ts';
import { DEFAULT_MODELS, SELF_LISTING_PROVIDERS } from './default-models.ts';
import { equalsIgnoringCase, getModelName, matchModels, pickDefaultModel, splitThinkingLevel } from './match-model.ts';
import { pickNewestOfSeries, sortNewestFirst } from './model-id.ts';
import { findProvider } from './providers/providers.ts';

export interface RequestedModel {
  provider?: string | undefined;
  model?: string | undefined;
}

export interface SelectedModel {
  readonly model: Model;
  /** From the name, as in `sonnet:high`. */
  readonly thinkingLevel?: ThinkingLevel;
}

/** How to choose between providers that offer the requested model. */
export interface ProviderPreference {
  hasCredential?(provider: string): boolean;
  /** Used when it is one of several providers that match. */
  readonly provider?: string | undefined;
  /** The command line has a key, but does not say for which provider. It must not be sent to one that was guessed. */
  readonly hasKeyOfUnknownProvider?: boolean;
}

export const LIST_HINT = 'List the models with `parley models`.';
const MAX_NAMES = 5;

/** The requested model. No other model replaces it: an unknown name throws. */
export function selectModel(
  models: readonly Model[],
  requested: RequestedModel,
  preference: ProviderPreference = {},
): Model {
  const selected = findModel(models, requested, preference);
  if (selected) return selected.model;
  throw new Fault('not_found', `Model not found: ${formatRequested(requested)}. ${LIST_HINT}`);
}

/** `undefined` when no model matches. Throws a Fault with the candidates when no rule decides between them. */
export function findModel(
  models: readonly Model[],
  requested: RequestedModel,
  preference: ProviderPreference = {},
): SelectedModel | undefined {
  const { provider, model: name } = requested;
  const ofProvider = provider ? models.filter((m) => equalsIgnoringCase(m.provider, provider)) : models;
  if (!name) {
    const [model] = pickDefaultModel(ofProvider);
    return model && { model };
  }
  const leveled = splitThinkingLevel(name);
  const model = chooseMatch(ofProvider, name, preference);
  if (model || !leveled) return model && { model };
  const withoutLevel = chooseMatch(ofProvider, leveled.name, preference);
  return withoutLevel && { model: withoutLevel, thinkingLevel: leveled.level };
}

/** `undefined` also when no rule decides between several models. */
export function findUniqueModel(...args: Parameters<typeof findModel>): Model | undefined {
  try {
    return findModel(...args)?.model;
  } catch {
    return undefined;
  }
}

export function formatRequested({ provider, model }: RequestedModel): string {
  return [provider, model].filter(Boolean).join('/');
}

function chooseMatch(models: readonly Model[], name: string, preference: ProviderPreference): Model | undefined {
  const matches = matchModels(models, name);
  const { candidates, preferred } = narrowToProvider(matches, preference);
  // `anthropic/claude-opus-5` may be the name of one model and also the id of another, at a provider that resells it.
  const named = candidates.find((m) => equalsIgnoringCase(getModelName(m), name));
  if (named) return named;
  const [model, ...others] = pickNewestOfProviders(preferred);
  if (!model || others.length === 0) return model;
  const names = sortNewestFirst(pickNewestOfProviders(candidates)).map(getModelName);
  const some = names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES).join(', ')}, …` : names.join(', ');
  throw new Fault(
    'not_found',
    `Model not found: ${name} matches several models: ${some}. Name one of them. ${LIST_HINT}`,
  );
}

export function pickNewestOfProviders(models: readonly Model[]): Model[] {
  const providers = [...new Set(models.map(({ provider }) => provider))];
  return providers.flatMap((id) => pickNewestOfSeries(models.filter(({ provider }) => provider === id)));
}

/**
 * `preferred`: of several providers that match, those with a key; of these the one that the settings name; of the others those
 * that are used without being named. Without any key the first one, whose requests fail with the name of the missing key.
 */
function narrowToProvider(
  matches: readonly Model[],
  { hasCredential = () => false, provider: configured, hasKeyOfUnknownProvider = false }: ProviderPreference,
): { candidates: readonly Model[]; preferred: readonly Model[] } {
  if (hasKeyOfUnknownProvider) {
    const reachable = preferOf(matches, ({ baseUrl }) => baseUrl !== '');
    return { candidates: reachable, preferred: reachable };
  }
  const candidates = preferOf(matches, ({ provider }) => hasCredential(provider));
  const isConfigured = ({ provider }: Model) => equalsIgnoringCase(provider, configured);
  const isAutomatic = ({ provider }: Model) =>
    DEFAULT_MODELS.has(provider) || SELF_LISTING_PROVIDERS.includes(provider) || !findProvider(provider);
  const preferred = candidates.some(isConfigured) ? candidates.filter(isConfigured) : preferOf(candidates, isAutomatic);
  const [first] = preferred;
  if (!first || hasCredential(first.provider)) return { candidates, preferred };
  return { candidates, preferred: preferred.filter(({ provider }) => provider === first.provider) };
}

/** The accepted ones, or all when none is accepted. */
function preferOf(models: readonly Model[], isPreferred: (model: Model) => boolean): readonly Model[] {
  const accepted = models.filter(isPreferred);
  return accepted.length > 0 ? accepted : models;
}
