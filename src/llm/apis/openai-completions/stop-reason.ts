// Converts the finish reason of the Chat Completions format.
import type { AssistantMessage, ProviderFailure } from '../../../protocol/index.ts';
import { ProviderFault } from '../../http/provider-fault.ts';
import type { DoneReason } from '../../message-builder.ts';

const NORMAL_REASONS = [
  'stop',
  'tool_calls',
  'function_call',
  'end',
  'end_turn',
  'eos',
  'eos_token',
  'stop_sequence',
  'stop_token',
];
const LENGTH_REASONS = ['length', 'max_tokens', 'model_length', 'model_context_window_exceeded'];
const FAILURE_KIND_BY_REASON: Readonly<Record<string, ProviderFailure['kind']>> = {
  content_filter: 'filter',
  sensitive: 'filter',
  safety: 'filter',
  network_error: 'network',
  insufficient_system_resource: 'overloaded',
};

export function isLengthLimit(reason: string | undefined): boolean {
  return reason !== undefined && LENGTH_REASONS.includes(reason);
}

/** Throws when the finish reason is not a normal end of an answer. */
export function assertNormalStop(reason: string | undefined): void {
  if (reason !== undefined && !NORMAL_REASONS.includes(reason) && !isLengthLimit(reason)) throw createStopFault(reason);
}

/** The content decides, because some servers send `stop` for every end. */
export function toDoneReason(reason: string | undefined, { content, model }: AssistantMessage): DoneReason {
  if (reason === 'model_context_window_exceeded' && content.length === 0) {
    throw new ProviderFault(
      { kind: 'overflow' },
      `The conversation fills the context window of ${model}: no tokens are left for a response. Compact it or start a new session`,
    );
  }
  if (isLengthLimit(reason)) return 'length';
  return content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop';
}

function createStopFault(reason: string): ProviderFault {
  const kind = (Object.hasOwn(FAILURE_KIND_BY_REASON, reason) ? FAILURE_KIND_BY_REASON[reason] : undefined) ?? 'server';
  if (kind !== 'filter') return new ProviderFault({ kind }, `The provider aborted the response: ${reason}`);
  return new ProviderFault(
    { kind },
    "The provider's content filter stopped the answer. Rephrase the request or choose another model",
  );
}
