// First floor, dialects: what happens in a session, as Opal tells it. Follows one session from event to event.
import {
  type AgentEvent,
  type AgentEventOf,
  callsOf,
  type StreamEvent,
  textOf,
  totalTokens,
  type Usage,
} from '../../protocol/index.ts';
import { Children, type CountTokens } from './children.ts';
import type { OpalEvent } from './envelope.ts';
import { snakeKeys } from './spelling.ts';
import { ToolOutput, toolEnd, toolStart } from './tools.ts';

type Tell = { [T in AgentEvent['type']]?: (event: AgentEventOf<T>) => readonly OpalEvent[] };

/** Those from which anything is told. */
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

/** Those that come before the first word of the user, which is told first. */
const BEFORE_PROMPT: ReadonlySet<string> = new Set(['agent_start', 'turn_start']);

export class Teller {
  readonly #count: CountTokens;
  readonly #output = new ToolOutput();
  readonly #children = new Children((count) => {
    const teller = new Teller(count);
    return (event) => teller.tell(event);
  });
  /** From the first agent_start to agent_settled: what is tried again is one run here. */
  #isRunning = false;
  #startIsDue = false;
  /** The answer that grows has been announced. */
  #isAnswering = false;
  #isThinking = false;
  /** The text of a turn that was not the last, as far as that is known. */
  #turn: string | undefined;
  #usage: Usage | undefined;
  #failure: string | undefined;
  /** The run that failed is tried again. */
  #willRetry = false;
  #call = '';

  constructor(count: CountTokens) {
    this.#count = count;
  }

  tell(event: AgentEvent): readonly OpalEvent[] {
    const told = (this.#told[event.type] as ((event: AgentEvent) => readonly OpalEvent[]) | undefined)?.(event) ?? [];
    if (!this.#startIsDue || BEFORE_PROMPT.has(event.type)) return told;
    this.#startIsDue = false;
    const isPrompt = told[0]?.type === 'message_applied';
    return isPrompt ? [...told, { type: 'agent_start' }] : [{ type: 'agent_start' }, ...told];
  }

  readonly #told: Tell = {
    agent_start: () => {
      // Queued messages follow a run that failed: its end is told before they begin another.
      const ended = this.#failure !== undefined && !this.#willRetry ? this.#settled(false) : [];
      this.#startIsDue = !this.#isRunning;
      this.#isRunning = true;
      return ended;
    },
    agent_end: ({ messages, willRetry }) => {
      this.#willRetry = willRetry;
      const last = messages.findLast((message) => message.role === 'assistant');
      this.#failure = last?.stopReason === 'error' ? (last.errorMessage ?? 'The model gave no answer') : undefined;
      return [];
    },
    agent_settled: ({ aborted }) => this.#settled(aborted),
    message_start: ({ message }) => {
      if (message.role === 'user') return [{ type: 'message_applied', text: textOf(message.content) }];
      if (message.role === 'assistant') this.#isAnswering = false;
      return [];
    },
    message_update: ({ assistantMessageEvent }) => this.#grown(assistantMessageEvent),
    message_end: ({ message }) => {
      if (message.role !== 'assistant') return [];
      const calls = callsOf(message).length > 0;
      const text = textOf(message.content);
      const failed = message.stopReason === 'error' || message.stopReason === 'aborted';
      this.#turn = calls || failed ? undefined : text;
      const told: OpalEvent[] = calls ? [...this.#announced(), { type: 'turn_end', message: text }] : [];
      return [...told, ...this.#counted(message.usage, undefined)];
    },
    tool_execution_start: (event) => {
      this.#call = event.toolCallId;
      const start = toolStart(event);
      return [status(start.meta), start];
    },
    tool_execution_update: (event) => this.#output.grown(event),
    tool_execution_end: (event) => {
      this.#output.forget(event.toolCallId);
      return [toolEnd(event)];
    },
    auto_compaction_start: () => [status('Summarising the conversation, to make room')],
    auto_retry_start: ({ attempt, maxAttempts, errorMessage }) => [
      status(`Trying again (${attempt} of ${maxAttempts}): ${errorMessage}`),
    ],
    auto_retry_end: ({ success }) => {
      if (!success) this.#willRetry = false;
      return [];
    },
    auto_compaction_end: ({ willRetry }) => {
      this.#willRetry = willRetry;
      return [];
    },
    notice: ({ message }) => [status(message)],
    skill_loaded: (skill) => [skill],
    subagent_start: ({ id }) => {
      this.#children.started(id, this.#call);
      return [];
    },
    subagent_lifecycle: ({ payload: { id, status: how, parentToolCallId } }) => {
      if (how === 'started' && parentToolCallId !== undefined) this.#children.started(id, parentToolCallId);
      return [];
    },
    subagent_session: (event) => this.#children.opened(event),
    subagent_event: ({ payload: { id, event } }) => this.#children.said(id, event as AgentEvent),
    subagent_verification_start: (event) => this.#children.checked(event),
    subagent_verification_command_start: (event) => this.#children.checked(event),
    subagent_verification_command_end: (event) => this.#children.checked(event),
    subagent_verification_end: (event) => this.#children.checked(event),
    subagent_end: (event) => this.#children.ended(event),
  };

  #settled(aborted: boolean): readonly OpalEvent[] {
    const failure = this.#failure;
    this.#isRunning = false;
    this.#failure = undefined;
    this.#turn = undefined;
    if (aborted) return [{ type: 'agent_abort' }];
    if (failure !== undefined) return [{ type: 'error', reason: failure }];
    return [{ type: 'agent_end', usage: snakeKeys(this.#count()) }];
  }

  #grown(event: StreamEvent): readonly OpalEvent[] {
    const usage = this.#counted(event.partial.usage, event.partial.usage);
    switch (event.type) {
      case 'thinking_start':
        this.#isThinking = true;
        return [...usage, ...this.#turnOver(), { type: 'thinking_start' }];
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
        return [...usage, ...this.#announced()];
      case 'text_delta':
        return [...usage, ...this.#announced(), { type: 'message_delta', delta: event.delta }];
      default:
        return usage;
    }
  }

  #announced(): OpalEvent[] {
    if (this.#isAnswering) return [];
    this.#isAnswering = true;
    return [...this.#turnOver(), { type: 'message_start' }];
  }

  /** The run goes on after a turn that called nothing: somebody had more to say. */
  #turnOver(): OpalEvent[] {
    const message = this.#turn;
    this.#turn = undefined;
    return message === undefined ? [] : [{ type: 'turn_end', message }];
  }

  /** A count is a new object whenever it changes. `growing` is not yet part of the conversation. */
  #counted(usage: Usage, growing: Usage | undefined): OpalEvent[] {
    if (usage === this.#usage || totalTokens(usage) === 0) return [];
    this.#usage = usage;
    return [{ type: 'usage_update', usage: snakeKeys(this.#count(growing)) }];
  }
}

function status(message: string): OpalEvent {
  return { type: 'status_update', message };
}
