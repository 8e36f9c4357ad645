// Types of the calls, inferred from the declared commands. Types only, so that no schema code is loaded in a browser.
import type { commands } from '../commands/index.ts';
import type { ParamsOf, ResultOfCommand } from '../contracts/index.ts';

type DeclaredCommand = (typeof commands)[number];

export type CommandName = DeclaredCommand['name'];

type CommandByName<N extends CommandName> = Extract<DeclaredCommand, { name: N }>;

/** Params of a command, as they are sent. */
export type CallParams<N extends CommandName> = StrictParams<ParamsOf<CommandByName<N>>>;

/** Result of a command; `void` when the reply has no data. */
export type CallResult<N extends CommandName> = ResultOfCommand<CommandByName<N>>;

/** An empty object type would accept any object. */
type StrictParams<P> = keyof P extends never ? Record<string, never> : P;

/** The params are optional when no field is required. */
export type CallArguments<N extends CommandName> =
  Record<string, never> extends CallParams<N> ? [params?: CallParams<N>] : [params: CallParams<N>];

/** Converts `set_steering_mode` to `setSteeringMode`. */
type CamelCase<S extends string> = S extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : S;

/** One method per declared command. */
export type CallMethods = {
  readonly [N in CommandName as CamelCase<N>]: (...params: CallArguments<N>) => Promise<CallResult<N>>;
};
