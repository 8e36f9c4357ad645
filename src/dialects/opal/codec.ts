// Codec of the opal dialect: JSON-RPC 2.0 requests, responses, events and UI requests.
import { type Fault, isRecord, type Line } from '../../base/index.ts';
import {
  type AgentSession,
  type CallToken,
  type Codec,
  type CodecOptions,
  type Frame,
  getTokenUsage,
  type Incoming,
  type Reply,
} from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { keysToCamelCase, keysToSnakeCase } from './casing.ts';
import { invalidParams, methodNotFound, missingParams, OpalFault, toJsonRpcError } from './errors.ts';
import { OpalEventEncoder } from './event-encoder.ts';
import {
  chainFrames,
  createEventFrame,
  createRpcFrame,
  DeltaFrame,
  type OpalEvent,
  parseJsonRpcMessage,
} from './json-rpc.ts';
import { OPAL_METHODS, type OpalMethodSpec } from './methods.ts';
import { PendingUiRequests } from './pending-ui-requests.ts';

interface OpalToken extends CallToken {
  readonly session?: string | undefined;
  /** The params of the request, in snake_case. */
  readonly requestParams?: Record<string, unknown> | undefined;
}

export function createOpalCodec({ version }: CodecOptions): Codec {
  const uiRequests = new PendingUiRequests();
  const encoders = new WeakMap<AgentSession, OpalEventEncoder>();
  const getEncoder = (session: AgentSession): OpalEventEncoder => {
    const encoder = encoders.get(session) ?? new OpalEventEncoder((growing) => getTokenUsage(session, growing));
    encoders.set(session, encoder);
    return encoder;
  };
  return {
    encodeReadyFrame: () => undefined,
    decode: (line) => decode(line, uiRequests),
    encodeReply: (token, reply) => encodeReply(token, reply, version),
    encodeEvent(event: AgentEvent, session) {
      if (!session) return undefined;
      return chainFrames(
        getEncoder(session)
          .encode(event)
          .map((opalEvent) => encodeOpalEvent(session.id, opalEvent)),
      );
    },
    encodeUiRequest: (request, session) => session && uiRequests.encode(request, session.id),
  };
}

function encodeOpalEvent(sessionId: string, event: OpalEvent): Frame {
  const isDelta = event.type === 'message_delta' || event.type === 'thinking_delta';
  return isDelta ? DeltaFrame.of(sessionId, event.type, event.delta as string) : createEventFrame(sessionId, event);
}

function decode(line: Line, uiRequests: PendingUiRequests): Incoming {
  const message = parseJsonRpcMessage(line);
  switch (message.kind) {
    case 'unusable':
      return { kind: 'refused', token: { name: '', id: null }, fault: new OpalFault(message.error) };
    case 'response':
      return uiRequests.answer(message.id, message.result);
    case 'request':
      return decodeRequest(message.method, message.params, message.id);
    default:
      return { kind: 'ignored' };
  }
}

function decodeRequest(name: string, params: unknown, id: unknown): Incoming {
  const token: OpalToken = { name, id };
  const method = OPAL_METHODS.get(name);
  if (!method) return { kind: 'refused', token, fault: methodNotFound(name) };
  if (!isRecord(params)) return { kind: 'refused', token, fault: invalidParams('params must be an object') };
  if (method.requiredParams.some((field) => params[field] === undefined || params[field] === null)) {
    return { kind: 'refused', token, fault: missingParams(method.requiredParams) };
  }
  const paramFault = method.checkParams?.(params);
  if (paramFault) return { kind: 'refused', token, fault: paramFault };
  const { session_id: session, ...rest } = params;
  // The session id is passed on for methods such as session/start too, so that later calls for it wait until it is open.
  if (!method.isForSession)
    return { ...createCall(token, method, params), session: typeof session === 'string' ? session : undefined };
  if (typeof session === 'string') return { ...createCall({ ...token, session }, method, rest), session };
  return { kind: 'refused', token, fault: invalidParams('session_id must be a string') };
}

function createCall(
  token: OpalToken,
  method: OpalMethodSpec,
  requestParams: Record<string, unknown>,
): Extract<Incoming, { kind: 'call' }> {
  const params = keysToCamelCase(method.mapParams ? method.mapParams(requestParams) : requestParams);
  return { kind: 'call', token: { ...token, requestParams } as CallToken, command: method.command, params };
}

/** JSON-RPC allows one response per request, so a prompt that was accepted but not run is reported as an error event. */
function createNotRunFrame({ session }: OpalToken, { code, message }: Fault): Frame | undefined {
  if (code !== 'not_run' || session === undefined) return undefined;
  return createEventFrame(session, { type: 'error', reason: message });
}

function encodeReply(token: OpalToken, reply: Reply, version: string): Frame | undefined {
  const { id = null, requestParams = {} } = token;
  const method = OPAL_METHODS.get(token.name);
  if (reply.status === 'failed') {
    // The request has been answered already. Later failures are reported by events.
    if (reply.afterAccepted && method?.isRepliedOnAcceptance) return createNotRunFrame(token, reply.fault);
    return createRpcFrame({ error: toJsonRpcError(reply.fault, method), id });
  }
  if (!method || (reply.status === 'accepted') !== (method.isRepliedOnAcceptance ?? false)) return undefined;
  const { disposition } = reply;
  const snakeResult = keysToSnakeCase(reply.status === 'settled' ? (reply.result ?? {}) : {});
  const result = method.mapResult ? method.mapResult(snakeResult, { version, disposition }) : snakeResult;
  const session = token.session ?? (isRecord(snakeResult) ? String(snakeResult.session_id) : '');
  const after = method.createEventsAfter?.(snakeResult, requestParams, disposition) ?? [];
  return chainFrames([createRpcFrame({ result, id }), ...after.map((event) => createEventFrame(session, event))]);
}
