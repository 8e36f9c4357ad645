// Counts the events of one session and of its subagents.
import type { AgentSession, Clock, EventListener } from '../contracts/index.ts';
import type { AgentEvent, AgentEventOf, AssistantMessage, StopReason, Usage } from '../protocol/index.ts';
import { describeRunOutcome, describeSubagentOutcome } from './outcomes.ts';
import type { SessionMetrics } from './session-metrics.ts';

const OUTCOMES: Readonly<Record<StopReason, string>> = {
  stop: 'stop',
  length: 'length',
  toolUse: 'tool_use',
  error: 'error',
  aborted: 'aborted',
};

/** What is remembered of the session and of each subagent between two events. */
interface ConversationState {
  isWaitingForDelta: boolean;
  /** The reason of the compaction in progress, which its end does not repeat. */
  compactionReason: string;
}

function createConversationState(): ConversationState {
  return { isWaitingForDelta: false, compactionReason: 'manual' };
}

type CompactionEnd = AgentEventOf<'auto_compaction_end'> | AgentEventOf<'compaction_end'>;

export function createSessionCounter(
  metrics: SessionMetrics,
  clock: Pick<Clock, 'now'>,
  models: AgentSession['models'],
): EventListener {
  const counter = new SessionCounter(metrics, clock, models);
  return (event) => counter.count(event);
}

class SessionCounter {
  readonly #metrics: SessionMetrics;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #models: AgentSession['models'];
  readonly #main = createConversationState();
  readonly #subagents = new Map<string, ConversationState>();
  #runStartedMs: number | undefined;

  constructor(metrics: SessionMetrics, clock: Pick<Clock, 'now'>, models: AgentSession['models']) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#models = models;
  }

  /** Called for each delta, so the frequent events come first and allocate nothing. */
  count(event: AgentEvent): void {
    if (event.type === 'message_update') this.#countUpdate(event, this.#main);
    else if (event.type === 'subagent_event') this.#countSubagentEvent(event);
    else {
      this.#countShared(event, this.#main);
      this.#countOfSession(event);
    }
  }

  #countSubagentEvent({ payload: { id, event } }: AgentEventOf<'subagent_event'>): void {
    const state = this.#subagents.get(id);
    const inner = event as AgentEvent;
    if (!state) return;
    if (inner.type === 'message_update') this.#countUpdate(inner, state);
    else this.#countShared(inner, state);
  }

  /** Only the first delta of an answer counts: text, thinking or the arguments of a tool call. */
  #countUpdate({ message, assistantMessageEvent }: AgentEventOf<'message_update'>, state: ConversationState): void {
    if (!state.isWaitingForDelta || !assistantMessageEvent.type.endsWith('_delta')) return;
    state.isWaitingForDelta = false;
    // The timestamp of an answer is the time of its request.
    const seconds = (this.#clock.now() - message.timestamp) / 1000;
    this.#metrics.firstDeltaSeconds.observe(seconds, message.provider, message.model);
  }

  /** Events that count in the session and in its subagents. */
  #countShared(event: AgentEvent, state: ConversationState): void {
    const { turns, toolCalls, toolSeconds, retries, retriesEnded } = this.#metrics;
    if (event.type === 'message_start') state.isWaitingForDelta = event.message.role === 'assistant';
    else if (event.type === 'message_end') {
      if (event.message.role === 'assistant') this.#countAnswer(event.message);
    } else if (event.type === 'turn_end') turns.add(1);
    else if (event.type === 'tool_execution_end') {
      toolCalls.add(1, event.toolName, event.isError ? 'error' : 'success');
      toolSeconds.observe((event.durationMs ?? 0) / 1000, event.toolName);
    } else if (event.type === 'auto_retry_start') retries.add(1);
    else if (event.type === 'auto_retry_end') retriesEnded.add(1, event.success ? 'success' : 'failure');
    else if (event.type === 'auto_compaction_start' || event.type === 'compaction_start')
      state.compactionReason = event.reason;
    else if (event.type === 'auto_compaction_end' || event.type === 'compaction_end')
      this.#countCompaction(event, state.compactionReason);
  }

  #countOfSession(event: AgentEvent): void {
    const { runsStarted, subagentsStarted, subagentsEnded } = this.#metrics;
    if (event.type === 'agent_start') {
      runsStarted.add(1);
      this.#runStartedMs = this.#clock.now();
    } else if (event.type === 'agent_end') this.#countRunEnd(event);
    else if (event.type === 'subagent_start') {
      subagentsStarted.add(1);
      this.#subagents.set(event.id, createConversationState());
    } else if (event.type === 'subagent_end') {
      this.#subagents.delete(event.id);
      subagentsEnded.add(1, describeSubagentOutcome(event));
    }
  }

  #countRunEnd(event: AgentEventOf<'agent_end'>): void {
    const outcome = describeRunOutcome(event);
    this.#metrics.runsEnded.add(1, outcome);
    if (this.#runStartedMs !== undefined)
      this.#metrics.runSeconds.observe((this.#clock.now() - this.#runStartedMs) / 1000, outcome);
    this.#runStartedMs = undefined;
  }

  #countAnswer({ provider, model, stopReason, usage }: AssistantMessage): void {
    this.#metrics.requests.add(1, provider, model, OUTCOMES[stopReason]);
    this.#countUsage(usage, provider, model);
  }

  #countCompaction({ result, aborted }: CompactionEnd, reason: string): void {
    const outcome = result ? 'completed' : aborted ? 'aborted' : 'failed';
    this.#metrics.compactions.add(1, reason, outcome);
    const { current } = this.#models;
    if (result?.usage && current) this.#countUsage(result.usage, current.provider, current.id);
  }

  #countUsage({ input, output, cacheRead, cacheWrite, cost }: Usage, provider: string, model: string): void {
    const { tokens } = this.#metrics;
    tokens.add(input, provider, model, 'input');
    tokens.add(output, provider, model, 'output');
    tokens.add(cacheRead, provider, model, 'cache_read');
    tokens.add(cacheWrite, provider, model, 'cache_write');
    this.#metrics.cost.add(cost.total, provider, model);
  }
}
