// usage_update: the use of the context window and the cost of the session so far.
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentSession } from '../../../contracts/index.ts';

export class UsageEncoder {
  readonly #session: AgentSession;
  /** The costs of the messages in the history of this session. */
  #messages: { sessionId: string; cost: number } | undefined;
  /** The costs of subagents and of summaries, which are not in the history. */
  #otherCost = 0;

  constructor(session: AgentSession) {
    this.#session = session;
  }

  /** US dollars. The message is in the history already. */
  addMessage(cost: number): void {
    // The history has only the messages after the last compaction, so it is counted once, and then each new message.
    const { id, history } = this.#session;
    if (this.#messages?.sessionId === id) this.#messages.cost += cost;
    else this.#messages = { sessionId: id, cost: history.stats().cost };
  }

  addOther(cost: number): void {
    this.#otherCost += cost;
  }

  encode(): SessionUpdate[] {
    const usage = this.#session.context.usage();
    const total = (this.#messages?.cost ?? 0) + this.#otherCost;
    if (!usage) return [];
    return [
      {
        sessionUpdate: 'usage_update',
        used: toCount(usage.tokens),
        size: toCount(usage.contextWindow),
        // Models without a known price cost 0.
        ...(total > 0 ? { cost: { amount: total, currency: 'USD' } } : {}),
      },
    ];
  }
}

function toCount(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.round(value)) : 0;
}
