// Why the last run ended, from its events.
import type { AgentEvent, AssistantMessage } from '../../../protocol/index.ts';

export type RunStopReason = 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal';

/** The beginning of the error texts of the model APIs when the model or its provider refuses to answer. */
const REFUSAL = /^The provider's (?:safety|content) filter /;

export class StopReasonTracker {
  #isLimitReached = false;
  #last: Pick<AssistantMessage, 'stopReason' | 'errorMessage'> | undefined;

  observe(event: AgentEvent): void {
    if (event.type === 'agent_start') {
      this.#isLimitReached = false;
      this.#last = undefined;
    } else if (isLimitEvent(event)) this.#isLimitReached = true;
    else if (event.type === 'message_end' && event.message.role === 'assistant') this.#last = event.message;
  }

  getStopReason(): RunStopReason {
    const { stopReason } = this.#last ?? {};
    // A limit that is reached with the last answer has stopped nothing.
    if (this.#isLimitReached && (stopReason === 'toolUse' || stopReason === 'aborted')) return 'max_turn_requests';
    if (stopReason === 'length') return 'max_tokens';
    return this.#last && isRefusal(this.#last) ? 'refusal' : 'end_turn';
  }
}

/** The session has reached its turn limit or a limit of its budget. */
export function isLimitEvent(event: AgentEvent): boolean {
  if (event.type === 'budget_exceeded') return event.scope === 'session';
  return event.type === 'notice' && event.source === 'limits';
}

export function isRefusal({
  stopReason,
  errorMessage,
}: Pick<AssistantMessage, 'stopReason' | 'errorMessage'>): boolean {
  return stopReason === 'error' && REFUSAL.test(errorMessage ?? '');
}
