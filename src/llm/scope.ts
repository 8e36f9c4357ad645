// First floor, llm: the models that a list of patterns means. Pure; knows no credentials.
import { type Model, THINKING_LEVELS } from '../protocol/index.ts';

const LEVEL = new RegExp(`:(${THINKING_LEVELS.join('|')})$`);

/** In the order of the patterns, each model once. A pattern is a part of `provider/id` or of the name, or a glob. */
export function inScope(models: readonly Model[], patterns: readonly string[]): Model[] {
  const found = patterns.flatMap((pattern) => {
    const matches = matcher(pattern.replace(LEVEL, ''));
    return models.filter(matches);
  });
  return [...new Set(found)];
}

/** Patterns that name the offline model and nothing else. It is in no other scope where another model can be used. */
const OFFLINE_PATTERN = /^(parley|offline|parley\/offline|parley\/\*)$/i;

export function scopeOf(usable: readonly Model[], patterns: readonly string[], offline: Model): Model[] {
  const named = patterns.some((pattern) => OFFLINE_PATTERN.test(pattern.replace(LEVEL, '')));
  return inScope(named ? [...new Set([...usable, offline])] : usable, patterns);
}

function matcher(pattern: string): (model: Model) => boolean {
  if (/[*?]/.test(pattern)) {
    const glob = pattern.toLowerCase();
    return ({ provider, id }) => fits(glob, `${provider}/${id}`.toLowerCase()) || fits(glob, id.toLowerCase());
  }
  const part = pattern.toLowerCase();
  return ({ provider, id, name }) => `${provider}/${id} ${name}`.toLowerCase().includes(part);
}

/** `*` is any text, `?` any character. Only the last star is ever tried again, so the time is at most the product of the lengths. */
function fits(glob: string, text: string): boolean {
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
