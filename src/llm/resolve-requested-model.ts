// Resolves the model that flags or settings name: a known model, or any id of a known provider.
import { Fault, findClosestMatch } from '../base/index.ts';
import { type Model, THINKING_LEVELS } from '../protocol/index.ts';
import type { CredentialSnapshot } from './credentials/credentials.ts';
import type { KnownModels } from './known-models.ts';
import { getModelName, removeProvider, splitThinkingLevel } from './match-model.ts';
import { parseModelId } from './model-id.ts';
import { offlineModel } from './offline/offline-model.ts';
import { findProvider } from './providers/providers.ts';
import {
  findModel,
  formatRequested,
  LIST_HINT,
  type ProviderPreference,
  type RequestedModel,
  type SelectedModel,
} from './select-model.ts';

export interface RequestedModelContext {
  knownModels: KnownModels;
  hasCredential: CredentialSnapshot['hasCredential'];
  /** The provider of the settings. */
  configuredProvider?: string | undefined;
  hasKeyOfUnknownProvider?: boolean;
  /** Receives what is assumed about a model that is not in the list of its provider. */
  onAssumed(model: Model, notice: string | undefined): void;
}

export async function resolveRequestedModel(
  context: RequestedModelContext,
  requested: RequestedModel,
): Promise<SelectedModel> {
  const { knownModels, hasCredential, configuredProvider, hasKeyOfUnknownProvider } = context;
  const exact = await findByExactName(context, requested);
  if (exact) return { model: exact };
  const providers = [...(await knownModels.listProviders()), offlineModel.provider];
  const target = findTarget(providers, requested);
  const models = requested.provider
    ? await knownModels.listModels(target?.provider ?? '')
    : [...(await knownModels.listModelsOf(createProviderFilter(requested.model ?? ''))), offlineModel];
  const preference: ProviderPreference = { hasCredential, provider: configuredProvider, hasKeyOfUnknownProvider };
  const found = findModel(models, requested, preference);
  if (found) return found;
  const server = findProvider(target?.provider ?? '');
  if (server?.keyless && !target?.id && models.length === 0)
    throw new Fault('no_model', `${server.name} has no models yet`);
  const assumed = target?.id && (await assumeTarget(context, target.provider, target.id));
  if (assumed) return assumed;
  throw createNotFoundFault(requested, models, providers);
}

/** Finds an exact `provider/id` by listing the models of that provider only. */
async function findByExactName(
  { knownModels, hasCredential }: RequestedModelContext,
  { provider, model = '' }: RequestedModel,
): Promise<Model | undefined> {
  const [owner = '', ...rest] = provider ? [provider, model] : model.split('/');
  const knownProvider = findProvider(owner);
  if (!knownProvider || knownProvider.keyless || rest.join('/') === '') return undefined;
  // Without a key for it, the text may be meant as an id of a provider that resells the model.
  if (!provider && !hasCredential(owner)) return undefined;
  return (await knownModels.listModels(owner).catch(() => [])).find(({ id }) => id === rest.join('/'));
}

/** Servers without a key are asked for their models only when the user names them. */
function createProviderFilter(model: string): (provider: string) => boolean {
  return (id) => !findProvider(id)?.keyless || model.toLowerCase().startsWith(`${id}/`);
}

/** The provider and the id that a name stands for. Throws for an unknown provider that is named separately. */
function findTarget(
  providers: readonly string[],
  { provider, model = '' }: RequestedModel,
): { provider: string; id: string } | undefined {
  const named = provider?.toLowerCase();
  // ARNs are names of Bedrock.
  const implied = model.startsWith('arn:aws') ? 'amazon-bedrock' : undefined;
  const target =
    providers.find((id) => id === provider) ??
    providers.find((id) => (named ? id.toLowerCase() === named : removeProvider(model, id) !== undefined)) ??
    (provider === undefined ? implied : undefined);
  if (target !== undefined) return { provider: target, id: toModelId(target, model) };
  if (provider === undefined) return undefined;
  throw new Fault(
    'not_found',
    `Unknown provider: ${provider}${formatSuggestion(findClosestMatch(provider.toLowerCase(), providers))}. ` +
      `Known providers: ${providers.join(', ')}. Others are declared in models.json.`,
  );
}

/** `openrouter/auto` is itself an id of OpenRouter: all its ids have a slash. */
function toModelId(provider: string, name: string): string {
  const id = removeProvider(name, provider) ?? name;
  return provider === 'openrouter' && !id.includes('/') && id !== '' ? `openrouter/${id}` : id;
}

async function assumeTarget(
  { knownModels, onAssumed }: RequestedModelContext,
  provider: string,
  text: string,
): Promise<SelectedModel | undefined> {
  const leveled = splitThinkingLevel(text);
  const id = leveled?.name ?? text;
  await refuseMistypedLevel(knownModels, provider, id);
  const assumed = await knownModels.assumeModel(provider, id);
  if (!assumed) return undefined;
  const thinkingLevel = leveled?.level;
  // A user who asks for thinking knows that the model can think.
  const model = thinkingLevel && thinkingLevel !== 'off' ? { ...assumed.model, reasoning: true } : assumed.model;
  onAssumed(model, assumed.notice);
  return { model, ...(thinkingLevel ? { thinkingLevel } : {}) };
}

/** The ids of these providers have no colons, so a text after one can only be a thinking level. */
const PROVIDERS_WITHOUT_COLONS: ReadonlySet<string> = new Set(
  'anthropic google google-vertex xai deepseek mistral moonshot zai minimax groq cerebras together fireworks'.split(
    ' ',
  ),
);

async function refuseMistypedLevel(knownModels: KnownModels, provider: string, id: string): Promise<void> {
  const colon = id.lastIndexOf(':');
  if (colon < 1 || !PROVIDERS_WITHOUT_COLONS.has(provider)) return;
  const isKnown = (await knownModels.listModels(provider)).some((model) => model.id === id.slice(0, colon));
  if (isKnown)
    throw new Fault('not_found', `Model not found: ${provider}/${id}. ${describeLevels(id.slice(colon + 1))}`);
}

function describeLevels(suffix: string): string {
  return `"${suffix}" is not a thinking level: use ${THINKING_LEVELS.join(', ')}.`;
}

function createNotFoundFault(requested: RequestedModel, models: readonly Model[], providers: readonly string[]): Fault {
  const { model: name = '' } = requested;
  const text = `Model not found: ${formatRequested(requested)}`;
  const colon = name.lastIndexOf(':');
  const withoutSuffix = colon > 0 && models.some((m) => [m.id, getModelName(m)].includes(name.slice(0, colon)));
  if (withoutSuffix) return new Fault('not_found', `${text}. ${describeLevels(name.slice(colon + 1))}`);
  const [prefix = '', ...rest] = name.split('/');
  const provider = rest.length > 0 ? findClosestMatch(prefix.toLowerCase(), providers) : undefined;
  const suggestion = provider
    ? [provider, ...rest].join('/')
    : findClosestMatch(name, [...new Set(models.flatMap((m) => [m.id, getModelName(m), ...parseModelId(m.id).words]))]);
  return new Fault('not_found', `${text}${formatSuggestion(suggestion)}. ${LIST_HINT}`);
}

function formatSuggestion(suggestion: string | undefined): string {
  return suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
}
