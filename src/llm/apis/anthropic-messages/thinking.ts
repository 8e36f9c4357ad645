// First floor, llm: how hard each Claude is told to think, and the room its answer needs for it. Pure; a table of models.
import type { BetaThinkingConfigAdaptive } from '@anthropic-ai/sdk/resources/beta/messages';
import type { OutputConfig, ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest } from '../../../contracts/index.ts';
import type { ThinkingLevel } from '../../../protocol/index.ts';

export interface ThinkingPlan {
  maxTokens: number;
  thinking?: ThinkingConfigParam | BetaThinkingConfigAdaptive;
  effort?: NonNullable<OutputConfig['effort']>;
  betas: readonly string[];
  /** Earlier thinking is sent along. A model that is told not to think would not look at it, but still check it. */
  remembers: boolean;
}

type Asked = Pick<ModelRequest, 'model' | 'thinkingLevel' | 'maxTokens' | 'tools'>;

const INTERLEAVED = 'interleaved-thinking-2025-05-14';
const BINDING_CONTROLS = 'thinking-binding-controls-2026-08-01';

const BUDGETS: Record<Exclude<ThinkingLevel, 'off'>, number> = {
  minimal: 1024,
  low: 4096,
  medium: 10240,
  high: 20480,
  xhigh: 32768,
};
/** Less than this is refused. */
const SMALLEST_BUDGET = 1024;
/** What is left for the answer itself when the budget takes nearly all of `max_tokens`. */
const ROOM_TO_ANSWER = 1024;

export function planThinking(asked: Asked): ThinkingPlan {
  const level = asked.model.reasoning ? asked.thinkingLevel : 'off';
  const claude = generationOf(asked.model.id);
  if (claude && thinksAdaptively(claude)) return level === 'off' ? restrained(asked, claude) : adaptive(asked, claude);
  return level === 'off' ? thoughtless(asked) : budgeted(asked, level, claude);
}

export function thoughtless({ model, maxTokens }: Asked): ThinkingPlan {
  return { maxTokens: Math.min(maxTokens ?? model.maxTokens, model.maxTokens), betas: [], remembers: false };
}

function budgeted(asked: Asked, level: keyof typeof BUDGETS, claude: Generation | undefined): ThinkingPlan {
  const maxTokens = roomFor(asked, BUDGETS[level]);
  const budget = Math.min(BUDGETS[level], maxTokens - ROOM_TO_ANSWER);
  if (budget < SMALLEST_BUDGET) return thoughtless(asked);
  return {
    maxTokens,
    thinking: { type: 'enabled', budget_tokens: budget },
    betas: claude && claude.version >= 400 && asked.tools.length > 0 ? [INTERLEAVED] : [],
    remembers: true,
  };
}

/** These decide themselves when to think, between tool calls too; the effort says how much. */
function adaptive(asked: Asked, claude: Generation): ThinkingPlan {
  const level = asked.thinkingLevel === 'off' ? 'low' : asked.thinkingLevel;
  const bound = bindsThinking(claude);
  return {
    maxTokens: roomFor(asked, BUDGETS[level]),
    thinking: {
      type: 'adaptive',
      // The newer ones keep their thinking to themselves unless asked.
      display: asked.thinkingLevel === 'off' ? 'omitted' : 'summarized',
      // Without this, thinking that was written before a compaction would be refused, and the session with it.
      ...(bound ? { block_binding: { prefix_mismatch_behavior: 'drop_block' } } : {}),
    },
    effort: effortOf(level, claude),
    betas: bound ? [BINDING_CONTROLS] : [],
    remembers: true,
  };
}

/** How "off" is spelled differs from model to model; some cannot stop and are asked for the least. */
function restrained(asked: Asked, { line, version }: Generation): ThinkingPlan {
  const plan = thoughtless(asked);
  if (line !== 'fable' && line !== 'mythos') {
    if (version < 500) return plan;
    if (version < 505 || line === 'haiku') return { ...plan, thinking: { type: 'disabled' } };
    if (line === 'sonnet') return { ...plan, thinking: { type: 'between_tools' } };
  }
  return adaptive({ ...asked, thinkingLevel: 'off' }, { line, version });
}

function effortOf(level: keyof typeof BUDGETS, { version }: Generation): NonNullable<OutputConfig['effort']> {
  if (level === 'minimal') return 'low';
  return level === 'xhigh' && version < 407 ? 'max' : level;
}

/** `max_tokens` counts thinking too, so what was asked for the answer grows by it, as far as the model goes. */
function roomFor({ model, maxTokens }: Asked, thinking: number): number {
  return Math.min(model.maxTokens, (maxTokens ?? model.maxTokens) + thinking);
}

interface Generation {
  line: string;
  /** 4.6 is 406. */
  version: number;
}

const NAME = /(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

/** `undefined` for older Claudes and for other models behind the same wire. Dates in ids are no versions. */
function generationOf(id: string): Generation | undefined {
  if (id.includes('mythos-preview')) return { line: 'mythos', version: 406 };
  const [, line, major, minor] = NAME.exec(id) ?? [];
  return line ? { line, version: Number(major) * 100 + Number(minor ?? 0) } : undefined;
}

function thinksAdaptively({ version }: Generation): boolean {
  return version >= 406;
}

/** Their thinking is valid only after exactly the conversation in which it was written. */
function bindsThinking({ line, version }: Generation): boolean {
  return version >= (line === 'fable' || line === 'mythos' ? 501 : 505);
}
