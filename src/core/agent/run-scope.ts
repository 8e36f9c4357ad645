// The interface between the agent loop and the session. The loop depends on nothing else.
import type { Clock, Emit, Hooks, ModelStream, Tool, ToolContext } from '../../contracts/index.ts';
import type {
  AgentMessage,
  AssistantMessage,
  AssistantMessageEvent,
  InterruptMode,
  ProviderFailure,
} from '../../protocol/index.ts';

/** A message to be added to the conversation: the prompt itself, or a message from a queue. */
export interface Delivery {
  readonly message: AgentMessage;
  /** Resolves when the message is on disk. It must be there before it is acknowledged. */
  store(): Promise<void>;
}

/** The budget of a run. */
export interface RunLimits {
  /** Both count methods also emit the budget events that become due. */
  countToolCall(): undefined | Promise<void>;
  countTurn(answer: AssistantMessage, needsAnotherTurn: boolean): undefined | Promise<void>;
  /** Why the run stops at the next safe point; `undefined` while the run may continue. */
  readonly haltReason: string | undefined;
}

/** Checks one answer against the rules while it is streamed. */
export interface AnswerWatch {
  /** Aborts when the run aborts, and when the answer violates a rule. */
  readonly signal: AbortSignal;
  feed(event: AssistantMessageEvent): void;
  /** Resolves when all events so far have been checked. */
  waitUntilChecked(): Promise<void>;
  readonly isRuleViolated: boolean;
  /** The error message of an answer that a rule interrupted; `undefined` for the usual message of an aborted answer. */
  readonly interruptReason: string | undefined;
  stop(): void;
}

export interface RunScope {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly hooks: Hooks;
  /** Adds a message of this run to the conversation. Resolves after the attempt to store it. */
  record(message: AgentMessage, providerFailure?: ProviderFailure): Promise<void>;
  /**
   * Stores that the tool of this call starts now. Resolves with the reason if the tool must not run: then `limits.haltReason` is
   * set, too. Absent if no other process can continue the run.
   */
  recordToolStart?: ((toolCallId: string) => Promise<string | undefined>) | undefined;
  /** Called after the answer is complete and its events are emitted. `providerFailure` is set if the provider reported an error. */
  onAnswer(message: AssistantMessage, providerFailure: ProviderFailure | undefined): undefined | Promise<void>;
  /** Sends the conversation so far to the model. */
  requestAnswer(signal: AbortSignal): Promise<ModelStream>;
  /** The message for an answer that failed or was aborted before the model sent anything. */
  createEmptyAnswer(): AssistantMessage;
  readonly tools: ReadonlyMap<string, Tool>;
  /** Finds a tool that was registered after the run started. */
  findNewTool(name: string): Promise<Tool | undefined>;
  readonly toolContext: Omit<ToolContext, 'toolCallId' | 'signal' | 'update'>;
  /** Set while a newly queued message is being stored. A run must wait for it before it ends. */
  readonly pendingSaves: Promise<unknown> | undefined;
  /**
   * Both take the messages that are due by the session's queue modes. Synchronous, so that no message can be queued between this
   * check and the end of the run.
   */
  takeSteering(): Delivery[];
  takeFollowUps(): Delivery[];
  readonly hasSteering: boolean;
  readonly interruptMode: InterruptMode;
  /** Absent when there are no rules. */
  readonly rules?: { watchAnswer(run: AbortSignal): AnswerWatch | undefined };
  readonly limits: RunLimits;
}
