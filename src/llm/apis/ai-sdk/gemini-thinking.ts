// First floor, llm: how hard each Gemini is told to think, and the room its answer needs for it. Pure; a table of models.
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Model, ThinkingLevel } from '../../../protocol/index.ts';
import type { CallPlan } from './format.ts';

type Asked = Pick<ApiRequest, 'model' | 'thinkingLevel' | 'maxTokens'>;
type Config = { includeThoughts: boolean } & ({ thinkingBudget: number } | { thinkingLevel: SdkLevel });
type SdkLevel = 'minimal' | 'low' | 'medium' | 'high';

/** Also the room that levels are given, which say nothing of tokens. The highest is what the smaller ones take. */
const BUDGETS: Record<Exclude<ThinkingLevel, 'off'>, number> = {
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
};
/** The pro model cannot stop; this is the least it takes. */
const PRO_LEAST = 128;

export function planThinking(asked: Asked, options: 'google' | 'vertex'): CallPlan {
  const { model, maxTokens } = asked;
  const config = model.reasoning ? configOf(asked) : undefined;
  const room = config ? ('thinkingBudget' in config ? config.thinkingBudget : BUDGETS[config.thinkingLevel]) : 0;
  return {
    // Thinking counts too, so what was asked for the answer grows by it, as far as the model goes.
    ...(maxTokens === undefined ? {} : { maxOutputTokens: Math.min(model.maxTokens, maxTokens + room) }),
    ...(config ? { providerOptions: { [options]: { thinkingConfig: config } } } : {}),
    remembers: true,
  };
}

function configOf({ model, thinkingLevel: level }: Asked): Config {
  const includeThoughts = level !== 'off';
  if (!/gemini-2\.5/.test(model.id)) return { includeThoughts, thinkingLevel: levelFor(model, level) };
  if (level !== 'off') return { includeThoughts, thinkingBudget: BUDGETS[level] };
  return { includeThoughts, thinkingBudget: /-pro/.test(model.id) ? PRO_LEAST : 0 };
}

/** They cannot stop either, and not all of them have the least level; all that are known have the next. */
function levelFor({ id, thinkingLevels = [] }: Model, level: ThinkingLevel): SdkLevel {
  if (level === 'xhigh') return 'high';
  if (level !== 'off' && level !== 'minimal') return level;
  return thinkingLevels.includes('minimal') || /gemma/.test(id) ? 'minimal' : 'low';
}
