// Builds the thinking fields of a Chat Completions request.
import type { ModelRequest } from '../../../contracts/index.ts';
import type { Compat } from '../../providers/compat.ts';

type ThinkingRequest = Pick<ModelRequest, 'model' | 'thinkingLevel'>;

/** Empty if the provider would not accept the fields; the provider's default is better than an error. */
export function buildThinkingFields(
  { model, thinkingLevel: level }: ThinkingRequest,
  compat: Compat,
): Record<string, unknown> {
  const effort = selectEffort({ model, thinkingLevel: level }, compat);
  if (!model.reasoning || effort === undefined) return {};
  const isOn = level !== 'off';
  const effortField = compat.supportsReasoningEffort && isOn ? { reasoning_effort: effort } : {};
  switch (compat.thinkingFormat) {
    case 'openrouter':
      return { reasoning: { effort } };
    case 'deepseek':
      return { thinking: { type: isOn ? 'enabled' : 'disabled' }, ...effortField };
    case 'zai':
      // Without `clear_thinking: false` the model ignores earlier thinking.
      return { thinking: isOn ? { type: 'enabled', clear_thinking: false } : { type: 'disabled' }, ...effortField };
    case 'together':
      return { reasoning: { enabled: isOn }, ...effortField };
    case 'qwen':
      return { enable_thinking: isOn, ...effortField };
    case 'qwen-chat-template':
      return { chat_template_kwargs: { enable_thinking: isOn } };
    default:
      return compat.supportsReasoningEffort ? { reasoning_effort: effort } : {};
  }
}

/** Most providers reject the attempt to disable thinking of a model that always thinks. */
function selectEffort({ model, thinkingLevel: level }: ThinkingRequest, compat: Compat): string | undefined {
  const mapped = compat.reasoningEffortMap[level];
  if (level !== 'off') return mapped ?? level;
  const canDisable = compat.canDisableThinking || model.thinkingLevels?.includes('off');
  return mapped ?? (canDisable ? 'none' : undefined);
}
