// Thinking options of the Claude models, and the output tokens they need.
import type { BetaThinkingConfigAdaptive } from '@anthropic-ai/sdk/resources/beta/messages';
import type { OutputConfig, ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest } from '../../../contracts/index.ts';
import type { ThinkingLevel } from '../../../protocol/index.ts';

export interface ThinkingPlan {
  maxTokens: number;
  thinking?: ThinkingConfigParam | BetaThinkingConfigAdaptive;
  effort?: NonNullable<OutputConfig['effort']>;
  betas: readonly string[];
  /** Whether earlier thinking is sent back. With thinking disabled the model ignores it, but the API still validates it. */
  replaysThinking: boolean;
}

type ThinkingRequest = Pick<ModelRequest, 'model' | 'thinkingLevel' | 'maxTokens' | 'tools'>;

const INTERLEAVED_BETA = 'interleaved-thinking-2025-05-14';
const BINDING_CONTROLS_BETA = 'thinking-binding-controls-2026-08-01';

const BUDGETS: Record<Exclude<ThinkingLevel, 'off'>, number> = {
  minimal: 1024,
  low: 4096,
  medium: 10240,
  high: 20480,
  xhigh: 32768,
};
/** The API rejects smaller budgets. */
const MIN_BUDGET = 1024;
/** Tokens reserved for the answer when the budget takes nearly all of `max_tokens`. */
const MIN_ANSWER_TOKENS = 1024;

export function planThinking(request: ThinkingRequest): ThinkingPlan {
  const level = request.model.reasoning ? request.thinkingLevel : 'off';
  const version = parseClaudeVersion(request.model.id);
  if (version && supportsAdaptiveThinking(version))
    return level === 'off' ? planMinimalThinking(request, version) : planAdaptiveThinking(request, version);
  return level === 'off' ? planWithoutThinking(request) : planBudgetThinking(request, level, version);
}

export function planWithoutThinking({ model, maxTokens }: ThinkingRequest): ThinkingPlan {
  return { maxTokens: Math.min(maxTokens ?? model.maxTokens, model.maxTokens), betas: [], replaysThinking: false };
}

function planBudgetThinking(
  request: ThinkingRequest,
  level: keyof typeof BUDGETS,
  claude: ClaudeVersion | undefined,
): ThinkingPlan {
  const maxTokens = computeMaxTokens(request, BUDGETS[level]);
  const budget = Math.min(BUDGETS[level], maxTokens - MIN_ANSWER_TOKENS);
  if (budget < MIN_BUDGET) return planWithoutThinking(request);
  return {
    maxTokens,
    thinking: { type: 'enabled', budget_tokens: budget },
    betas: claude && claude.version >= 400 && request.tools.length > 0 ? [INTERLEAVED_BETA] : [],
    replaysThinking: true,
  };
}

/** These models decide when to think, also between tool calls. The effort sets how much. */
function planAdaptiveThinking(request: ThinkingRequest, version: ClaudeVersion): ThinkingPlan {
  const level = request.thinkingLevel === 'off' ? 'low' : request.thinkingLevel;
  const isBound = requiresThinkingBinding(version);
  return {
    maxTokens: computeMaxTokens(request, BUDGETS[level]),
    thinking: {
      type: 'adaptive',
      // Newer models do not show their thinking by default.
      display: request.thinkingLevel === 'off' ? 'omitted' : 'summarized',
      // Without this option the API rejects thinking from before a compaction, and with it the whole request.
      ...(isBound ? { block_binding: { prefix_mismatch_behavior: 'drop_block' } } : {}),
    },
    effort: selectEffort(level, version),
    betas: isBound ? [BINDING_CONTROLS_BETA] : [],
    replaysThinking: true,
  };
}

/** The option that disables thinking differs between models. Models that always think get the lowest effort. */
function planMinimalThinking(request: ThinkingRequest, { tier, version }: ClaudeVersion): ThinkingPlan {
  const plan = planWithoutThinking(request);
  if (tier !== 'fable' && tier !== 'mythos') {
    if (version < 500) return plan;
    if (version < 505 || tier === 'haiku') return { ...plan, thinking: { type: 'disabled' } };
    if (tier === 'sonnet') return { ...plan, thinking: { type: 'between_tools' } };
  }
  return planAdaptiveThinking({ ...request, thinkingLevel: 'off' }, { tier, version });
}

function selectEffort(level: keyof typeof BUDGETS, { version }: ClaudeVersion): NonNullable<OutputConfig['effort']> {
  if (level === 'minimal') return 'low';
  return level === 'xhigh' && version < 407 ? 'max' : level;
}

/** `max_tokens` includes thinking, so the budget is added to the requested tokens, up to the model's limit. */
function computeMaxTokens({ model, maxTokens }: ThinkingRequest, thinking: number): number {
  return Math.min(model.maxTokens, (maxTokens ?? model.maxTokens) + thinking);
}

interface ClaudeVersion {
  tier: string;
  /** 4.6 is 406. */
  version: number;
}

const MODEL_NAME = /(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

/** `undefined` for older Claude models and for other models with this format. Dates in ids are not versions. */
function parseClaudeVersion(id: string): ClaudeVersion | undefined {
  if (id.includes('mythos-preview')) return { tier: 'mythos', version: 406 };
  const [, tier, major, minor] = MODEL_NAME.exec(id) ?? [];
  return tier ? { tier: tier, version: Number(major) * 100 + Number(minor ?? 0) } : undefined;
}

function supportsAdaptiveThinking({ version }: ClaudeVersion): boolean {
  return version >= 406;
}

/** Thinking blocks of these models are valid only after exactly the same messages. */
function requiresThinkingBinding({ tier, version }: ClaudeVersion): boolean {
  return version >= (tier === 'fable' || tier === 'mythos' ? 501 : 505);
}
