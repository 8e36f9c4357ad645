// First floor, llm: why an answer in the Chat Completions format ended, in our words. Pure.
import type { AssistantMessage, Failure } from '../../../protocol/index.ts';
import { ProviderFault } from '../../http/failure.ts';
import type { DoneReason } from '../../message-builder.ts';

const GOOD = [
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
const LENGTH = ['length', 'max_tokens', 'model_length', 'model_context_window_exceeded'];
const BAD: Readonly<Record<string, Failure['kind']>> = {
  content_filter: 'filter',
  sensitive: 'filter',
  safety: 'filter',
  network_error: 'network',
  insufficient_system_resource: 'overloaded',
};

export function isLength(reason: string | undefined): boolean {
  return reason !== undefined && LENGTH.includes(reason);
}

/** What broke off is no answer, whatever came before. */
export function refuseBreaks(reason: string | undefined): void {
  if (reason !== undefined && !GOOD.includes(reason) && !isLength(reason)) throw badEnd(reason);
}

/** What the answer holds says more than the reason's name: some servers call every end `stop`. */
export function doneReason(reason: string | undefined, { content, model }: AssistantMessage): DoneReason {
  if (reason === 'model_context_window_exceeded' && content.length === 0) {
    throw new ProviderFault(
      { kind: 'overflow' },
      `The conversation fills the context window of ${model}: no room was left for an answer. Compact it or start a new session`,
    );
  }
  if (isLength(reason)) return 'length';
  return content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop';
}

function badEnd(reason: string): ProviderFault {
  const kind = (Object.hasOwn(BAD, reason) ? BAD[reason] : undefined) ?? 'server';
  if (kind !== 'filter') return new ProviderFault({ kind }, `The provider broke the answer off: ${reason}`);
  return new ProviderFault(
    { kind },
    "The provider's content filter stopped the answer. Rephrase the request or choose another model",
  );
}
