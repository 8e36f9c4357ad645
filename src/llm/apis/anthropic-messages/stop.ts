// First floor, llm: why an answer in the Messages format ended, in our words. Pure.
import type { RawMessageDeltaEvent } from '@anthropic-ai/sdk/resources/messages';
import type { AssistantMessage } from '../../../protocol/index.ts';
import { ProviderFault } from '../../http/failure.ts';
import type { DoneReason } from '../../message-builder.ts';

type Stop = RawMessageDeltaEvent.Delta | undefined;

export function isLength(stop: Stop): boolean {
  return stop?.stop_reason === 'max_tokens' || stop?.stop_reason === 'model_context_window_exceeded';
}

/** What the answer holds says more than the reason's name: `pause_turn` and `stop_sequence` are ends like any other. */
export function doneReason(stop: Stop, message: AssistantMessage): DoneReason {
  if (isLength(stop)) return 'length';
  return message.content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop';
}

/** Ends that are no answer. Throws. */
export function refuseEmptyEnds(stop: Stop, message: AssistantMessage): void {
  if (stop?.stop_reason === 'refusal') throw new ProviderFault({ kind: 'filter' }, refusalOf(stop));
  if (stop?.stop_reason === 'model_context_window_exceeded' && message.content.length === 0) {
    throw new ProviderFault(
      { kind: 'overflow' },
      `The conversation fills the context window of ${message.model}: no room was left for an answer. Compact it or start a new session`,
    );
  }
}

function refusalOf({ stop_details: details }: RawMessageDeltaEvent.Delta): string {
  const category = details?.category ? ` (${details.category})` : '';
  const explanation = details?.explanation ? `: ${details.explanation.replace(/(?<![.\s])[.\s]+$/, '')}` : '';
  return `The provider's safety filter refused to answer${category}${explanation}. Rephrase the request or choose another model`;
}
