// Codec of the opal dialect: JSON-RPC 2.0 requests, responses, events and UI requests.
import { type Fault, isRecord, type Line, toFault } from '../../base/index.ts';
import {
  type AgentSession,
  type CallToken,
  type Codec,
  type CodecOptions,
  type DecodedLine,
  type Frame,
  type Reply,
  validate,
} from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { chainFrames, createRpcFrame, parseJsonRpcMessage } from '../json-rpc.ts';
import { addRpcPosition } from '../positioned-frame.ts';
import { keysToCamelCase, keysToSnakeCase } from './casing.ts';
import {
  createInvalidParamsFault,
  createMethodNotFoundFault,
  createMissingParamsFault,
  OpalFault,
  toJsonRpcError,
} from './errors.ts';
import { OpalEventEncoder } from './event-encoder.ts';
import { createEventFrame, DeltaFrame, type OpalEvent } from './event-frames.ts';
import { listRequiredParams, type MethodParams, type OpalMethod } from './method.ts';
import { OPAL_METHODS } from './methods/index.ts';
import { PendingUiRequests } from './pending-ui-requests.ts';
import { getTokenUsage } from './token-usage.ts';

interface OpalToken extends CallToken {
  readonly session?: string | undefined;
  readonly params?: MethodParams | undefined;
}

export function createOpalCodec({ version }: CodecOptions): Codec {
  const uiRequests = new PendingUiRequests();
  const encoders = new WeakMap<AgentSession, OpalEventEncoder>();
  const getEncoder = (session: AgentSession): OpalEventEncoder => {
    const encoder =
      encoders.get(session) ?? new OpalEventEncoder((partialUsage) => getTokenUsage(session, partialUsage));
    encoders.set(session, encoder);
    return encoder;
  };
  return {
    encodeReadyFrame: () => undefined,
    decode: (line) => decode(line, uiRequests, version),
    encodeReply,
    encodeEvent(event: AgentEvent, session, position) {
      if (!session) return undefined;
      const encoded = getEncoder(session).encode(event);
      return addRpcPosition(chainFrames(encoded.map((one) => encodeOpalEvent(session.id, one))), position);
    },
    encodeSessionClosed: (session, reason) => createEventFrame(session.id, { type: 'error', reason }),
    encodeUiRequest: (request, session) => session && uiRequests.encode(request, session.id),
  };
}

function encodeOpalEvent(sessionId: string, event: OpalEvent): Frame {
  const isDelta = event.type === 'message_delta' || event.type === 'thinking_delta';
  return isDelta ? DeltaFrame.of(sessionId, event.type, event.delta as string) : createEventFrame(sessionId, event);
}

function decode(line: Line, uiRequests: PendingUiRequests, version: string): DecodedLine {
  const message = parseJsonRpcMessage(line);
  switch (message.kind) {
    case 'unusable':
      return { kind: 'refused', token: { name: '', id: null }, fault: new OpalFault(message.error) };
    case 'response':
      return uiRequests.answer(message.id, message.result);
    case 'request':
      return decodeRequest(message.method, message.params, message.id, version);
    default:
      return { kind: 'ignored' };
  }
}

function decodeRequest(name: string, params: unknown, id: unknown, version: string): DecodedLine {
  const token: OpalToken = { name, id };
  const method = OPAL_METHODS.get(name);
  if (!method) return { kind: 'refused', token, fault: createMethodNotFoundFault(name) };
  if (!isRecord(params)) return { kind: 'refused', token, fault: createInvalidParamsFault('params must be an object') };
  const required = listRequiredParams(method);
  if (required.some((field) => params[field] === undefined || params[field] === null)) {
    return { kind: 'refused', token, fault: createMissingParamsFault(required) };
  }
  const paramFault = method.checkParams?.(params);
  if (paramFault) return { kind: 'refused', token, fault: paramFault };
  // The session id is passed on for methods such as session/start too, so that later calls for it wait until it is open.
  const session = typeof params.session_id === 'string' ? params.session_id : undefined;
  if (method.isForSession && session === undefined)
    return { kind: 'refused', token, fault: createInvalidParamsFault('session_id must be a string') };
  try {
    const valid: MethodParams = validate(method.params, params);
    const call = createCall({ ...token, session: method.isForSession ? session : undefined }, method, valid, version);
    return { ...call, session };
  } catch (thrown) {
    return { kind: 'refused', token, fault: toFault(thrown) };
  }
}

function createCall(
  token: OpalToken,
  method: OpalMethod,
  params: MethodParams,
  version: string,
): Extract<DecodedLine, { kind: 'call' }> {
  const { command, toParams = keysToCamelCase, toResult = keysToSnakeCase, isLong } = method;
  return {
    kind: 'call',
    token: { ...token, params } as CallToken,
    command,
    params,
    long: isLong,
    toParams: (call) => toParams(params as never, call),
    toResult: (result, call) => toResult((result ?? {}) as never, { call, params: params as never, version }),
  };
}

/** JSON-RPC allows one response per request, so a prompt that was accepted but not run is reported as an error event. */
function createNotRunFrame({ session }: OpalToken, { code, message }: Fault): Frame | undefined {
  if (code !== 'not_run' || session === undefined) return undefined;
  return createEventFrame(session, { type: 'error', reason: message });
}

function encodeReply(token: OpalToken, reply: Reply): Frame | undefined {
  const { id = null, params = {} } = token;
  const method = OPAL_METHODS.get(token.name);
  const { toAcceptedResult, createEventsAfter } = method ?? {};
  if (reply.status === 'failed') {
    // The request has been answered already. Later failures are reported by events.
    if (reply.afterAccepted && toAcceptedResult) return createNotRunFrame(token, reply.fault);
    return createRpcFrame({ error: toJsonRpcError(reply.fault, method), id });
  }
  const { disposition } = reply;
  if (!method || (reply.status === 'accepted') !== (toAcceptedResult !== undefined)) return undefined;
  const result = reply.status === 'accepted' ? toAcceptedResult?.(disposition) : reply.result;
  const session = token.session ?? (isRecord(result) ? String(result.session_id) : '');
  const after = createEventsAfter?.({ result, params, disposition }) ?? [];
  return chainFrames([createRpcFrame({ result, id }), ...after.map((event) => createEventFrame(session, event))]);
}
