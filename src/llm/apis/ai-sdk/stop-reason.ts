// Converts the finish reason and the usage of the AI SDK.
import type { AssistantMessage, Model, Usage } from '../../../protocol/index.ts';
import { addCost } from '../../cost.ts';
import { createMalformedFault, ProviderFault } from '../../http/provider-fault.ts';
import type { DoneReason } from '../../message-builder.ts';
import type { FinishPart } from './language-model.ts';

type FinishReason = FinishPart['finishReason'];

const CONTEXT_FULL = 'model_context_window_exceeded';
/** The model produced neither text nor a valid call. A retry may succeed. */
const UNUSABLE_REASON = /malformed|unexpected_tool|too_many_tool|missing_thought/i;

export function isLengthLimit({ unified, raw }: FinishReason): boolean {
  return unified === 'length' || raw === CONTEXT_FULL;
}

/** Throws when the finish reason is not a normal end of an answer. */
export function assertNormalStop({ unified, raw }: FinishReason): void {
  if (unified === 'content-filter') {
    const detail = raw ? ` (${raw})` : '';
    throw new ProviderFault(
      { kind: 'filter' },
      `The provider's content filter stopped the answer${detail}. Rephrase the request or choose another model`,
    );
  }
  if (raw === undefined)
    throw createMalformedFault("The provider's stream ended early, before the answer was complete");
  if (unified === 'error' || UNUSABLE_REASON.test(raw))
    throw createMalformedFault(`The model's answer cannot be used: ${raw}`);
}

/** The content of the answer decides, because the names of finish reasons are unreliable. */
export function toDoneReason(reason: FinishReason, { content, model }: AssistantMessage): DoneReason {
  if (reason.raw === CONTEXT_FULL && content.length === 0) {
    throw new ProviderFault(
      { kind: 'overflow' },
      `The conversation fills the context window of ${model}: no tokens are left for a response. Compact it or start a new session`,
    );
  }
  if (isLengthLimit(reason)) return 'length';
  if (reason.unified === 'other' && content.length === 0) {
    throw createMalformedFault(`The provider ended the response without content: ${reason.raw}`);
  }
  return content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop';
}

export function toUsage(model: Model, { inputTokens, outputTokens }: FinishPart['usage']): Usage {
  const cacheRead = inputTokens.cacheRead ?? 0;
  const cacheWrite = inputTokens.cacheWrite ?? 0;
  const input = inputTokens.noCache ?? Math.max(0, (inputTokens.total ?? 0) - cacheRead - cacheWrite);
  return addCost(model, { input, output: outputTokens.total ?? 0, cacheRead, cacheWrite });
}
