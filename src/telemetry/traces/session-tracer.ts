// Converts the events of a session to spans: one for each run, with its requests, tool calls, compactions and subagents inside.
import type { AgentSession, EventListener } from '../../contracts/index.ts';
import {
  type AgentEvent,
  type AgentEventOf,
  type AssistantMessage,
  addUsage,
  createEmptyUsage,
} from '../../protocol/index.ts';
import { describeRunOutcome, describeSubagentOutcome } from '../outcomes.ts';
import type { Context } from '../vendor/open-telemetry.ts';
import { ConversationTracer } from './conversation-tracer.ts';
import { classifyError, describeFinish, describeModel, describeUsage } from './span-attributes.ts';
import type { OpenSpan, SpanRecorder } from './span-recorder.ts';

const AGENT_NAME = 'parley';

export interface SessionTracerOptions {
  readonly recorder: SpanRecorder;
  /** The span of the program that started this one, if it has one. */
  readonly root: Context;
  /** The version of Parley. */
  readonly version: string;
}

type TracedSession = Pick<AgentSession, 'id' | 'models' | 'context'>;

interface Run {
  readonly span: OpenSpan;
  readonly usage: ReturnType<typeof createEmptyUsage>;
  last: AssistantMessage | undefined;
  turns: number;
  /** Set by the last `agent_end`. What follows until the session settles still belongs to the run, such as a compaction. */
  outcome: string | undefined;
}

interface Subagent {
  readonly span: OpenSpan;
  readonly tracer: ConversationTracer;
  readonly usage: ReturnType<typeof createEmptyUsage>;
}

export function createSessionTracer(session: TracedSession, options: SessionTracerOptions): EventListener {
  const tracer = new SessionTracer(session, options);
  return (event) => tracer.handle(event);
}

class SessionTracer {
  readonly #session: TracedSession;
  readonly #options: SessionTracerOptions;
  readonly #recorder: SpanRecorder;
  readonly #main: ConversationTracer;
  readonly #subagents = new Map<string, Subagent>();
  #run: Run | undefined;

  constructor(session: TracedSession, options: SessionTracerOptions) {
    this.#session = session;
    this.#options = options;
    this.#recorder = options.recorder;
    this.#main = new ConversationTracer(options.recorder, {
      getParent: () => this.#run?.span.context ?? options.root,
      describe: () => this.#describe(),
      describeModel: () => this.#describeCurrentModel(),
      onAnswer: (message) => this.#countAnswer(message),
    });
  }

  /** Called for each delta. */
  handle(event: AgentEvent): void {
    if (event.type === 'message_update') this.#main.onUpdate(event);
    else if (event.type === 'subagent_event') this.#onSubagentEvent(event);
    else {
      this.#onRunEvent(event);
      this.#main.handle(event);
    }
  }

  #onRunEvent(event: AgentEvent): void {
    if (event.type === 'agent_start') this.#startRun();
    else if (event.type === 'agent_end') this.#onRunEnd(event);
    else if (event.type === 'agent_settled') this.#endRun(event.aborted ? 'aborted' : undefined);
    else if (event.type === 'turn_end' && this.#run) this.#run.turns += 1;
    else if (event.type === 'auto_retry_start') this.#addRetry(this.#run?.span, event);
    else if (event.type === 'subagent_lifecycle') this.#onSubagentLifecycle(event);
    else if (event.type === 'subagent_verification_end') this.#onVerificationEnd(event);
    else if (event.type === 'subagent_end') this.#endSubagent(event);
  }

  /** A run after a retry continues the span; a run for a queued message gets its own. */
  #startRun(): void {
    if (this.#run?.outcome !== undefined) this.#endRun();
    if (this.#run) return;
    const span = this.#recorder.start({
      name: `invoke_agent ${AGENT_NAME}`,
      parent: this.#options.root,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': AGENT_NAME,
        'gen_ai.agent.version': this.#options.version,
        ...this.#describe(),
        ...this.#describeCurrentModel(),
      },
    });
    this.#run = { span, usage: createEmptyUsage(), last: undefined, turns: 0, outcome: undefined };
  }

  #onRunEnd(event: AgentEventOf<'agent_end'>): void {
    if (this.#run && !event.willRetry) this.#run.outcome = describeRunOutcome(event);
  }

  #endRun(fallbackOutcome = 'completed'): void {
    const run = this.#run;
    if (!run) return;
    this.#run = undefined;
    const { last, outcome = fallbackOutcome } = run;
    const { content } = this.#recorder;
    this.#recorder.end(run.span, {
      attributes: {
        ...describeUsage(run.usage),
        ...(last ? describeFinish(last.stopReason) : {}),
        'parley.run.outcome': outcome,
        'parley.run.turns': run.turns,
        ...content?.describeInstructions(this.#session.context.systemPrompt),
      },
      ...(outcome === 'error' && last ? { errorType: classifyError(last), errorMessage: last.errorMessage } : {}),
    });
  }

  #countAnswer(message: AssistantMessage): void {
    if (!this.#run) return;
    this.#run.last = message;
    addUsage(this.#run.usage, message.usage);
  }

  #addRetry(
    span: OpenSpan | undefined,
    { attempt, maxAttempts, delayMs, errorMessage }: AgentEventOf<'auto_retry_start'>,
  ): void {
    if (!span) return;
    this.#recorder.addEvent(span, 'retry', {
      'parley.retry.attempt': attempt,
      'parley.retry.max_attempts': maxAttempts,
      'parley.retry.delay_ms': delayMs,
      'error.type': classifyError({ errorMessage }),
    });
  }

  #onSubagentEvent({ payload: { id, event } }: AgentEventOf<'subagent_event'>): void {
    const subagent = this.#subagents.get(id);
    if (!subagent) return;
    const inner = event as AgentEvent;
    if (inner.type === 'message_update') subagent.tracer.onUpdate(inner);
    else if (inner.type === 'auto_retry_start') this.#addRetry(subagent.span, inner);
    else subagent.tracer.handle(inner);
  }

  #onSubagentLifecycle({ payload }: AgentEventOf<'subagent_lifecycle'>): void {
    const { id, agent, status, parentToolCallId } = payload;
    if (status !== 'started') return;
    const attributes = { 'gen_ai.agent.name': agent, 'gen_ai.agent.id': id };
    const span = this.#recorder.start({
      name: `invoke_agent ${agent}`,
      parent: this.#findSubagentParent(id, parentToolCallId),
      attributes: { 'gen_ai.operation.name': 'invoke_agent', ...attributes, ...this.#describe() },
    });
    const usage = createEmptyUsage();
    const tracer = new ConversationTracer(this.#recorder, {
      getParent: () => span.context,
      describe: () => ({ ...this.#describe(), ...attributes }),
      describeModel: () => this.#describeCurrentModel(),
      onAnswer: (message) => addUsage(usage, message.usage),
    });
    this.#subagents.set(id, { span, tracer, usage });
  }

  /** The id of a subagent that another subagent started begins with the id of that one and a dot. */
  #findSubagentParent(id: string, toolCallId: string | undefined): Context {
    const outer = this.#subagents.get(id.slice(0, Math.max(0, id.lastIndexOf('.'))));
    const tracer = outer?.tracer ?? this.#main;
    return tracer.findToolContext(toolCallId) ?? outer?.span.context ?? this.#run?.span.context ?? this.#options.root;
  }

  #onVerificationEnd({ id, attempt, status }: AgentEventOf<'subagent_verification_end'>): void {
    const subagent = this.#subagents.get(id);
    if (!subagent) return;
    const attributes = { 'parley.verification.attempt': attempt, 'parley.verification.status': status };
    this.#recorder.addEvent(subagent.span, 'verification', attributes);
  }

  #endSubagent(event: AgentEventOf<'subagent_end'>): void {
    const subagent = this.#subagents.get(event.id);
    if (!subagent) return;
    this.#subagents.delete(event.id);
    const outcome = describeSubagentOutcome(event);
    this.#recorder.end(subagent.span, {
      attributes: { ...describeUsage(subagent.usage), 'parley.run.outcome': outcome },
      ...(outcome === 'failed' ? { errorType: 'subagent_failed', errorMessage: event.error } : {}),
    });
  }

  #describe() {
    return { 'gen_ai.conversation.id': this.#session.id };
  }

  #describeCurrentModel() {
    const { current } = this.#session.models;
    return current ? describeModel({ provider: current.provider, model: current.id }) : {};
  }
}
