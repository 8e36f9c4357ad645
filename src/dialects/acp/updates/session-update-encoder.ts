// Encodes the events of one session as session updates. Keeps state across events.
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentSession } from '../../../contracts/index.ts';
import {
  type AgentEvent,
  type AgentEventOf,
  type AgentMessage,
  getToolCalls,
  type StreamEvent,
  type ToolCall,
} from '../../../protocol/index.ts';
import type { ClientCapabilities } from '../client-capabilities.ts';
import { AnswerEncoder, createMessageChunks, createTextChunks } from './message-chunks.ts';
import {
  createCompactionUpdate,
  createNotice,
  createRetryNotice,
  encodeCommands,
  encodePlanOfResult,
  type Severity,
} from './session-facts.ts';
import { isRefusal, type RunStopReason, StopReasonTracker } from './stop-reason.ts';
import { SubagentEncoder } from './subagent-encoder.ts';
import { ToolCallEncoder, ToolCallIds } from './tool-call-encoder.ts';
import { UsageEncoder } from './usage-encoder.ts';

type EventHandlers = { [T in AgentEvent['type']]?: (event: AgentEventOf<T>) => SessionUpdate[] };
type AssistantMessage = Extract<AgentMessage, { role: 'assistant' }>;
type CompactionEnd = AgentEventOf<'auto_compaction_end' | 'compaction_end'>;

/** The events from which updates are built. */
export const acpEvents: readonly AgentEvent['type'][] = [
  'agent_start',
  'agent_end',
  'message_start',
  'message_update',
  'message_end',
  'tool_execution_start',
  'tool_execution_update',
  'tool_execution_end',
  'auto_compaction_start',
  'auto_compaction_end',
  'compaction_start',
  'compaction_end',
  'auto_retry_start',
  'session_info_changed',
  'available_commands_update',
  'extension_error',
  'notice',
  'budget_warning',
  'budget_exceeded',
  'subagent_lifecycle',
  'subagent_start',
  'subagent_event',
  'subagent_verification_start',
  'subagent_verification_command_start',
  'subagent_verification_end',
];

export class SessionUpdateEncoder {
  readonly #session: AgentSession;
  readonly #capabilities: ClientCapabilities;
  readonly #toolCallIds = new ToolCallIds();
  #hasReadHistory = false;
  readonly #answers = new AnswerEncoder();
  readonly #toolCalls: ToolCallEncoder;
  readonly #subagents: SubagentEncoder;
  readonly #usage: UsageEncoder;
  readonly #stopReason = new StopReasonTracker();
  #messageCount = 0;
  /** Of the newest message, in milliseconds. */
  #lastTimestamp = 0;
  #compactionCount = 0;
  #compactionId = '';

  constructor(session: AgentSession, capabilities: ClientCapabilities) {
    this.#session = session;
    this.#capabilities = capabilities;
    const ids = this.#toolCallIds;
    const { cwd } = session;
    this.#usage = new UsageEncoder(session);
    this.#toolCalls = new ToolCallEncoder({ ids, cwd });
    const onCost = (cost: number) => this.#usage.addOther(cost);
    this.#subagents = new SubagentEncoder({ ids, cwd, toolCalls: this.#toolCalls, onCost });
  }

  /** The updates for one event; none for events that ACP does not show. `showsPrompts`: also the prompts of users. */
  encode(event: AgentEvent, { showsPrompts = false } = {}): readonly SessionUpdate[] {
    this.#stopReason.observe(event);
    if (showsPrompts && event.type === 'message_start' && event.message.role === 'user')
      return this.#encodePrompt(event.message);
    return (this.#handlers[event.type] as ((event: AgentEvent) => SessionUpdate[]) | undefined)?.(event) ?? [];
  }

  /**
   * The client has got the calls of earlier runs when it loaded the session. A provider may use their ids again. `isSentLater`: the
   * events of the message are encoded later.
   */
  reserveUsedIds(isSentLater: (message: AgentMessage) => boolean = () => false): void {
    if (this.#hasReadHistory) return;
    this.#hasReadHistory = true;
    for (const message of this.#session.history.messages()) {
      if (message.role !== 'assistant' || isSentLater(message)) continue;
      for (const { id } of getToolCalls(message)) this.#toolCallIds.reserve(id);
    }
  }

  /** The content so far of a message whose events so far are not available. Its later events follow. */
  encodeOpenMessage(message: AssistantMessage): readonly SessionUpdate[] {
    this.#encodeMessageStart(message);
    const calls = getToolCalls(message).flatMap((call) => this.#toolCalls.announce(call));
    return [...this.#answers.end(message), ...calls];
  }

  /**
   * Why the last run ended, unless the client cancelled it. A run that reached a limit, and one in which the model refused
   * to answer, count as failed in the session. They have a stop reason all the same.
   */
  getStopReason(): RunStopReason {
    return this.#stopReason.getStopReason();
  }

  /** The id of a tool call in updates. It differs from the id of the model when that has been used before. */
  getToolCallId(toolCallId: string): string {
    return this.#findToolCalls(toolCallId).getShownId(toolCallId);
  }

  /** A terminal of the client runs the command of this tool call. Later updates of the call keep the terminal as content. */
  attachTerminal(toolCallId: string, terminalId: string): SessionUpdate {
    return this.#findToolCalls(toolCallId).attachTerminal(toolCallId, terminalId);
  }

  #findToolCalls(toolCallId: string): ToolCallEncoder {
    if (this.#toolCalls.isOpen(toolCallId)) return this.#toolCalls;
    return this.#subagents.findToolCalls(toolCallId) ?? this.#toolCalls;
  }

  readonly #handlers: EventHandlers = {
    agent_start: () => {
      this.reserveUsedIds();
      return [];
    },
    agent_end: () => this.#toolCalls.failOpen(),
    message_start: ({ message }) => this.#encodeMessageStart(message),
    message_update: ({ assistantMessageEvent }) => this.#encodeStreamEvent(assistantMessageEvent),
    message_end: ({ message }) => (message.role === 'assistant' ? this.#encodeAnswerEnd(message) : []),
    tool_execution_start: (event) => this.#toolCalls.start(event),
    tool_execution_update: (event) =>
      this.#subagents.hasSubagents(this.#toolCalls.getShownId(event.toolCallId)) ? [] : this.#toolCalls.update(event),
    tool_execution_end: (event) => {
      this.#subagents.forgetCall(this.#toolCalls.getShownId(event.toolCallId));
      const plan = encodePlanOfResult(event.toolName, event.result.details, event.isError);
      return [...this.#toolCalls.end(event), ...plan];
    },
    auto_compaction_start: () => this.#encodeCompactionStart(),
    auto_compaction_end: (event) => this.#encodeCompactionEnd(event),
    compaction_start: () => this.#encodeCompactionStart(),
    compaction_end: (event) => this.#encodeCompactionEnd(event),
    auto_retry_start: (event) => (this.#capabilities.notices ? [createRetryNotice(event)] : []),
    session_info_changed: ({ name }) => [
      { sessionUpdate: 'session_info_update', title: name, ...this.#getUpdatedAt() },
    ],
    available_commands_update: ({ commands }) => [encodeCommands(commands)],
    extension_error: ({ extensionPath, error }) => this.#encodeNotice('warning', `${extensionPath} failed: ${error}`),
    notice: ({ level, message, source }) =>
      source === 'limits' ? this.#encodeLimit(message) : this.#encodeNotice(level, message),
    budget_warning: ({ scope, snapshot }) =>
      this.#encodeNotice('warning', `The budget of the ${scope} is nearly used up (${snapshot.reason})`),
    budget_exceeded: ({ scope, snapshot }) => {
      const message = `The budget of the ${scope} is used up (${snapshot.reason})`;
      return scope === 'session' ? this.#encodeLimit(message) : this.#encodeNotice('warning', message);
    },
    subagent_lifecycle: (event) => this.#subagents.encodeLifecycle(event),
    subagent_start: (event) => {
      this.#subagents.onStart(event);
      return [];
    },
    subagent_event: ({ payload: { id, event } }) => this.#subagents.encodeEvent(id, event as AgentEvent),
    subagent_verification_start: ({ id }) => this.#subagents.encodeVerification(id, 'verifying'),
    subagent_verification_command_start: ({ id, commandName }) =>
      this.#subagents.encodeVerification(id, `verifying (${commandName})`),
    subagent_verification_end: ({ id, status }) => this.#subagents.encodeVerification(id, `verification ${status}`),
  };

  #encodePrompt({ content, timestamp }: Extract<AgentMessage, { role: 'user' }>): SessionUpdate[] {
    this.#lastTimestamp = Math.max(this.#lastTimestamp, timestamp);
    return createMessageChunks(content, this.#createMessageId(timestamp));
  }

  /** The client shows its own prompts itself. It does not know the messages of extensions. */
  #encodeMessageStart(message: AgentMessage): SessionUpdate[] {
    this.#lastTimestamp = Math.max(this.#lastTimestamp, message.timestamp);
    if (message.role === 'assistant') this.#answers.start(this.#createMessageId(message.timestamp));
    if (message.role !== 'custom' || !message.display) return [];
    const { content, customType } = message;
    return createMessageChunks(content, this.#createMessageId(message.timestamp), { customType });
  }

  #encodeStreamEvent(event: StreamEvent): SessionUpdate[] {
    if (event.type === 'toolcall_end') return this.#toolCalls.describe(event.toolCall);
    if (event.type !== 'toolcall_start') return this.#answers.encode(event);
    const block = event.partial.content[event.contentIndex];
    return block?.type === 'toolCall' ? this.#toolCalls.announce(block) : [];
  }

  #encodeAnswerEnd(message: AssistantMessage): SessionUpdate[] {
    const calls = new Set(getToolCalls(message).map(({ id }: ToolCall) => id));
    this.#usage.addMessage(message.usage.cost.total);
    return [
      ...this.#answers.end(message),
      // The reply to the prompt has only a stop reason, so the text of the provider would be lost.
      ...(isRefusal(message) ? this.#createAgentText(message.errorMessage ?? '') : []),
      ...this.#toolCalls.failOpen(calls),
      ...this.#usage.encode(),
    ];
  }

  #encodeCompactionStart(): SessionUpdate[] {
    this.#compactionCount += 1;
    // Unique also when the session is resumed by another process.
    this.#compactionId = `compaction-${this.#lastTimestamp.toString(36)}-${this.#compactionCount}`;
    return this.#capabilities.compaction ? [createCompactionUpdate(this.#compactionId)] : [];
  }

  #encodeCompactionEnd(event: CompactionEnd): SessionUpdate[] {
    this.#usage.addOther(event.result?.usage?.cost.total ?? 0);
    const update = this.#capabilities.compaction ? [createCompactionUpdate(this.#compactionId, event)] : [];
    return event.result ? [...update, ...this.#usage.encode()] : update;
  }

  #encodeNotice(level: Severity, message: string): SessionUpdate[] {
    return this.#capabilities.notices ? [createNotice(level, message)] : [];
  }

  /** A limit ends the run with a stop reason only, so a client without notices gets a text. */
  #encodeLimit(message: string): SessionUpdate[] {
    return this.#capabilities.notices ? this.#encodeNotice('warning', message) : this.#createAgentText(message);
  }

  #createAgentText(text: string): SessionUpdate[] {
    return createTextChunks('agent_message_chunk', text, this.#createMessageId(this.#lastTimestamp));
  }

  /** Unique also when the session is resumed by another process. */
  #createMessageId(timestamp: number): string {
    this.#messageCount += 1;
    return `message-${timestamp.toString(36)}-${this.#messageCount}`;
  }

  #getUpdatedAt(): { updatedAt?: string } {
    return this.#lastTimestamp > 0 ? { updatedAt: new Date(this.#lastTimestamp).toISOString() } : {};
  }
}
