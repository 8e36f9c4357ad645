// First floor, core: what one run needs from its surroundings. The loop knows this and nothing else.
import type { Clock, Hooks, ModelStream, Tool, ToolContext } from '../../contracts/index.ts';
import type {
  AgentMessage,
  AssistantMessage,
  AssistantMessageEvent,
  Failure,
  InterruptMode,
} from '../../protocol/index.ts';
import type { Emit } from '../session/broadcast.ts';

/** A message on its way into the conversation: the prompt itself, or one that waited in a queue. */
export interface Delivery {
  readonly message: AgentMessage;
  /** Resolves when it is safe to deliver: an acknowledged message is on disk first. */
  store(): Promise<void>;
}

/** What a run may use up. */
export interface RunLimits {
  /** Both count, and say what became due by it. */
  toolStarts(): undefined | Promise<void>;
  turnOver(answer: AssistantMessage, goesOn: boolean): undefined | Promise<void>;
  /** Why the run stops at the next safe point; `undefined` while it may go on. */
  readonly halted: string | undefined;
}

/** Looks at one answer while it comes. */
export interface AnswerWatch {
  /** Aborts with the run, and when the answer breaks a rule. */
  readonly signal: AbortSignal;
  see(event: AssistantMessageEvent): void;
  /** Everything seen so far was looked at. */
  settled(): Promise<void>;
  readonly isBroken: boolean;
  /** What is written on an answer that was interrupted; `undefined` for what is written on any that was aborted. */
  readonly reason: string | undefined;
  end(): void;
}

export interface RunScope {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly hooks: Hooks;
  /** Adds what the run made to the conversation and resolves when it is kept. */
  record(message: AgentMessage): Promise<void>;
  /** An answer is complete and told. `failure` says why it is not a good one, when the provider did. */
  answered(message: AssistantMessage, failure: Failure | undefined): undefined | Promise<void>;
  /** Asks the model with everything said so far. */
  ask(signal: AbortSignal): Promise<ModelStream>;
  /** An assistant message that no model wrote: the answer that failed or was aborted before it began. */
  blankAnswer(): AssistantMessage;
  readonly tools: ReadonlyMap<string, Tool>;
  /** One that came while the run was going. */
  newTool(name: string): Promise<Tool | undefined>;
  readonly toolSurroundings: Omit<ToolContext, 'toolCallId' | 'signal' | 'update'>;
  /** Set while an arriving message is being made safe; it must not be missed at the end of a run. */
  readonly arriving: Promise<unknown> | undefined;
  /** Both take what is due now, by the session's queue modes. Synchronous, so that nothing slips in at the end of a run. */
  takeSteering(): Delivery[];
  takeFollowUps(): Delivery[];
  readonly hasSteering: boolean;
  readonly interruptMode: InterruptMode;
  /** Absent when there are no rules. */
  readonly rules?: { watch(run: AbortSignal): AnswerWatch | undefined };
  readonly limits: RunLimits;
}
