// First floor, llm: how hard each model on Bedrock is told to think. Pure; Claude's part is that of the Messages format.
import type { ApiRequest } from '../../../contracts/index.ts';
import type { AssistantMessage, ThinkingLevel } from '../../../protocol/index.ts';
import { planThinking, thoughtless } from '../anthropic-messages/thinking.ts';
import type { CallPlan } from './format.ts';
import type { ProviderOptions } from './language-model.ts';

type Fields = ProviderOptions[string];

export function isClaude(id: string): boolean {
  return /anthropic|claude/.test(id);
}

export function bedrockPlan(request: ApiRequest): CallPlan {
  return isClaude(request.model.id) ? claudePlan(request) : otherPlan(request);
}

/** Bedrock hands these fields through to the model, which knows them by the names of its own format. */
function claudePlan(request: ApiRequest): CallPlan {
  const wanted = planThinking(request);
  const possible = wanted.thinking?.type !== 'enabled' || goesOnThinking(request);
  const { maxTokens, thinking, effort, betas, remembers } = possible ? wanted : thoughtless(request);
  const fields = {
    ...(thinking ? { thinking } : {}),
    ...(effort ? { output_config: { effort } } : {}),
    ...(betas.length > 0 ? { anthropic_beta: [...betas] } : {}),
  } as Fields;
  const added = Object.keys(fields).length > 0;
  return {
    maxOutputTokens: maxTokens,
    ...(added ? { providerOptions: { bedrock: { additionalModelRequestFields: fields } } } : {}),
    remembers,
  };
}

/**
 * A model with a thinking budget refuses to go on with a turn that did not begin with thinking of its own. A turn goes on
 * where results are brought, also when somebody says something along with them.
 */
function goesOnThinking({ messages, model }: ApiRequest): boolean {
  let first: AssistantMessage | undefined;
  let brought = false;
  for (const message of messages.toReversed()) {
    if (message.role === 'toolResult') brought = true;
    if (message.role !== 'assistant') continue;
    if (!brought) break;
    first = message;
    brought = false;
  }
  if (!first) return true;
  const own = first.api === model.api && first.provider === model.provider && first.model === model.id;
  const [begun] = first.content;
  return own && begun?.type === 'thinking' && begun.thinkingSignature !== undefined;
}

const EFFORTS: Record<ThinkingLevel, 'low' | 'medium' | 'high'> = {
  off: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
};

function otherPlan({ model, thinkingLevel, maxTokens }: ApiRequest): CallPlan {
  const room = Math.min(maxTokens ?? model.maxTokens, model.maxTokens);
  const effort = EFFORTS[thinkingLevel];
  if (model.reasoning && /openai\./.test(model.id)) return plan(room, { maxReasoningEffort: effort });
  if (!model.reasoning || !/amazon\.nova/.test(model.id) || thinkingLevel === 'off') return plan(room);
  // Nova thinks this hard only where it may take the room it wants.
  return plan(effort === 'high' ? undefined : room, { type: 'enabled', maxReasoningEffort: effort });
}

function plan(room: number | undefined, reasoningConfig?: Record<string, string>): CallPlan {
  return {
    ...(room === undefined ? {} : { maxOutputTokens: room }),
    ...(reasoningConfig ? { providerOptions: { bedrock: { reasoningConfig } } } : {}),
    remembers: true,
  };
}
