// How a method of ACP is declared: its params, the command that it calls, and the conversion between the two.
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { type InferOutput, type ObjectEntries, type ObjectSchema, object } from 'valibot';
import type { AgentSession, CallContext, Disposition } from '../../contracts/index.ts';
import type { AgentMessage } from '../../protocol/index.ts';
import type { ConnectionState } from './connection-state.ts';

/** What the conversions of a method can use. */
export interface MethodContext {
  readonly call: CallContext;
  readonly connection: ConnectionState;
  /** The id of the request. */
  readonly requestId: unknown;
  /** Aborts when the client cancels the request, or the work of its session. */
  readonly signal: AbortSignal;
}

/** A response with the updates of its session that are sent before and after it. */
export interface MethodReply {
  readonly sessionId: string;
  /** Set when the client learns of this session by the response. Its events are sent from then on. */
  readonly session?: AgentSession | undefined;
  /** The conversation before the first message for which `isSentLater` is true. */
  readonly encodeHistory?: ((isSentLater: (message: AgentMessage) => boolean) => Iterable<SessionUpdate>) | undefined;
  readonly result: unknown;
  readonly after?: readonly SessionUpdate[] | undefined;
}

export interface AcpMethod {
  /** Can depend on the params. */
  readonly command: string | ((params: never) => string);
  readonly params: ObjectSchema<ObjectEntries, undefined>;
  /** Whether `sessionId` names an open session that the command works on. */
  readonly isForSession: boolean;
  /** Called with valid params when the request is decoded, so that it has an effect on the lines that follow. */
  readonly onDecoded?: ((params: never, connection: ConnectionState) => void) | undefined;
  readonly toParams?: ((params: never, context: MethodContext) => unknown) | undefined;
  /** Default: an empty object. */
  readonly toReply?:
    | ((result: never, context: MethodContext, params: never) => MethodReply | Promise<MethodReply>)
    | undefined;
  /** Present for methods that are answered when the call is accepted: the result. */
  readonly toAcceptedResult?: ((disposition: Disposition | undefined) => unknown) | undefined;
  /** It is a turn of the session: when it is cancelled, the result is the stop reason `cancelled`. */
  readonly isPrompt?: boolean | undefined;
  /** The response is sent when the work of the prompt has settled. */
  readonly isAnsweredByOutcome?: boolean | undefined;
  /** The command may take long. Other calls do not wait for it. */
  readonly isLong?: boolean | undefined;
  /** `toParams` or `toReply` changes something, although the command only reads. */
  readonly needsFullAccess?: boolean | undefined;
}

interface MethodDeclaration<Entries extends ObjectEntries, CommandResult>
  extends Omit<AcpMethod, 'isForSession' | 'params' | 'command' | 'onDecoded' | 'toParams' | 'toReply'> {
  readonly command: string | ((params: InferOutput<ObjectSchema<Entries, undefined>>) => string);
  readonly params?: Entries;
  readonly onDecoded?: (params: InferOutput<ObjectSchema<Entries, undefined>>, connection: ConnectionState) => void;
  readonly toParams?: (params: InferOutput<ObjectSchema<Entries, undefined>>, context: MethodContext) => unknown;
  readonly toReply?: (
    result: CommandResult,
    context: MethodContext,
    params: InferOutput<ObjectSchema<Entries, undefined>>,
  ) => MethodReply | Promise<MethodReply>;
}

/** A method that addresses an open session by `sessionId`, which must be one of `params`. */
export function sessionMethod<const Entries extends ObjectEntries, CommandResult>(
  declaration: MethodDeclaration<Entries, CommandResult>,
): AcpMethod {
  return { ...declaration, params: object((declaration.params ?? {}) as Entries), isForSession: true } as AcpMethod;
}

/** A method for the whole process. */
export function processMethod<const Entries extends ObjectEntries, CommandResult>(
  declaration: MethodDeclaration<Entries, CommandResult>,
): AcpMethod {
  return { ...declaration, params: object((declaration.params ?? {}) as Entries), isForSession: false } as AcpMethod;
}

/** A response without updates. */
export function createReply(result: unknown): MethodReply {
  return { sessionId: '', result };
}
