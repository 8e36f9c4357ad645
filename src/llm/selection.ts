// First floor, llm: which model is meant by the words of a flag or a setting. Pure; knows no credentials.
import { Fault } from '../base/index.ts';
import type { Model } from '../protocol/index.ts';
import { defaultModelOf } from './defaults.ts';

export interface WantedModel {
  provider?: string | undefined;
  model?: string | undefined;
}

const WAY_OUT = 'List the models with --list-models.';

/**
 * The model that was asked for. Another one never stands in for it: what cannot be found is refused by name. Where the
 * words fit several, those that `prefers` likes come first.
 */
export function selectModel(
  models: readonly Model[],
  wanted: WantedModel,
  prefers: (model: Model) => boolean = () => false,
): Model {
  const ofProvider = wanted.provider ? models.filter((m) => same(m.provider, wanted.provider)) : models;
  const found = wanted.model ? candidates(ofProvider, wanted.model) : firstOf(ofProvider);
  const liked = found.length > 1 ? found.filter(prefers) : [];
  const [model, ...rivals] = liked.length > 0 ? liked : found;
  const asked = [wanted.provider, wanted.model].filter(Boolean).join('/');
  if (!model) throw new Fault('not_found', `Model not found: ${asked}. ${WAY_OUT}`);
  // The same model of several providers: the first of them is meant.
  if (rivals.every(({ id }) => id === model.id)) return model;
  const names = [model, ...rivals].map(nameOf);
  const some = names.length > 5 ? `${names.slice(0, 5).join(', ')}, …` : names.join(', ');
  throw new Fault('not_found', `Model not found: ${asked} could be any of ${some}. ${WAY_OUT}`);
}

function firstOf(models: readonly Model[]): readonly Model[] {
  const [first] = models;
  return first ? [models.find(({ id }) => id === defaultModelOf(first.provider)) ?? first] : [];
}

/** The most exact kind of match that finds anything; more than one model means that the words are not enough. */
function candidates(models: readonly Model[], asked: string): readonly Model[] {
  const matchers: ((model: Model) => boolean)[] = [
    (m) => nameOf(m) === asked,
    (m) => m.id === asked,
    (m) => same(nameOf(m), asked) || same(m.id, asked),
    (m) => includes(m.id, asked) || includes(m.name, asked),
    // Last, because every model of `ollama` would be a `llama`.
    (m) => includes(nameOf(m), asked),
  ];
  const [exact, byId, spelled, ...parts] = matchers.map((matches) => models.filter(matches));
  const provider = firstOf(models.filter((m) => same(m.provider, asked)));
  return [exact, byId, spelled, provider, ...parts].find((found) => found && found.length > 0) ?? [];
}

function nameOf(model: Model): string {
  return `${model.provider}/${model.id}`;
}

function same(a: string, b: string | undefined): boolean {
  return a.toLowerCase() === b?.toLowerCase();
}

function includes(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
