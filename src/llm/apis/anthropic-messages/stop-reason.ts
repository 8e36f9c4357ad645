// Converts the stop reason of the Anthropic Messages format.
import type { RawMessageDeltaEvent } from '@anthropic-ai/sdk/resources/messages';
import type { AssistantMessage } from '../../../protocol/index.ts';
import { ProviderFault } from '../../http/provider-fault.ts';
import type { DoneReason } from '../../message-builder.ts';

type StopDelta = RawMessageDeltaEvent.Delta | undefined;

export function isLengthLimit(stop: StopDelta): boolean {
  return stop?.stop_reason === 'max_tokens' || stop?.stop_reason === 'model_context_window_exceeded';
}

/** The content decides, because the stop reasons `pause_turn` and `stop_sequence` are normal ends. */
export function toDoneReason(stop: StopDelta, message: AssistantMessage): DoneReason {
  if (isLengthLimit(stop)) return 'length';
  return message.content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop';
}

/** Throws when the stop reason is not a normal end of an answer. */
export function assertNormalStop(stop: StopDelta, message: AssistantMessage): void {
  if (stop?.stop_reason === 'refusal') throw new ProviderFault({ kind: 'filter' }, formatRefusal(stop));
  if (stop?.stop_reason === 'model_context_window_exceeded' && message.content.length === 0) {
    throw new ProviderFault(
      { kind: 'overflow' },
      `The conversation fills the context window of ${message.model}: no tokens are left for a response. Compact it or start a new session`,
    );
  }
}

function formatRefusal({ stop_details: details }: RawMessageDeltaEvent.Delta): string {
  const category = details?.category ? ` (${details.category})` : '';
  const explanation = details?.explanation ? `: ${details.explanation.replace(/(?<![.\s])[.\s]+$/, '')}` : '';
  return `The provider's safety filter refused to answer${category}${explanation}. Rephrase the request or choose another model`;
}
