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

function matcher(pattern: string): (model: Model) => boolean {
  if (/[*?]/.test(pattern)) {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    const glob = new RegExp(`^${source}$`, 'i');
    return ({ provider, id }) => glob.test(`${provider}/${id}`) || glob.test(id);
  }
  const part = pattern.toLowerCase();
  return ({ provider, id, name }) => `${provider}/${id} ${name}`.toLowerCase().includes(part);
}
