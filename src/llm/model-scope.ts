// Filters models by the patterns of --models.
import { type Model, THINKING_LEVELS } from '../protocol/index.ts';
import { compileGlob } from '../support/glob.ts';

const LEVEL_SUFFIX = new RegExp(`:(${THINKING_LEVELS.join('|')})$`);

/** In the order of the patterns, each model once. A pattern is part of `provider/id` or of the name, or a glob. */
export function filterByPatterns(models: readonly Model[], patterns: readonly string[]): Model[] {
  const found = patterns.flatMap((pattern) => {
    const matches = createMatcher(pattern.replace(LEVEL_SUFFIX, ''));
    return models.filter(matches);
  });
  return [...new Set(found)];
}

/** Patterns that match only the offline model. Other patterns include it only when no other model is usable. */
const OFFLINE_PATTERN = /^(parley|offline|parley\/offline|parley\/\*)$/i;

export function resolveModelScope(usable: readonly Model[], patterns: readonly string[], offline: Model): Model[] {
  const includesOffline = patterns.some((pattern) => OFFLINE_PATTERN.test(pattern.replace(LEVEL_SUFFIX, '')));
  return filterByPatterns(includesOffline ? [...new Set([...usable, offline])] : usable, patterns);
}

function createMatcher(pattern: string): (model: Model) => boolean {
  const lowerCase = pattern.toLowerCase();
  if (/[*?]/.test(pattern)) {
    const matches = compileOrMatchNone(lowerCase);
    return ({ provider, id }) => matches(`${provider}/${id}`.toLowerCase()) || matches(id.toLowerCase());
  }
  return ({ provider, id, name }) => `${provider}/${id} ${name}`.toLowerCase().includes(lowerCase);
}

/** The caller reports a pattern that matches no model. */
function compileOrMatchNone(glob: string): (text: string) => boolean {
  try {
    return compileGlob(glob, { isSlashOrdinary: true });
  } catch {
    return () => false;
  }
}
