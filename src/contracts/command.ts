// How a command is declared. Validation, typed clients, docs and JSON Schema are generated from the declaration.
import type { GenericSchema, InferInput, InferOutput } from 'valibot';
import type { Fault } from '../base/index.ts';
import type { Model, PromptOutcome } from '../protocol/index.ts';
import type { AgentSession, Disposition } from './agent-session.ts';
import type { CommandPorts } from './command-ports.ts';
import type { HostConnection } from './host-connection.ts';
import type { HostUi } from './host-ui.ts';
import type { ProviderAuth } from './provider-auth.ts';
import type { SessionPool, UserSettings } from './session-pool.ts';

/**
 * When a command may run, relative to the other commands of its session:
 * - `now`: at once. It sees the effects of all short commands before it and does not wait for long ones.
 * - `ordered`: one at a time, in the order of arrival.
 * - `run`: started in order; the next command may start as soon as this one is accepted.
 */
export type Lane = 'now' | 'ordered' | 'run';

export interface CallContext {
  /** The session that the call addresses. Reading it throws a Fault when there is none. */
  readonly session: AgentSession;
  /** The id of the call, for events that belong to it. */
  readonly id: string | number | undefined;
  /** Reading it throws a Fault in dialects with a single session. */
  readonly pool: SessionPool;
  /** Reading it throws a Fault in dialects with a single session. */
  readonly userSettings: UserSettings;
  readonly auth: ProviderAuth;
  /** Of the session that the call addresses; without one, those of the process. */
  loadPorts(): Promise<CommandPorts>;
  /** The models that can be used now. Needs no session in dialects with many sessions. */
  listModels(): Promise<readonly Model[]>;
  readonly host: HostConnection;
  /** Ends the program when all sessions have settled. With `abort`, runs in progress are stopped. */
  requestExit(mode: 'finish' | 'abort'): void;
  /** UI of the connected host; absent in dialects with many sessions, where each session has its own. */
  readonly ui: HostUi | undefined;
  /** Reports that the work has started and would survive a crash. The next command may start; some dialects send the response now. */
  accept(disposition?: Disposition): void;
  /** Reports that the accepted message of this call will not be run. Sent as a second, failed response with the same id. */
  reportNotRun(fault: Fault): void;
  /** Reports how the work of an accepted prompt has ended. Some dialects send it. */
  reportOutcome(outcome: PromptOutcome): void;
  /** The command waits for an extension or the user: `now` commands after this one no longer wait for it. */
  markSlow(): void;
}

export interface Command<
  N extends string = string,
  P extends GenericSchema = GenericSchema,
  R extends GenericSchema = GenericSchema,
> {
  readonly name: N;
  readonly doc: string;
  readonly lane: Lane;
  /** The command may take seconds or minutes: `now` commands after it do not wait for it. */
  readonly long?: boolean;
  /** Absent: stable, see docs/stability.md. */
  readonly stability?: 'experimental';
  /** `read`: it changes nothing, except for the connection of the caller, so that clients with read-only access may call it. Absent: it needs full access. */
  readonly access?: 'read';
  /** After it, the session that it names is not open. */
  readonly closesSession?: true;
  readonly params: P;
  /** Absent: the response contains no data. */
  readonly result?: R;
  readonly examples?: readonly Record<string, unknown>[];
  run(params: InferOutput<P>, call: CallContext): Promise<ResultOf<R>>;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a result returns Promise<void>
type ResultOf<R extends GenericSchema> = GenericSchema extends R ? void : InferOutput<R>;

/** Declares a command. The types of `run` are inferred from the schemas. */
export function command<const N extends string, P extends GenericSchema, R extends GenericSchema = GenericSchema>(
  declaration: Command<N, P, R>,
): Command<N, P, R> {
  return declaration;
}

export type ParamsOf<C> = C extends Command<string, infer P, infer _R> ? InferInput<P> : never;
export type ResultOfCommand<C> = C extends Command<string, infer _P, infer R> ? ResultOf<R> : never;
