// First floor, llm: how a host is told how hard to think. Pure.
import type { ModelRequest } from '../../../contracts/index.ts';
import type { Compat } from '../../providers/compat.ts';

type Asked = Pick<ModelRequest, 'model' | 'thinkingLevel'>;

/** Nothing where the host would not understand: its own choice is better than a refusal. */
export function thinkingFields({ model, thinkingLevel: level }: Asked, compat: Compat): Record<string, unknown> {
  const effort = effortOf({ model, thinkingLevel: level }, compat);
  if (!model.reasoning || effort === undefined) return {};
  const on = level !== 'off';
  const graded = compat.supportsReasoningEffort && on ? { reasoning_effort: effort } : {};
  switch (compat.thinkingFormat) {
    case 'openrouter':
      return { reasoning: { effort } };
    case 'deepseek':
      return { thinking: { type: on ? 'enabled' : 'disabled' }, ...graded };
    case 'zai':
      // Earlier thinking is sent along and shall be looked at.
      return { thinking: on ? { type: 'enabled', clear_thinking: false } : { type: 'disabled' }, ...graded };
    case 'together':
      return { reasoning: { enabled: on }, ...graded };
    case 'qwen':
      return { enable_thinking: on, ...graded };
    case 'qwen-chat-template':
      return { chat_template_kwargs: { enable_thinking: on } };
    default:
      return compat.supportsReasoningEffort ? { reasoning_effort: effort } : {};
  }
}

/** To switch thinking off where that cannot be done is refused by most hosts, so it must be known that it can. */
function effortOf({ model, thinkingLevel: level }: Asked, compat: Compat): string | undefined {
  const named = compat.reasoningEffortMap[level];
  if (level !== 'off') return named ?? level;
  const can = compat.canDisableThinking || model.thinkingLevels?.includes('off');
  return named ?? (can ? 'none' : undefined);
}
