// Codec of the acp dialect: JSON-RPC requests, responses, session updates and requests to the client.
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
import { type AgentEvent, extractText, type PromptOutcome, type UiRequest } from '../../protocol/index.ts';
import { chainFrames, createRpcFrame, parseJsonRpcMessage } from '../json-rpc.ts';
import { addRpcPosition } from '../positioned-frame.ts';
import { ConnectionState, type HeldEvent, type PendingRequest } from './connection-state.ts';
import {
  AcpFault,
  createInvalidParamsFault,
  createMethodNotFoundFault,
  createNotInitializedFault,
  createRequestCancelledError,
  EarlyResult,
  toJsonRpcError,
} from './errors.ts';
import { createMessageFilter, findOpenMessage, isNotice } from './held-events.ts';
import type { AcpMethod, MethodContext, MethodReply } from './method.ts';
import { ACP_METHODS } from './methods/index.ts';
import { compactPrompt, isCompactPrompt } from './methods/prompt.ts';
import { getConfigOptions } from './session-config.ts';
import { createTitle } from './session-page.ts';
import { createUpdateFrame } from './updates/index.ts';

interface AcpToken extends CallToken {
  /** Absent for notifications, which get no response. */
  readonly request?: PendingRequest | undefined;
  readonly method?: AcpMethod | undefined;
}

export function createAcpCodec({ version, clientName }: CodecOptions): Codec {
  const connection = new ConnectionState(version);
  return {
    encodeReadyFrame: () => undefined,
    setSender: (send) => connection.setSender(send),
    decode: (line) => decode(line, connection),
    encodeReply: (token, reply) => encodeReply(token, reply, connection),
    encodeOutcome: (token, outcome) => encodeOutcome(token, outcome, connection),
    encodeEvent(event, session, position) {
      if (!session) return undefined;
      // The client shows its own prompts itself.
      const isForeign = position !== undefined && position.client !== clientName;
      if (connection.isAnnounced(session))
        return addRpcPosition(encodeEvent(event, session, connection, isForeign), position);
      const held = { event, position, isEarlier: false };
      if (position || isNotice(held)) connection.hold(session, held);
      return undefined;
    },
    observeEvent(event, session, position) {
      if (connection.isAnnounced(session)) encodeEvent(event, session, connection, true);
      else connection.hold(session, { event, position, isEarlier: true });
    },
    encodeUiRequest: (request, session) =>
      session && connection.isAnnounced(session) ? encodeUiRequest(request, session, connection) : undefined,
    createHostServices: (session, send) => connection.client.createHostServices(session, send),
    handleHostClosed: () => connection.client.close(),
    handleSessionReplaced: (previous, next) => {
      if (connection.isAnnounced(previous)) connection.announce(next);
    },
  };
}

function decode(line: Line, connection: ConnectionState): DecodedLine {
  const message = parseJsonRpcMessage(line);
  switch (message.kind) {
    case 'unusable':
      return createRefusal(
        { name: '', id: null, request: createRequest(null, connection) },
        new AcpFault(message.error),
      );
    case 'response':
      return connection.client.receiveResponse(message);
    case 'request':
      return decodeRequest(message.method, message.params, message.id, connection);
    case 'notification':
      return decodeNotification(message.method, message.params, connection);
    default:
      return { kind: 'ignored' };
  }
}

function createRequest(id: unknown, connection: ConnectionState): PendingRequest {
  return connection.addRequest({ id, sessionId: undefined, isPrompt: false });
}

function createRefusal(token: AcpToken, fault: Fault): DecodedLine {
  return { kind: 'refused', token, fault };
}

function decodeRequest(name: string, params: unknown, id: unknown, connection: ConnectionState): DecodedLine {
  const method = isCompactPrompt(name, params) ? compactPrompt : ACP_METHODS.get(name);
  const sessionId = isRecord(params) && typeof params.sessionId === 'string' ? params.sessionId : undefined;
  const request = connection.addRequest({ id, sessionId, isPrompt: method?.isPrompt === true });
  const token: AcpToken = { name, id, request, method };
  if (!method) return createRefusal(token, createMethodNotFoundFault(name));
  if (!connection.isInitialized && !method.onDecoded) return createRefusal(token, createNotInitializedFault(name));
  if (!isRecord(params)) return createRefusal(token, createInvalidParamsFault('params must be an object'));
  try {
    const valid = validate(method.params, params) as never;
    method.onDecoded?.(valid, connection);
    return { ...createCall(token, method, valid, connection), session: sessionId };
  } catch (thrown) {
    return createRefusal(token, toFault(thrown));
  }
}

function createCall(
  token: AcpToken,
  { command, toParams, toReply, isLong, needsFullAccess }: AcpMethod,
  params: never,
  connection: ConnectionState,
): Extract<DecodedLine, { kind: 'call' }> {
  const { request } = token;
  const createContext = (call: MethodContext['call']): MethodContext => ({
    ...{ call, connection, requestId: request?.id },
    signal: request?.controller.signal ?? new AbortController().signal,
  });
  return {
    kind: 'call',
    token,
    command: typeof command === 'function' ? command(params) : command,
    params,
    long: isLong,
    needsFullAccess,
    toParams: (call) => toParams?.(params, createContext(call)) ?? params,
    toResult: (result, call) => toReply?.(result as never, createContext(call), params),
  };
}

/** Notifications get no response. Those that are invalid or unknown have no effect. */
function decodeNotification(method: string, params: unknown, connection: ConnectionState): DecodedLine {
  if (!isRecord(params) || !connection.isInitialized) return { kind: 'ignored' };
  if (method === 'session/cancel') return decodeCancel(params.sessionId, connection);
  return method === '$/cancel_request' ? decodeCancelRequest(params.requestId, connection) : { kind: 'ignored' };
}

function decodeCancel(sessionId: unknown, connection: ConnectionState): DecodedLine {
  if (typeof sessionId !== 'string') return { kind: 'ignored' };
  connection.cancelPrompts(sessionId);
  return { kind: 'call', token: { name: 'session/cancel' }, command: 'abort_all', params: {}, session: sessionId };
}

/** The prompt that runs is cancelled with its session. A queued prompt cannot be cancelled alone, which the protocol allows. */
function decodeCancelRequest(requestId: unknown, connection: ConnectionState): DecodedLine {
  const found = connection.findRequest(requestId);
  if (!found) return { kind: 'ignored' };
  const { request, isOldestPrompt } = found;
  if (isOldestPrompt) return decodeCancel(request.sessionId, connection);
  if (!request.isPrompt) request.controller.abort();
  return { kind: 'ignored' };
}

/** The client knows a call of a subagent by an id that no other call has. */
function encodeUiRequest(request: UiRequest, session: AgentSession, connection: ConnectionState): Frame | undefined {
  if (request.method !== 'select' || !request.toolCall) return connection.client.encodeUiRequest(request, session);
  const toolCallId = connection.getEncoder(session).getToolCallId(request.toolCall.toolCallId);
  return connection.client.encodeUiRequest({ ...request, toolCall: { ...request.toolCall, toolCallId } }, session);
}

function encodeReply(token: AcpToken, reply: Reply, connection: ConnectionState): Frame | undefined {
  const { request, method } = token;
  if (!request) return undefined;
  if (reply.status === 'failed') return encodeFailure(request, method, reply.fault, connection);
  if (reply.disposition === 'queued') request.isQueued = true;
  if (method?.isAnsweredByOutcome) return undefined;
  const isAnsweredOnAccept = method?.toAcceptedResult !== undefined;
  if ((reply.status === 'accepted') !== isAnsweredOnAccept) return undefined;
  if (reply.status === 'accepted')
    return encodeResult(request, method?.toAcceptedResult?.(reply.disposition), connection);
  const methodReply = reply.result as MethodReply | undefined;
  return methodReply ? encodeMethodReply(request, methodReply, connection) : encodeResult(request, {}, connection);
}

function encodeMethodReply(
  request: PendingRequest,
  reply: MethodReply,
  connection: ConnectionState,
): Frame | undefined {
  const { sessionId, session, encodeHistory, result, after = [] } = reply;
  const response = encodeResult(request, result, connection);
  if (!response) return undefined;
  const held = session ? connection.takeHeld(session) : [];
  if (session) connection.announce(session);
  const run = held.filter((one) => !isNotice(one));
  const isSentLater = createMessageFilter(run);
  const history = encodeHistory?.(isSentLater) ?? [];
  if (session && run.length > 0) connection.getEncoder(session).reserveUsedIds(isSentLater);
  const runFrames = session ? encodeHeld(run, session, connection, encodeHistory !== undefined) : [];
  return chainFrames([
    ...[...history].map((update) => createUpdateFrame(sessionId, update)),
    ...(encodeHistory ? runFrames : []),
    response,
    ...after.map((update) => createUpdateFrame(sessionId, update)),
    ...(encodeHistory ? [] : runFrames),
    ...(session ? encodeHeld(held.filter(isNotice), session, connection, true) : []),
  ]);
}

/** Encodes events that could not be sent before. `withEarlier`: also those of before the client was attached. */
function encodeHeld(
  held: readonly HeldEvent[],
  session: AgentSession,
  connection: ConnectionState,
  withEarlier: boolean,
): Frame[] {
  const open = withEarlier ? findOpenMessage(held) : undefined;
  const openUpdates = open ? connection.getEncoder(session).encodeOpenMessage(open.message) : [];
  const rest = held.slice(open?.end ?? 0).flatMap(({ event, position, isEarlier }) => {
    const frame = addRpcPosition(encodeEvent(event, session, connection, true), position);
    return isEarlier && !withEarlier ? [] : listFrames(frame);
  });
  const openFrame = chainFrames(openUpdates.map((update) => createUpdateFrame(session.id, update)));
  return [...listFrames(addRpcPosition(openFrame, open?.position)), ...rest];
}

function listFrames(frame: Frame | undefined): Frame[] {
  return frame ? [frame, ...listFrames(frame.followedBy)] : [];
}

function encodeResult(request: PendingRequest, result: unknown, connection: ConnectionState): Frame | undefined {
  return connection.markAnswered(request) ? createRpcFrame({ id: request.id, result }) : undefined;
}

function encodeFailure(
  request: PendingRequest,
  method: AcpMethod | undefined,
  fault: Fault,
  connection: ConnectionState,
): Frame | undefined {
  if (fault instanceof EarlyResult) return encodeResult(request, fault.result, connection);
  const isCancelled = fault.code === 'aborted' || request.controller.signal.aborted;
  if (isCancelled && method?.isPrompt) return encodeResult(request, { stopReason: 'cancelled' }, connection);
  if (!connection.markAnswered(request)) return undefined;
  const error = isCancelled ? createRequestCancelledError() : toJsonRpcError(fault, connection.authMethods);
  return createRpcFrame({ id: request.id, error });
}

/** An aborted prompt is always `cancelled`, never an error. */
function encodeOutcome(
  { request, method }: AcpToken,
  { status, error }: PromptOutcome,
  connection: ConnectionState,
): Frame | undefined {
  if (!request || !method?.isAnsweredByOutcome) return undefined;
  if (status === 'aborted') return encodeResult(request, { stopReason: 'cancelled' }, connection);
  const stopReason = connection.getStopReason(request.sessionId);
  if (status === 'completed' || stopReason !== 'end_turn') return encodeResult(request, { stopReason }, connection);
  if (!connection.markAnswered(request)) return undefined;
  const { message = 'The run failed', ...details } = error ?? {};
  return createRpcFrame({ id: request.id, error: { code: -32603, message, data: details } });
}

/** `isForeign`: another client has caused the event. */
function encodeEvent(
  event: AgentEvent,
  session: AgentSession,
  connection: ConnectionState,
  isForeign: boolean,
): Frame | undefined {
  const encoder = connection.getEncoder(session);
  const updates = encoder.encode(event, { showsPrompts: isForeign });
  const frames: (Frame | undefined)[] = updates.map((update) => createUpdateFrame(session.id, update));
  if (event.type === 'message_end' && event.message.role === 'assistant')
    connection.setFailed(session, event.message.stopReason === 'error');
  // After a failed answer the outcome of the prompt, with the reason, follows at the end of the run.
  if (event.type === 'queue_update' && !connection.hasFailed(session)) {
    const result = { stopReason: encoder.getStopReason() };
    const ended = connection.takeEndedPrompts(session.id, event.followUp.length);
    frames.push(...ended.map((request) => encodeResult(request, result, connection)));
  }
  if (event.type === 'message_start' && event.message.role === 'user' && connection.needsTitle(session)) {
    const title = createTitle(extractText(event.message.content));
    if (title !== null) frames.push(createUpdateFrame(session.id, { sessionUpdate: 'session_info_update', title }));
  }
  if (event.type === 'thinking_level_changed') {
    const configOptions = getConfigOptions(session, connection.getKnownModels(session));
    frames.push(createUpdateFrame(session.id, { sessionUpdate: 'config_option_update', configOptions }));
  }
  return chainFrames(frames.filter((frame) => frame !== undefined));
}
