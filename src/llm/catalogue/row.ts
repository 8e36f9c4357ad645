// Compact format of catalogue rows, and their conversion to models.
import { type Model, THINKING_LEVELS, type ThinkingLevel } from '../../protocol/index.ts';
import type { Provider } from '../providers/providers.ts';

/** Prices are in US dollars per million tokens. */
export type CatalogueRow = readonly [
  id: string,
  name: string,
  vision: 0 | 1,
  /** A letter for each level; `*` for the default levels; empty if the model does not think. */
  levels: string,
  contextWindow: number,
  maxTokens: number,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
];

/** One letter for each of THINKING_LEVELS. */
const LEVEL_LETTERS = 'onlmhx';

/** `baseUrl` is the effective base URL, after the environment. */
export function rowToModel(row: CatalogueRow, { id: provider, api }: Provider, baseUrl: string): Model {
  const [id, name, vision, levels, contextWindow, maxTokens, input, output, cacheRead, cacheWrite] = row;
  return {
    id,
    name,
    api,
    provider,
    baseUrl,
    reasoning: levels !== '',
    input: vision ? ['text', 'image'] : ['text'],
    contextWindow,
    maxTokens,
    cost: { input, output, cacheRead, cacheWrite },
    ...(levels === '' || levels === '*' ? {} : { thinkingLevels: [...levels].map(letterToLevel) }),
  };
}

function letterToLevel(letter: string): ThinkingLevel {
  return THINKING_LEVELS[LEVEL_LETTERS.indexOf(letter)] as ThinkingLevel;
}
