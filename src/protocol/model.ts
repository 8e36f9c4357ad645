// Ground floor: a model as hosts see it, and how hard it is asked to think.
import { array, boolean, type InferOutput, number, object, optional, picklist, record, string } from 'valibot';

export const THINKING_LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

export const thinkingLevel = picklist(THINKING_LEVELS);
export type ThinkingLevel = InferOutput<typeof thinkingLevel>;

export const model = object({
  id: string(),
  name: string(),
  /** The wire format it is reached by, for example `anthropic-messages`. */
  api: string(),
  provider: string(),
  baseUrl: string(),
  reasoning: boolean(),
  input: array(picklist(['text', 'image'])),
  contextWindow: number(),
  maxTokens: number(),
  /** US dollars for a million tokens. */
  cost: object({ input: number(), output: number(), cacheRead: number(), cacheWrite: number() }),
  /** The levels it understands, when they are not the usual ones for its `reasoning` flag. */
  thinkingLevels: optional(array(thinkingLevel)),
  headers: optional(record(string(), string())),
});

export type Model = InferOutput<typeof model>;

/** What `set_thinking_level` may choose for a model. `xhigh` only where the model says so. */
export function levelsOf(of: Model | null): readonly ThinkingLevel[] {
  if (!of?.reasoning) return ['off'];
  return of.thinkingLevels ?? ['off', 'minimal', 'low', 'medium', 'high'];
}

/** The nearest level the model has: the next one up, otherwise the highest below. */
export function clampLevel(level: ThinkingLevel, of: Model | null): ThinkingLevel {
  const levels = levelsOf(of);
  if (levels.includes(level)) return level;
  const wanted = THINKING_LEVELS.indexOf(level);
  const above = THINKING_LEVELS.slice(wanted).find((l) => levels.includes(l));
  return above ?? THINKING_LEVELS.slice(0, wanted).findLast((l) => levels.includes(l)) ?? 'off';
}
