// First floor, llm: why an answer through the AI SDK ended, and what it cost, in our words. Pure.
import type { AssistantMessage, Model, Usage } from '../../../protocol/index.ts';
import { priced } from '../../cost.ts';
import { malformed, ProviderFault } from '../../http/failure.ts';
import type { DoneReason } from '../../message-builder.ts';
import type { Finish } from './language-model.ts';

type Reason = Finish['finishReason'];

const CONTEXT_FULL = 'model_context_window_exceeded';
/** The model began something that is neither an answer nor a call; it may do better when asked again. */
const UNUSABLE = /malformed|unexpected_tool|too_many_tool|missing_thought/i;

export function isLength({ unified, raw }: Reason): boolean {
  return unified === 'length' || raw === CONTEXT_FULL;
}

/** Ends that are no answer. Throws. */
export function refuseBreaks({ unified, raw }: Reason): void {
  if (unified === 'content-filter') {
    const why = raw ? ` (${raw})` : '';
    throw new ProviderFault(
      { kind: 'filter' },
      `The provider's content filter stopped the answer${why}. Rephrase the request or choose another model`,
    );
  }
  if (raw === undefined) throw malformed("The provider's stream ended early, before the answer was complete");
  if (unified === 'error' || UNUSABLE.test(raw)) throw malformed(`The model's answer cannot be used: ${raw}`);
}

/** What the answer holds says more than the reason's name. */
export function doneReason(reason: Reason, { content, model }: AssistantMessage): DoneReason {
  if (reason.raw === CONTEXT_FULL && content.length === 0) {
    throw new ProviderFault(
      { kind: 'overflow' },
      `The conversation fills the context window of ${model}: no room was left for an answer. Compact it or start a new session`,
    );
  }
  if (isLength(reason)) return 'length';
  if (reason.unified === 'other' && content.length === 0) {
    throw malformed(`The provider ended the answer without a word: ${reason.raw}`);
  }
  return content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop';
}

export function usageOf(model: Model, { inputTokens, outputTokens }: Finish['usage']): Usage {
  const cacheRead = inputTokens.cacheRead ?? 0;
  const cacheWrite = inputTokens.cacheWrite ?? 0;
  const input = inputTokens.noCache ?? Math.max(0, (inputTokens.total ?? 0) - cacheRead - cacheWrite);
  return priced(model, { input, output: outputTokens.total ?? 0, cacheRead, cacheWrite });
}
