// Finds the models that a name or pattern stands for, without choosing between providers.
import { type Model, THINKING_LEVELS, type ThinkingLevel } from '../protocol/index.ts';
import { findDefaultModel } from './default-models.ts';

/** A name with a thinking level, as in `sonnet:high`. */
export interface LeveledName {
  readonly name: string;
  readonly level: ThinkingLevel;
}

/** `undefined` when the text after the last colon is no thinking level: `:free` and `:8b` are parts of ids. */
export function splitThinkingLevel(text: string): LeveledName | undefined {
  const colon = text.lastIndexOf(':');
  const level = THINKING_LEVELS.find((candidate) => candidate === text.slice(colon + 1));
  return colon > 0 && level ? { name: text.slice(0, colon), level } : undefined;
}

/** The models that the most exact rule matches. An exact name or id comes before a part of one. */
export function matchModels(models: readonly Model[], name: string): readonly Model[] {
  const matchers: ((model: Model) => boolean)[] = [
    (m) => getModelName(m) === name || m.id === name,
    (m) => equalsIgnoringCase(getModelName(m), name) || equalsIgnoringCase(m.id, name),
    createPartMatcher(name),
    (m) => includesIgnoringCase(m.id, name) || includesIgnoringCase(m.name, name),
    // Last, because every model of `ollama` would be a `llama`.
    (m) => includesIgnoringCase(getModelName(m), name),
  ];
  const [exact, byCasing, ...parts] = matchers.map((matches) => models.filter(matches));
  const provider = pickDefaultModel(models.filter((m) => equalsIgnoringCase(m.provider, name)));
  return [exact, byCasing, provider, ...parts].find((found) => found && found.length > 0) ?? [];
}

/** `anthropic/sonnet-5`: a part of an id or a name of that provider. */
function createPartMatcher(name: string): (model: Model) => boolean {
  return ({ provider, id, name: displayName }) => {
    const part = removeProvider(name, provider);
    return part !== undefined && (includesIgnoringCase(id, part) || includesIgnoringCase(displayName, part));
  };
}

/** The text after `provider/`; `undefined` when the name does not start with it. */
export function removeProvider(name: string, provider: string): string | undefined {
  const isPrefixed = name.length > provider.length + 1 && name.toLowerCase().startsWith(`${provider.toLowerCase()}/`);
  return isPrefixed ? name.slice(provider.length + 1) : undefined;
}

/** The default model of the provider of these models, or the first model. */
export function pickDefaultModel(models: readonly Model[]): readonly Model[] {
  const [first] = models;
  return first ? [models.find(({ id }) => id === findDefaultModel(first.provider)) ?? first] : [];
}

export function getModelName(model: Model): string {
  return `${model.provider}/${model.id}`;
}

export function equalsIgnoringCase(a: string, b: string | undefined): boolean {
  return a.toLowerCase() === b?.toLowerCase();
}

function includesIgnoringCase(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
