// Spans of one conversation, of a session or of a subagent: requests to the model, tool calls and compactions.
import type { AgentEvent, AgentEventOf, AgentMessage, AssistantMessage } from '../../protocol/index.ts';
import type { Attributes, Context } from '../vendor/open-telemetry.ts';
import { classifyError, describeFinish, describeModel, describeUsage } from './span-attributes.ts';
import type { OpenSpan, SpanRecorder } from './span-recorder.ts';

type CompactionEnd = AgentEventOf<'auto_compaction_end'> | AgentEventOf<'compaction_end'>;

/** The values of the conversation that can change between two spans. */
export interface ConversationContext {
  /** The span of the run or of the subagent. */
  getParent(): Context;
  /** Attributes of every span. */
  describe(): Attributes;
  describeModel(): Attributes;
  /** Called with each answer, after its span has ended. */
  onAnswer?(message: AssistantMessage): void;
}

export class ConversationTracer {
  readonly #recorder: SpanRecorder;
  readonly #context: ConversationContext;
  readonly #tools = new Map<string, OpenSpan>();
  #compaction: OpenSpan | undefined;
  #isWaitingForDelta = false;
  #firstDeltaMs: number | undefined;
  /** When the model request began at the earliest: the time of the last event before its answer. */
  #requestMs = 0;
  /** Messages since the last answer. Filled only if content is recorded. */
  #input: AgentMessage[] = [];

  constructor(recorder: SpanRecorder, context: ConversationContext) {
    this.#recorder = recorder;
    this.#context = context;
  }

  /** The span of a tool call in progress, for the subagents that it starts. */
  findToolContext(toolCallId: string | undefined): Context | undefined {
    return toolCallId === undefined ? undefined : this.#tools.get(toolCallId)?.context;
  }

  /** Called for each delta. Only the first delta of an answer reads the clock. */
  onUpdate({ assistantMessageEvent }: AgentEventOf<'message_update'>): void {
    if (!this.#isWaitingForDelta || !assistantMessageEvent.type.endsWith('_delta')) return;
    this.#isWaitingForDelta = false;
    this.#firstDeltaMs = this.#recorder.clock.now();
  }

  handle(event: AgentEvent): void {
    if (event.type === 'turn_start') this.#requestMs = this.#recorder.clock.now();
    else if (event.type === 'message_start') this.#onMessageStart(event.message);
    else if (event.type === 'message_end') this.#onMessageEnd(event.message);
    else if (event.type === 'tool_execution_start') this.#startTool(event);
    else if (event.type === 'tool_execution_end') this.#endTool(event);
    else if (event.type === 'compaction_start' || event.type === 'auto_compaction_start')
      this.#startCompaction(event.reason);
    else if (event.type === 'compaction_end' || event.type === 'auto_compaction_end') this.#endCompaction(event);
  }

  #onMessageStart({ role }: AgentMessage): void {
    if (role !== 'assistant') return;
    this.#isWaitingForDelta = true;
    this.#firstDeltaMs = undefined;
  }

  #onMessageEnd(message: AgentMessage): void {
    if (message.role === 'assistant') {
      this.#recordAnswer(message);
      this.#context.onAnswer?.(message);
      this.#input = [];
    } else if (this.#recorder.content) this.#input.push(message);
    this.#requestMs = this.#recorder.clock.now();
  }

  /** The span is created when the answer is complete: before that its start is not known, if the request fails. */
  #recordAnswer(message: AssistantMessage): void {
    const { model, stopReason, usage, timestamp, errorMessage } = message;
    const { content } = this.#recorder;
    const isUnanswered = this.#firstDeltaMs === undefined && stopReason === 'error';
    // The timestamp of an answer is the time of its request, but that of a failed request can be the time of the failure.
    const startMs = isUnanswered ? Math.min(timestamp, this.#requestMs || timestamp) : timestamp;
    const span = this.#recorder.start({
      name: `chat ${model}`,
      parent: this.#context.getParent(),
      startMs,
      isRemote: true,
      attributes: {
        'gen_ai.operation.name': 'chat',
        ...this.#context.describe(),
        ...describeModel(message),
        'gen_ai.request.stream': true,
      },
    });
    this.#recorder.end(span, {
      attributes: {
        'gen_ai.response.model': model,
        ...describeFinish(stopReason),
        ...describeUsage(usage),
        ...(this.#firstDeltaMs === undefined
          ? {}
          : { 'gen_ai.response.time_to_first_chunk': (this.#firstDeltaMs - startMs) / 1000 }),
        ...(usage.cost.total > 0 ? { 'parley.cost_usd': usage.cost.total } : {}),
        ...content?.describeInput(this.#input),
        ...content?.describeOutput(message),
      },
      ...(stopReason === 'error' ? { errorType: classifyError(message), errorMessage } : {}),
    });
  }

  #startTool({ toolCallId, toolName, args }: AgentEventOf<'tool_execution_start'>): void {
    const span = this.#recorder.start({
      name: `execute_tool ${toolName}`,
      parent: this.#context.getParent(),
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        ...this.#context.describe(),
        'gen_ai.tool.name': toolName,
        'gen_ai.tool.call.id': toolCallId,
        'gen_ai.tool.type': 'function',
        ...this.#recorder.content?.describeArguments(args),
      },
    });
    this.#tools.set(toolCallId, span);
  }

  #endTool({ toolCallId, isError, result }: AgentEventOf<'tool_execution_end'>): void {
    const span = this.#tools.get(toolCallId);
    if (!span) return;
    this.#tools.delete(toolCallId);
    const attributes = this.#recorder.content?.describeResult(result.content);
    this.#recorder.end(span, { attributes, ...(isError ? { errorType: 'tool_error' } : {}) });
  }

  #startCompaction(reason: string): void {
    this.#compaction = this.#recorder.start({
      name: 'compact',
      parent: this.#context.getParent(),
      attributes: {
        'gen_ai.operation.name': 'compact',
        ...this.#context.describe(),
        ...this.#context.describeModel(),
        'parley.compaction.reason': reason,
      },
    });
  }

  #endCompaction({ result, aborted, errorMessage }: CompactionEnd): void {
    const span = this.#compaction;
    if (!span) return;
    this.#compaction = undefined;
    const { estimatedTokensAfter } = result ?? {};
    this.#recorder.end(span, {
      attributes: {
        ...(result ? { 'parley.compaction.tokens_before': result.tokensBefore } : {}),
        ...(estimatedTokensAfter === undefined ? {} : { 'parley.compaction.tokens_after': estimatedTokensAfter }),
        ...(result?.usage ? describeUsage(result.usage) : {}),
      },
      ...(result || aborted ? {} : { errorType: 'compaction_failed', errorMessage }),
    });
  }
}
