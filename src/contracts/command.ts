// Ground floor: how a command is declared. Validation, wire, client, docs and schema all follow from the declaration.
import type { GenericSchema, InferInput, InferOutput } from 'valibot';
import type { Fault } from '../base/index.ts';
import type { Desk } from './desk.ts';
import type { HostSide } from './host-side.ts';
import type { Logins } from './logins.ts';
import type { AgentSession, Disposition } from './session.ts';

/**
 * When a command may run, beside the others of its session:
 * - `now`: at once. It sees the effect of every short command before it and waits for no long one.
 * - `ordered`: one at a time, in the order they came.
 * - `run`: begun in order; the next one follows as soon as this one has begun.
 */
export type Lane = 'now' | 'ordered' | 'run';

export interface CallContext {
  /** The one that the call speaks to. Reading it throws a Fault when there is none. */
  readonly session: AgentSession;
  /** What the host calls this call, for events that belong to it. */
  readonly id: string | number | undefined;
  /** The process itself. Reading it throws a Fault where there is only one session. */
  readonly desk: Desk;
  /** Reading it throws a Fault where there are many sessions: those have a desk. */
  readonly logins: Logins;
  /** The other side of the wire. */
  readonly host: HostSide;
  /** The work has begun and would survive a crash. Lets the next command go on; some dialects answer here. */
  accept(disposition?: Disposition): void;
  /** The message of this call was accepted and will not be run. Sent as a later failure of the same call. */
  notRun(fault: Fault): void;
  /** Somebody is waited for, perhaps a person: `now` commands behind this one do not wait any longer. */
  slow(): void;
}

export interface Command<
  N extends string = string,
  P extends GenericSchema = GenericSchema,
  R extends GenericSchema = GenericSchema,
> {
  readonly name: N;
  readonly doc: string;
  readonly lane: Lane;
  /** It may take seconds or minutes: `now` commands behind it do not wait. */
  readonly long?: boolean;
  /** Absent: stable, see docs/stability.md. */
  readonly stability?: 'experimental';
  readonly params: P;
  /** Absent: the command answers with nothing but success. */
  readonly result?: R;
  readonly examples?: readonly Record<string, unknown>[];
  run(params: InferOutput<P>, call: CallContext): Promise<ResultOf<R>>;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers with nothing returns a promise of nothing
type ResultOf<R extends GenericSchema> = GenericSchema extends R ? void : InferOutput<R>;

/** Declares a command. Its type carries the parameters and the result, so `run` needs no annotations. */
export function command<const N extends string, P extends GenericSchema, R extends GenericSchema = GenericSchema>(
  declaration: Command<N, P, R>,
): Command<N, P, R> {
  return declaration;
}

export type ParamsOf<C> = C extends Command<string, infer P, infer _R> ? InferInput<P> : never;
export type ResultOfCommand<C> = C extends Command<string, infer _P, infer R> ? ResultOf<R> : never;
