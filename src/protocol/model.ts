// Schema of a model, and its thinking levels.
import { array, boolean, type InferOutput, number, object, optional, picklist, record, string } from 'valibot';

export const THINKING_LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

export const thinkingLevel = picklist(THINKING_LEVELS);
export type ThinkingLevel = InferOutput<typeof thinkingLevel>;

export const model = object({
  id: string(),
  name: string(),
  /** The wire format of its API, for example `anthropic-messages`. */
  api: string(),
  provider: string(),
  baseUrl: string(),
  reasoning: boolean(),
  input: array(picklist(['text', 'image'])),
  contextWindow: number(),
  maxTokens: number(),
  /** US dollars for a million tokens. */
  cost: object({ input: number(), output: number(), cacheRead: number(), cacheWrite: number() }),
  /** The supported thinking levels, when they differ from the default ones for its `reasoning` flag. */
  thinkingLevels: optional(array(thinkingLevel)),
  headers: optional(record(string(), string())),
});

export type Model = InferOutput<typeof model>;

/** The levels that `set_thinking_level` accepts for a model. `xhigh` only when the model lists it. */
export function getThinkingLevels(forModel: Model | null): readonly ThinkingLevel[] {
  if (!forModel?.reasoning) return ['off'];
  return forModel.thinkingLevels ?? ['off', 'minimal', 'low', 'medium', 'high'];
}

/** The nearest level that the model supports: the next higher one, otherwise the highest lower one. */
export function clampThinkingLevel(level: ThinkingLevel, forModel: Model | null): ThinkingLevel {
  const levels = getThinkingLevels(forModel);
  if (levels.includes(level)) return level;
  const requestedIndex = THINKING_LEVELS.indexOf(level);
  const above = THINKING_LEVELS.slice(requestedIndex).find((l) => levels.includes(l));
  return above ?? THINKING_LEVELS.slice(0, requestedIndex).findLast((l) => levels.includes(l)) ?? 'off';
}
