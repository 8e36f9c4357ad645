// How a method of Opal is declared: its wire format, the command that it calls, and the conversion between the two.
import {
  type GenericSchema,
  type InferOutput,
  type ObjectEntries,
  type ObjectSchema,
  object,
  pipe,
  regex,
  string,
} from 'valibot';
import type { CallContext, Disposition } from '../../contracts/index.ts';
import type { ErrorTexts, OpalFault } from './errors.ts';
import type { OpalEvent } from './event-frames.ts';

export const nonEmptyString = pipe(string(), regex(/\S/, 'must not be empty'));

export type MethodParams = Record<string, unknown>;

export interface OpalMethod extends ErrorTexts {
  readonly command: string;
  /** Default: the description of the command. */
  readonly doc?: string | undefined;
  /** Default: that of the command. */
  readonly stability?: 'experimental' | undefined;
  /** `session_id` selects the session. It is required and not one of `params`. */
  readonly isForSession: boolean;
  /** Opal's params, in snake_case. */
  readonly params: ObjectSchema<ObjectEntries, undefined>;
  /** Opal's result, in snake_case. Absent: an empty object. */
  readonly result?: GenericSchema | undefined;
  /** Checks for which Opal defines its own error texts. They come before `params`. */
  readonly checkParams?: ((params: MethodParams) => OpalFault | undefined) | undefined;
  /** Converts the params to those of the command. Default: the same names in camelCase. */
  readonly toParams?: ((params: never, call: CallContext) => unknown) | undefined;
  /** Converts the result of the command. Default: the same names in snake_case. */
  readonly toResult?: ((result: never, context: ResultContext<never>) => unknown) | undefined;
  /** Present for methods that are replied to when the call is accepted, not when it is done: the result then. */
  readonly toAcceptedResult?: ((disposition: Disposition | undefined) => unknown) | undefined;
  /** Events sent after the response. */
  readonly createEventsAfter?: ((reply: SentReply) => readonly OpalEvent[]) | undefined;
  /** The command may take long. Other calls do not wait for it. */
  readonly isLong?: boolean | undefined;
}

export interface ResultContext<Params> {
  readonly call: CallContext;
  readonly params: Params;
  /** The version of the program. */
  readonly version: string;
}

export interface SentReply {
  readonly result: unknown;
  readonly params: MethodParams;
  readonly disposition: Disposition | undefined;
}

interface MethodDeclaration<Entries extends ObjectEntries, CommandResult>
  extends Omit<OpalMethod, 'isForSession' | 'params' | 'toParams' | 'toResult'> {
  readonly params?: Entries;
  readonly toParams?: (params: InferOutput<ObjectSchema<Entries, undefined>>, call: CallContext) => unknown;
  readonly toResult?: (
    result: CommandResult,
    context: ResultContext<InferOutput<ObjectSchema<Entries, undefined>>>,
  ) => unknown;
}

/** A method that addresses an open session by `session_id`. */
export function sessionMethod<const Entries extends ObjectEntries, CommandResult>(
  declaration: MethodDeclaration<Entries, CommandResult>,
): OpalMethod {
  return { ...declaration, params: object(declaration.params ?? {}), isForSession: true };
}

/** A method for the whole process. */
export function processMethod<const Entries extends ObjectEntries, CommandResult>(
  declaration: MethodDeclaration<Entries, CommandResult>,
): OpalMethod {
  return { ...declaration, params: object(declaration.params ?? {}), isForSession: false };
}

/** In the order in which the error for missing params lists them. */
export function listRequiredParams({ isForSession, params }: OpalMethod): string[] {
  const required = Object.entries(params.entries).filter(([, schema]) => schema.type !== 'optional');
  return [...(isForSession ? ['session_id'] : []), ...required.map(([name]) => name)];
}
