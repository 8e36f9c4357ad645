// Describes a model that is not in the list of its provider, with the limits and prices of the nearest model of its series.
import { getOwnValue } from '../base/index.ts';
import type { Model } from '../protocol/index.ts';
import { applyModelOverride, buildCustomModels } from './custom-models.ts';
import { compareVersions, type ModelIdParts, parseModelId } from './model-id.ts';
import type { CustomProvider } from './models-file.ts';

export interface AssumedModel {
  readonly model: Model;
  /** What is assumed, and how to declare it. `undefined` when models.json describes the model. */
  readonly notice?: string | undefined;
}

interface AssumedModelContext {
  readonly provider: string;
  readonly id: string;
  readonly endpoint: Pick<Model, 'api' | 'baseUrl'>;
  /** The known models of the provider. */
  readonly models: readonly Model[];
  /** What models.json says about the provider. */
  readonly entry: CustomProvider | undefined;
  /** Of models.json. */
  readonly path: string;
}

/** Limits of models that are older than every known model of their series. Many of these reject a higher limit. */
const OLD_MODEL_LIMITS = { contextWindow: 128_000, maxTokens: 8_192 };
const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function deriveModel(context: AssumedModelContext): AssumedModel {
  const { provider, id, endpoint, models, entry } = context;
  const nearest = findNearestModel(id, models);
  const [fallback] = buildCustomModels(provider, { models: [{ id }] }, endpoint) as [Model];
  const base = nearest ? { ...toOldModel(nearest), id, name: id } : fallback;
  // OpenRouter offers some models for free under a second id.
  const priced = id.endsWith(':free') ? { ...base, cost: NO_COST } : base;
  const override = getOwnValue(entry?.modelOverrides ?? {}, id);
  if (override) return { model: applyModelOverride(priced, override) };
  return { model: priced, notice: createNotice(context, priced, nearest?.model) };
}

function toOldModel({ model, isNewer }: NearestModel): Model {
  if (!isNewer) return model;
  const contextWindow = Math.min(model.contextWindow, OLD_MODEL_LIMITS.contextWindow);
  return {
    ...model,
    contextWindow,
    maxTokens: Math.min(model.maxTokens, OLD_MODEL_LIMITS.maxTokens),
    reasoning: false,
  };
}

interface NearestModel {
  readonly model: Model;
  /** Every known model of the series is newer than the requested one. */
  readonly isNewer: boolean;
}

/** `undefined` when no model has the series name in common, as with the name of an Azure deployment. */
function findNearestModel(id: string, models: readonly Model[]): NearestModel | undefined {
  const { words, version } = parseModelId(id);
  const related = models
    .map((model) => ({ model, ...parseModelId(model.id) }))
    .filter((candidate) => candidate.words[0] !== undefined && words.includes(candidate.words[0]));
  const countShared = (other: ModelIdParts) => other.words.filter((word) => words.includes(word)).length;
  const countExtra = (other: ModelIdParts) => other.words.length - countShared(other);
  const isOlder = (other: ModelIdParts) => compareVersions(other.version, version) <= 0;
  const [nearest] = related.sort(
    (a, b) =>
      countShared(b) - countShared(a) ||
      countExtra(a) - countExtra(b) ||
      Number(isOlder(b)) - Number(isOlder(a)) ||
      // Of older models the newest is nearest, of newer models the oldest.
      compareVersions(b.version, a.version) * (isOlder(a) || version.length === 0 ? 1 : -1),
  );
  return nearest && { model: nearest.model, isNewer: version.length > 0 && !isOlder(nearest) };
}

function createNotice({ provider, id, path }: AssumedModelContext, model: Model, nearest: Model | undefined): string {
  const { reasoning, thinkingLevels, input, contextWindow, maxTokens, cost } = model;
  const source = nearest ? `taken from ${provider}/${nearest.id}` : 'the defaults for unknown models';
  const declared = { id, reasoning, thinkingLevels, input, contextWindow, maxTokens, cost };
  return (
    `The model ${provider}/${id} is not in the list of models. Its limits and prices are assumed (${source}): ` +
    `${contextWindow} tokens of context, ${maxTokens} tokens of output. To declare them, add this to ${path}: ` +
    JSON.stringify({ providers: { [provider]: { models: [declared] } } })
  );
}
