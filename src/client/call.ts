// The hall, client: the types of calls, all inferred from the declarations. Types only, so that no schema reaches a browser.
import type { commands } from '../commands/index.ts';
import type { ParamsOf, ResultOfCommand } from '../contracts/index.ts';

type Declared = (typeof commands)[number];

export type CommandName = Declared['name'];

type CommandCalled<N extends CommandName> = Extract<Declared, { name: N }>;

/** What a command takes, as it is sent. */
export type CallParams<N extends CommandName> = Closed<ParamsOf<CommandCalled<N>>>;

/** What a command answers with; `void` when success says it all. */
export type CallResult<N extends CommandName> = ResultOfCommand<CommandCalled<N>>;

/** An empty object type would let anything pass. */
type Closed<P> = keyof P extends never ? Record<string, never> : P;

/** Parameters may be left out where none is required. */
export type CallArguments<N extends CommandName> =
  Record<string, never> extends CallParams<N> ? [params?: CallParams<N>] : [params: CallParams<N>];

/** `set_steering_mode` as `setSteeringMode`. */
type Camel<S extends string> = S extends `${infer Head}_${infer Rest}` ? `${Head}${Capitalize<Camel<Rest>>}` : S;

/** A method for every command that is declared. */
export type CallMethods = {
  readonly [N in CommandName as Camel<N>]: (...params: CallArguments<N>) => Promise<CallResult<N>>;
};
