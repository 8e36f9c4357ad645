// Thinking options of the Gemini models, and the output tokens they need.
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Model, ThinkingLevel } from '../../../protocol/index.ts';
import type { CallPlan } from './sdk-format.ts';

type ThinkingRequest = Pick<ApiRequest, 'model' | 'thinkingLevel' | 'maxTokens'>;
type ThinkingConfig = { includeThoughts: boolean } & ({ thinkingBudget: number } | { thinkingLevel: GeminiLevel });
type GeminiLevel = 'minimal' | 'low' | 'medium' | 'high';

/** Thinking tokens per level, also reserved for models that take a level name. 24,576 is the maximum of the smaller models. */
const BUDGETS: Record<Exclude<ThinkingLevel, 'off'>, number> = {
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
};
/** Thinking of the 2.5 Pro model cannot be disabled; this is its minimum budget. */
const PRO_MIN_BUDGET = 128;

export function planGeminiCall(request: ThinkingRequest, options: 'google' | 'vertex'): CallPlan {
  const { model, maxTokens } = request;
  const config = model.reasoning ? buildThinkingConfig(request) : undefined;
  const thinkingTokens = config
    ? 'thinkingBudget' in config
      ? config.thinkingBudget
      : BUDGETS[config.thinkingLevel]
    : 0;
  return {
    // Thinking tokens count as output, so they are added to the requested maximum, up to the model's limit.
    ...(maxTokens === undefined ? {} : { maxOutputTokens: Math.min(model.maxTokens, maxTokens + thinkingTokens) }),
    ...(config ? { providerOptions: { [options]: { thinkingConfig: config } } } : {}),
    replaysThinking: true,
  };
}

function buildThinkingConfig({ model, thinkingLevel: level }: ThinkingRequest): ThinkingConfig {
  const includeThoughts = level !== 'off';
  if (!/gemini-2\.5/.test(model.id)) return { includeThoughts, thinkingLevel: selectLevel(model, level) };
  if (level !== 'off') return { includeThoughts, thinkingBudget: BUDGETS[level] };
  return { includeThoughts, thinkingBudget: /-pro/.test(model.id) ? PRO_MIN_BUDGET : 0 };
}

/** Thinking of newer models cannot be disabled. Not all of them support `minimal`; all known ones support `low`. */
function selectLevel({ id, thinkingLevels = [] }: Model, level: ThinkingLevel): GeminiLevel {
  if (level === 'xhigh') return 'high';
  if (level !== 'off' && level !== 'minimal') return level;
  return thinkingLevels.includes('minimal') || /gemma/.test(id) ? 'minimal' : 'low';
}
