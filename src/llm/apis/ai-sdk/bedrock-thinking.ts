// Thinking options of the models on Bedrock. Claude uses the rules of the Anthropic Messages format.
import type { ApiRequest } from '../../../contracts/index.ts';
import type { AssistantMessage, ThinkingLevel } from '../../../protocol/index.ts';
import { planThinking, planWithoutThinking } from '../anthropic-messages/thinking.ts';
import type { ProviderOptions } from './language-model.ts';
import type { CallPlan } from './sdk-format.ts';

type RequestFields = ProviderOptions[string];

export function isClaude(id: string): boolean {
  return /anthropic|claude/.test(id);
}

export function planBedrockCall(request: ApiRequest): CallPlan {
  return isClaude(request.model.id) ? planClaudeCall(request) : planOtherCall(request);
}

/** Bedrock passes these fields to the model, which uses the field names of the Messages format. */
function planClaudeCall(request: ApiRequest): CallPlan {
  const plan = planThinking(request);
  const isPossible = plan.thinking?.type !== 'enabled' || canContinueThinking(request);
  const { maxTokens, thinking, effort, betas, replaysThinking } = isPossible ? plan : planWithoutThinking(request);
  const fields = {
    ...(thinking ? { thinking } : {}),
    ...(effort ? { output_config: { effort } } : {}),
    ...(betas.length > 0 ? { anthropic_beta: [...betas] } : {}),
  } as RequestFields;
  const hasFields = Object.keys(fields).length > 0;
  return {
    maxOutputTokens: maxTokens,
    ...(hasFields ? { providerOptions: { bedrock: { additionalModelRequestFields: fields } } } : {}),
    replaysThinking,
  };
}

/**
 * A model with a thinking budget refuses to continue a turn that did not start with its own thinking. A turn continues as
 * long as tool results follow, even if the user sends a message together with them.
 */
function canContinueThinking({ messages, model }: ApiRequest): boolean {
  let turnStart: AssistantMessage | undefined;
  let hasResults = false;
  for (const message of messages.toReversed()) {
    if (message.role === 'toolResult') hasResults = true;
    if (message.role !== 'assistant') continue;
    if (!hasResults) break;
    turnStart = message;
    hasResults = false;
  }
  if (!turnStart) return true;
  const isSameModel =
    turnStart.api === model.api && turnStart.provider === model.provider && turnStart.model === model.id;
  const [firstBlock] = turnStart.content;
  return isSameModel && firstBlock?.type === 'thinking' && firstBlock.thinkingSignature !== undefined;
}

const EFFORTS: Record<ThinkingLevel, 'low' | 'medium' | 'high'> = {
  off: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
};

function planOtherCall({ model, thinkingLevel, maxTokens }: ApiRequest): CallPlan {
  const maxOutputTokens = Math.min(maxTokens ?? model.maxTokens, model.maxTokens);
  const effort = EFFORTS[thinkingLevel];
  if (model.reasoning && /openai\./.test(model.id)) return createPlan(maxOutputTokens, { maxReasoningEffort: effort });
  if (!model.reasoning || !/amazon\.nova/.test(model.id) || thinkingLevel === 'off') return createPlan(maxOutputTokens);
  // At high effort Nova does not accept a limit on output tokens.
  return createPlan(effort === 'high' ? undefined : maxOutputTokens, { type: 'enabled', maxReasoningEffort: effort });
}

function createPlan(maxOutputTokens: number | undefined, reasoningConfig?: Record<string, string>): CallPlan {
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(reasoningConfig ? { providerOptions: { bedrock: { reasoningConfig } } } : {}),
    replaysThinking: true,
  };
}
