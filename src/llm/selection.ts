// First floor, llm: which model is meant by the words of a flag or a setting. Pure; knows no credentials.
import { Fault } from '../base/index.ts';
import type { Model } from '../protocol/index.ts';

export interface WantedModel {
  provider?: string | undefined;
  model?: string | undefined;
}

const WAY_OUT = 'List the models with --list-models.';

/** The model that was asked for. Another one never stands in for it: what cannot be found is refused by name. */
export function selectModel(catalogue: readonly Model[], wanted: WantedModel): Model {
  const ofProvider = wanted.provider ? catalogue.filter((m) => same(m.provider, wanted.provider)) : catalogue;
  const [model, ...rivals] = wanted.model ? candidates(ofProvider, wanted.model) : ofProvider.slice(0, 1);
  const asked = [wanted.provider, wanted.model].filter(Boolean).join('/');
  if (!model) throw new Fault('not_found', `Model not found: ${asked}. ${WAY_OUT}`);
  if (rivals.length === 0) return model;
  const names = [model, ...rivals].map(nameOf);
  const some = names.length > 5 ? `${names.slice(0, 5).join(', ')}, …` : names.join(', ');
  throw new Fault('not_found', `Model not found: ${asked} could be any of ${some}. ${WAY_OUT}`);
}

/** The most exact kind of match that finds anything; more than one model means that the words are not enough. */
function candidates(models: readonly Model[], asked: string): readonly Model[] {
  const matchers: ((model: Model) => boolean)[] = [
    (m) => nameOf(m) === asked,
    (m) => m.id === asked,
    (m) => same(nameOf(m), asked) || same(m.id, asked),
    (m) => m === models.find((first) => same(first.provider, asked)),
    (m) => includes(nameOf(m), asked) || includes(m.name, asked),
  ];
  return matchers.map((matches) => models.filter(matches)).find((found) => found.length > 0) ?? [];
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
