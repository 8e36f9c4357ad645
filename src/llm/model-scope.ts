// Filters models by the patterns of --models.
import { type Model, THINKING_LEVELS } from '../protocol/index.ts';

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
  if (/[*?]/.test(pattern)) {
    const glob = pattern.toLowerCase();
    return ({ provider, id }) =>
      matchesGlob(glob, `${provider}/${id}`.toLowerCase()) || matchesGlob(glob, id.toLowerCase());
  }
  const part = pattern.toLowerCase();
  return ({ provider, id, name }) => `${provider}/${id} ${name}`.toLowerCase().includes(part);
}

/** `*` matches any text, `?` any character. Backtracks to the last star only, so the time is at most the product of the lengths. */
function matchesGlob(glob: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let from = 0;
  for (let i = 0; i < text.length; ) {
    if (glob[at] === '*') {
      star = at;
      from = i;
      at += 1;
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[i])) {
      at += 1;
      i += 1;
    } else if (star >= 0) {
      from += 1;
      i = from;
      at = star + 1;
    } else return false;
  }
  while (glob[at] === '*') at += 1;
  return at === glob.length;
}
