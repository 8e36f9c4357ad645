// One request to the model outside the conversation and without tools. Its usage counts towards the budget. Loaded with the first one.
import {
  type AssistantMessage,
  clampThinkingLevel,
  type Model,
  type ModelMessage,
  type ThinkingLevel,
} from '../../protocol/index.ts';
import { takeUntilAborted } from '../agent/take-until-aborted.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionState } from './session-state.ts';

export interface SingleRequest {
  readonly systemPrompt: string;
  readonly messages: readonly ModelMessage[];
  readonly maxTokens: number | undefined;
  readonly thinkingLevel: ThinkingLevel;
  readonly signal: AbortSignal;
}

export async function requestOnce(
  { conversation, options, ports }: SessionState,
  { model, systemPrompt, messages, maxTokens, thinkingLevel, signal }: SingleRequest & { model: Model },
  limits: Pick<SessionLimits, 'chargeUsage'>,
): Promise<AssistantMessage | { error: string }> {
  const stream = options.models.stream({
    ...{ model, systemPrompt, messages: [...messages], tools: [], signal },
    thinkingLevel: clampThinkingLevel(thinkingLevel, model),
    ...(maxTokens === undefined ? {} : { maxTokens: Math.min(maxTokens, model.maxTokens) }),
    sessionId: conversation.header.id,
  });
  for await (const event of takeUntilAborted(stream, signal, ports.clock)) {
    if (event.type === 'done') {
      await limits.chargeUsage(event.message.usage);
      return event.message;
    }
    if (event.type === 'error') return { error: event.error.errorMessage ?? 'the model request failed' };
  }
  return { error: 'the model gave no answer' };
}
