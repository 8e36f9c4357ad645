// Encodes the events of one session for Opal. Keeps state across events.
import {
  type AgentEvent,
  type AgentEventOf,
  extractText,
  getToolCalls,
  type StreamEvent,
  sumTokens,
  type Usage,
} from '../../protocol/index.ts';
import { keysToSnakeCase } from './casing.ts';
import type { OpalEvent } from './event-frames.ts';
import { SubagentEventEncoder, type TokenCounter } from './subagent-event-encoder.ts';
import { createToolEndEvent, createToolStartEvent, ToolOutputDeltas } from './tool-events.ts';

type EventHandlers = { [T in AgentEvent['type']]?: (event: AgentEventOf<T>) => readonly OpalEvent[] };

/** The events from which Opal events are built. */
export const opalEvents: readonly AgentEvent['type'][] = [
  'agent_start',
  'agent_end',
  'agent_settled',
  'message_start',
  'message_update',
  'message_end',
  'tool_execution_start',
  'tool_execution_update',
  'tool_execution_end',
  'auto_compaction_start',
  'auto_retry_start',
  'notice',
  'skill_loaded',
  'subagent_start',
  'subagent_lifecycle',
  'subagent_session',
  'subagent_event',
  'subagent_end',
  'subagent_verification_start',
  'subagent_verification_command_start',
  'subagent_verification_command_end',
  'subagent_verification_end',
];

/** Events that come before the user message. Opal sends message_applied before agent_start. */
const PRE_PROMPT_EVENTS: ReadonlySet<string> = new Set(['agent_start', 'turn_start']);

export class OpalEventEncoder {
  readonly #countTokens: TokenCounter;
  readonly #toolOutput = new ToolOutputDeltas();
  readonly #subagents = new SubagentEventEncoder((countTokens) => {
    const encoder = new OpalEventEncoder(countTokens);
    return (event) => encoder.encode(event);
  });
  /** True from the first agent_start to agent_settled. Automatic retries belong to the same Opal run. */
  #isRunning = false;
  #isStartPending = false;
  /** message_start has been sent for the current assistant message. */
  #hasMessageStarted = false;
  #isThinking = false;
  /** Text of a message without tool calls. It gets a turn_end only if the run continues. */
  #pendingTurnText: string | undefined;
  #lastUsage: Usage | undefined;
  #failure: string | undefined;
  /** The failed run will be retried. */
  #willRetry = false;
  #lastCallId = '';

  constructor(countTokens: TokenCounter) {
    this.#countTokens = countTokens;
  }

  encode(event: AgentEvent): readonly OpalEvent[] {
    const encoded =
      (this.#handlers[event.type] as ((event: AgentEvent) => readonly OpalEvent[]) | undefined)?.(event) ?? [];
    if (!this.#isStartPending || PRE_PROMPT_EVENTS.has(event.type)) return encoded;
    this.#isStartPending = false;
    const isPrompt = encoded[0]?.type === 'message_applied';
    return isPrompt ? [...encoded, { type: 'agent_start' }] : [{ type: 'agent_start' }, ...encoded];
  }

  readonly #handlers: EventHandlers = {
    agent_start: () => {
      // Queued messages start a new run after a failed one. The end of the failed run must be sent first.
      const ended = this.#failure !== undefined && !this.#willRetry ? this.#encodeRunEnd(false) : [];
      this.#isStartPending = !this.#isRunning;
      this.#isRunning = true;
      return ended;
    },
    agent_end: ({ messages, willRetry }) => {
      this.#willRetry = willRetry;
      const last = messages.findLast((message) => message.role === 'assistant');
      this.#failure = last?.stopReason === 'error' ? (last.errorMessage ?? 'The model returned no answer') : undefined;
      return [];
    },
    agent_settled: ({ aborted }) => this.#encodeRunEnd(aborted),
    message_start: ({ message }) => {
      if (message.role === 'user') return [{ type: 'message_applied', text: extractText(message.content) }];
      if (message.role === 'assistant') this.#hasMessageStarted = false;
      return [];
    },
    message_update: ({ assistantMessageEvent }) => this.#encodeStreamEvent(assistantMessageEvent),
    message_end: ({ message }) => {
      if (message.role !== 'assistant') return [];
      const calls = getToolCalls(message).length > 0;
      const text = extractText(message.content);
      const failed = message.stopReason === 'error' || message.stopReason === 'aborted';
      this.#pendingTurnText = calls || failed ? undefined : text;
      const turnEnd: OpalEvent[] = calls ? [...this.#encodeMessageStart(), { type: 'turn_end', message: text }] : [];
      return [...turnEnd, ...this.#encodeUsage(message.usage, undefined)];
    },
    tool_execution_start: (event) => {
      this.#lastCallId = event.toolCallId;
      const start = createToolStartEvent(event);
      return [createStatusEvent(start.meta), start];
    },
    tool_execution_update: (event) => this.#toolOutput.encodeUpdate(event),
    tool_execution_end: (event) => {
      this.#toolOutput.forget(event.toolCallId);
      return [createToolEndEvent(event)];
    },
    auto_compaction_start: () => [createStatusEvent('Summarising the conversation, to make room')],
    auto_retry_start: ({ attempt, maxAttempts, errorMessage }) => [
      createStatusEvent(`Trying again (${attempt} of ${maxAttempts}): ${errorMessage}`),
    ],
    auto_retry_end: ({ success }) => {
      if (!success) this.#willRetry = false;
      return [];
    },
    auto_compaction_end: ({ willRetry }) => {
      this.#willRetry = willRetry;
      return [];
    },
    notice: ({ message }) => [createStatusEvent(message)],
    skill_loaded: (skill) => [skill],
    subagent_start: ({ id }) => {
      this.#subagents.track(id, this.#lastCallId);
      return [];
    },
    subagent_lifecycle: ({ payload: { id, status, parentToolCallId } }) => {
      if (status === 'started' && parentToolCallId !== undefined) this.#subagents.track(id, parentToolCallId);
      return [];
    },
    subagent_session: (event) => this.#subagents.encodeSessionStart(event),
    subagent_event: ({ payload: { id, event } }) => this.#subagents.encodeEvent(id, event as AgentEvent),
    subagent_verification_start: (event) => this.#subagents.encodeVerification(event),
    subagent_verification_command_start: (event) => this.#subagents.encodeVerification(event),
    subagent_verification_command_end: (event) => this.#subagents.encodeVerification(event),
    subagent_verification_end: (event) => this.#subagents.encodeVerification(event),
    subagent_end: (event) => this.#subagents.encodeEnd(event),
  };

  #encodeRunEnd(aborted: boolean): readonly OpalEvent[] {
    const failure = this.#failure;
    this.#isRunning = false;
    this.#failure = undefined;
    this.#pendingTurnText = undefined;
    if (aborted) return [{ type: 'agent_abort' }];
    if (failure !== undefined) return [{ type: 'error', reason: failure }];
    return [{ type: 'agent_end', usage: keysToSnakeCase(this.#countTokens()) }];
  }

  #encodeStreamEvent(event: StreamEvent): readonly OpalEvent[] {
    const usage = this.#encodeUsage(event.partial.usage, event.partial.usage);
    switch (event.type) {
      case 'thinking_start':
        this.#isThinking = true;
        return [...usage, ...this.#encodeTurnEnd(), { type: 'thinking_start' }];
      case 'thinking_delta': {
        const started: OpalEvent[] = this.#isThinking ? [] : [{ type: 'thinking_start' }];
        this.#isThinking = true;
        return [...usage, ...started, { type: 'thinking_delta', delta: event.delta }];
      }
      case 'thinking_end':
        this.#isThinking = false;
        return usage;
      case 'text_start':
      case 'toolcall_start':
        return [...usage, ...this.#encodeMessageStart()];
      case 'text_delta':
        return [...usage, ...this.#encodeMessageStart(), { type: 'message_delta', delta: event.delta }];
      default:
        return usage;
    }
  }

  #encodeMessageStart(): OpalEvent[] {
    if (this.#hasMessageStarted) return [];
    this.#hasMessageStarted = true;
    return [...this.#encodeTurnEnd(), { type: 'message_start' }];
  }

  /** The run continues after a message without tool calls, because messages were queued. */
  #encodeTurnEnd(): OpalEvent[] {
    const message = this.#pendingTurnText;
    this.#pendingTurnText = undefined;
    return message === undefined ? [] : [{ type: 'turn_end', message }];
  }

  /** The usage object is replaced whenever it changes. `partialUsage` is usage that is not yet part of the conversation. */
  #encodeUsage(usage: Usage, partialUsage: Usage | undefined): OpalEvent[] {
    if (usage === this.#lastUsage || sumTokens(usage) === 0) return [];
    this.#lastUsage = usage;
    return [{ type: 'usage_update', usage: keysToSnakeCase(this.#countTokens(partialUsage)) }];
  }
}

function createStatusEvent(message: string): OpalEvent {
  return { type: 'status_update', message };
}
