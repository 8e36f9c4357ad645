// Resolves the patterns of --models: globs, names and parts of names, each with an optional thinking level.
import { type Model, THINKING_LEVELS } from '../protocol/index.ts';
import { compileGlob } from '../support/glob.ts';
import { equalsIgnoringCase, getModelName, matchModels, splitThinkingLevel } from './match-model.ts';
import { pickNewestOfProviders, type SelectedModel } from './select-model.ts';

export type ScopedModel = SelectedModel;

export interface ModelScope {
  /** In the order of the patterns, each model once. */
  readonly scope: readonly ScopedModel[];
  /** One sentence for each pattern that matches nothing, or not what the user may expect. */
  readonly problems: readonly string[];
}

/** Patterns that match only the offline model. Other patterns include it only when no other model is usable. */
const OFFLINE_PATTERN = /^(parley|offline|parley\/offline|parley\/\*)$/i;

export function resolveModelScope(usable: readonly Model[], patterns: readonly string[], offline: Model): ModelScope {
  const includesOffline = patterns.some((pattern) =>
    OFFLINE_PATTERN.test(splitThinkingLevel(pattern)?.name ?? pattern),
  );
  const models = includesOffline ? [...new Set([...usable, offline])] : usable;
  const scope = new Map<Model, ScopedModel>();
  const problems: string[] = [];
  for (const pattern of patterns) {
    const { found, problem } = resolvePattern(models, pattern);
    if (problem) problems.push(problem);
    for (const scoped of found) if (!scope.has(scoped.model)) scope.set(scoped.model, scoped);
  }
  return { scope: [...scope.values()], problems };
}

interface PatternMatch {
  readonly found: readonly ScopedModel[];
  readonly problem?: string | undefined;
}

function resolvePattern(models: readonly Model[], pattern: string): PatternMatch {
  const whole = matchPattern(models, pattern);
  const leveled = splitThinkingLevel(pattern);
  const matches = whole.length > 0 || !leveled ? whole : matchPattern(models, leveled.name);
  const level = whole.length === 0 && leveled ? { thinkingLevel: leveled.level } : {};
  const found = matches.map((model) => ({ model, ...level }));
  if (found.length > 0) return { found, problem: describeAmbiguity(pattern, leveled?.name ?? pattern, matches) };
  const colon = pattern.lastIndexOf(':');
  const withoutSuffix = colon > 0 ? matchPattern(models, pattern.slice(0, colon)) : [];
  if (withoutSuffix.length === 0)
    return {
      found,
      problem: `No usable model matches --models ${pattern}. List the usable models with \`parley models\``,
    };
  const levels = THINKING_LEVELS.join(', ');
  const problem = `Invalid thinking level "${pattern.slice(colon + 1)}" in --models ${pattern}: use ${levels}. The default level is used.`;
  return { found: withoutSuffix.map((model) => ({ model })), problem };
}

/** A glob and the name of a provider stand for all their matches, another pattern for the newest model that it matches. */
function matchPattern(models: readonly Model[], pattern: string): readonly Model[] {
  if (isGlob(pattern)) {
    // Ids may contain brackets.
    const exact = models.filter((model) => [model.id, getModelName(model)].includes(pattern));
    return exact.length > 0 ? exact : models.filter(createGlobMatcher(pattern.toLowerCase()));
  }
  const ofProvider = models.filter(({ provider }) => equalsIgnoringCase(provider, pattern));
  if (ofProvider.length > 0) return ofProvider;
  const matches = matchModels(models, pattern);
  const named = matches.filter((model) => equalsIgnoringCase(getModelName(model), pattern));
  return named.length > 0 ? named : pickNewestOfProviders(matches);
}

function isGlob(pattern: string): boolean {
  return /[*?[]/.test(pattern);
}

/** The caller reports a pattern that matches no model, also when it is no valid glob. */
function createGlobMatcher(glob: string): (model: Model) => boolean {
  try {
    const matches = compileGlob(glob, { isSlashOrdinary: true });
    return (model) => matches(getModelName(model).toLowerCase()) || matches(model.id.toLowerCase());
  } catch {
    return () => false;
  }
}

function describeAmbiguity(pattern: string, name: string, matches: readonly Model[]): string | undefined {
  const isIntended = isGlob(name) || matches.every(({ provider }) => equalsIgnoringCase(provider, name));
  if (isIntended || matches.length === 1) return undefined;
  return `--models ${pattern} matches several models: ${matches.map(getModelName).join(', ')}. Name the provider and the model to choose one.`;
}
