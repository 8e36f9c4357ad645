// First floor, llm: a model of the catalogue as it is written, and how it becomes a whole one. Pure.
import { type Model, THINKING_LEVELS, type ThinkingLevel } from '../../protocol/index.ts';
import type { Provider } from '../providers/providers.ts';

/** Prices are US dollars for a million tokens. */
export type CatalogueRow = readonly [
  id: string,
  name: string,
  sees: 0 | 1,
  /** A letter for each level; `*` for the usual ones; empty when it does not think. */
  levels: string,
  contextWindow: number,
  maxTokens: number,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
];

/** One letter for each of THINKING_LEVELS. */
const LETTERS = 'onlmhx';

/** `baseUrl` is the one in force, which the environment may have moved. */
export function modelOf(row: CatalogueRow, { id: provider, api }: Provider, baseUrl: string): Model {
  const [id, name, sees, levels, contextWindow, maxTokens, input, output, cacheRead, cacheWrite] = row;
  return {
    id,
    name,
    api,
    provider,
    baseUrl,
    reasoning: levels !== '',
    input: sees ? ['text', 'image'] : ['text'],
    contextWindow,
    maxTokens,
    cost: { input, output, cacheRead, cacheWrite },
    ...(levels === '' || levels === '*' ? {} : { thinkingLevels: [...levels].map(levelOf) }),
  };
}

function levelOf(letter: string): ThinkingLevel {
  return THINKING_LEVELS[LETTERS.indexOf(letter)] as ThinkingLevel;
}
