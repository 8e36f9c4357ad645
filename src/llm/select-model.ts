// Selects the model that a flag or a setting names.
import { Fault } from '../base/index.ts';
import type { Model } from '../protocol/index.ts';
import { findDefaultModel } from './default-models.ts';

export interface RequestedModel {
  provider?: string | undefined;
  model?: string | undefined;
}

const LIST_HINT = 'List the models with --list-models.';

/**
 * The requested model. No other model replaces it: an unknown name throws. When several models match, those that
 * `isPreferred` accepts come first.
 */
export function selectModel(
  models: readonly Model[],
  requested: RequestedModel,
  isPreferred: (model: Model) => boolean = () => false,
): Model {
  const ofProvider = requested.provider
    ? models.filter((m) => equalsIgnoringCase(m.provider, requested.provider))
    : models;
  const found = requested.model ? findCandidates(ofProvider, requested.model) : pickDefaultModel(ofProvider);
  const preferred = found.length > 1 ? found.filter(isPreferred) : [];
  const [model, ...others] = preferred.length > 0 ? preferred : found;
  const requestedName = [requested.provider, requested.model].filter(Boolean).join('/');
  if (!model) throw new Fault('not_found', `Model not found: ${requestedName}. ${LIST_HINT}`);
  // The same model id from several providers: use the first.
  if (others.every(({ id }) => id === model.id)) return model;
  const names = [model, ...others].map(getModelName);
  const some = names.length > 5 ? `${names.slice(0, 5).join(', ')}, …` : names.join(', ');
  throw new Fault('not_found', `Model not found: ${requestedName} matches several models: ${some}. ${LIST_HINT}`);
}

function pickDefaultModel(models: readonly Model[]): readonly Model[] {
  const [first] = models;
  return first ? [models.find(({ id }) => id === findDefaultModel(first.provider)) ?? first] : [];
}

/** The matches of the most exact rule that matches anything. More than one result means that the name is ambiguous. */
function findCandidates(models: readonly Model[], name: string): readonly Model[] {
  const matchers: ((model: Model) => boolean)[] = [
    (m) => getModelName(m) === name,
    (m) => m.id === name,
    (m) => equalsIgnoringCase(getModelName(m), name) || equalsIgnoringCase(m.id, name),
    (m) => includesIgnoringCase(m.id, name) || includesIgnoringCase(m.name, name),
    // Last, because every model of `ollama` would be a `llama`.
    (m) => includesIgnoringCase(getModelName(m), name),
  ];
  const [exact, byId, byCasing, ...parts] = matchers.map((matches) => models.filter(matches));
  const provider = pickDefaultModel(models.filter((m) => equalsIgnoringCase(m.provider, name)));
  return [exact, byId, byCasing, provider, ...parts].find((found) => found && found.length > 0) ?? [];
}

function getModelName(model: Model): string {
  return `${model.provider}/${model.id}`;
}

function equalsIgnoringCase(a: string, b: string | undefined): boolean {
  return a.toLowerCase() === b?.toLowerCase();
}

function includesIgnoringCase(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
