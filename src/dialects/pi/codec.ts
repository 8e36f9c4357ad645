// Codec of the pi dialect: one response per call, updates with deltas only, one pair of compaction events.
import { isRecord } from '../../base/index.ts';
import type { CallToken, Codec, CodecOptions, EventEncoder, Frame, Reply } from '../../contracts/index.ts';
import type { AgentEvent, AgentEventOf, AgentMessage, UiRequest } from '../../protocol/index.ts';
import { createSourceInfo } from '../../support/source-info.ts';
import { createFailureOutcome, createResponse, createSuccess, decodeCall } from '../call-codec.ts';
import { createFrame, createToolUpdateFrame } from '../frames.ts';
import { createUsageUpdateEncoder } from '../message-update-encoder.ts';
import { piEvents, piMethods } from './wire-names.ts';

const encodedEventTypes: ReadonlySet<string> = new Set(piEvents);
/** Sent to clients of a server only. */
export const serverEventTypes: ReadonlySet<string> = new Set(['state_changed', 'conversation_changed']);

export function createPiCodec(options: Pick<CodecOptions, 'addPosition'> = {}): Codec {
  let eventFilter: ReadonlySet<string> | undefined;
  const encodeSessionEvent = createEventEncoder(options);
  const sharedEncoding = { key: 'pi', createEncoder: () => createEventEncoder(options) };
  return {
    encodeReadyFrame: () => undefined,
    decode: (line) => decodeCall(line, (method) => piMethods.get(method)),
    encodeReply,
    get sharedEncoding() {
      return eventFilter ? undefined : sharedEncoding;
    },
    encodeAttached: createFrame,
    encodeSnapshot: createFrame,
    encodeEvent(event: AgentEvent, _session, position) {
      if (eventFilter && !eventFilter.has(event.type.replace(/^auto_compaction/, 'compaction'))) return undefined;
      return encodeSessionEvent(event, position);
    },
    encodeHostRequest: createFrame,
    setEventFilter(events) {
      eventFilter = events;
    },
    // pi has no cancel frame. Clients of a server must learn that another client has answered.
    encodeUiRequest: (request: UiRequest) =>
      request.method === 'cancel' && request.answeredBy === undefined
        ? undefined
        : createFrame({ type: 'extension_ui_request', ...request }),
  };
}

/** Keeps state. */
function createEventEncoder({ addPosition }: Pick<CodecOptions, 'addPosition'>): EventEncoder {
  const updates = createUsageUpdateEncoder();
  const compactions = createCompactionEncoder();
  const encode: EventEncoder = (event, position) => {
    if (event.type === 'message_update') return updates.encode(event.assistantMessageEvent);
    if (event.type === 'tool_execution_update') return createToolUpdateFrame(event);
    if (event.type === 'message_start') return createFrame({ ...event, message: toPiMessageStart(event.message) });
    if (event.type === 'auto_compaction_start') return compactions.start(event);
    if (event.type === 'auto_compaction_end') return compactions.end(event);
    const isServerEvent = position !== undefined && serverEventTypes.has(event.type);
    return encodedEventTypes.has(event.type) || isServerEvent ? createFrame(event) : undefined;
  };
  return (event, position) => {
    const frame = encode(event, position);
    return frame && position && addPosition ? addPosition(frame, position) : frame;
  };
}

/** Manual and automatic compactions have the same event names. The end event repeats the reason. */
function createCompactionEncoder() {
  // Without a start event the compaction was for a request that did not fit the context: reason overflow.
  let reason: AgentEventOf<'auto_compaction_start'>['reason'] = 'overflow';
  return {
    start(event: AgentEventOf<'auto_compaction_start'>): Frame {
      reason = event.reason;
      return createFrame({ ...event, type: 'compaction_start' });
    },
    end({ type: _, ...outcome }: AgentEventOf<'auto_compaction_end'>): Frame {
      const frame = createFrame({ type: 'compaction_end', reason, ...outcome });
      reason = 'overflow';
      return frame;
    },
  };
}

/** A prompt is replied to when it is accepted. Later failures are reported by the events of the run, if it was started. */
function encodeReply(token: CallToken, reply: Reply): Frame | undefined {
  const isPrompt = token.name === 'prompt';
  if (reply.status === 'failed') {
    if (isPrompt && reply.afterAccepted && reply.fault.code !== 'not_run') return undefined;
    return createFrame(createResponse(token, createFailureOutcome(token, reply.fault)));
  }
  if (isPrompt !== (reply.status === 'accepted')) return undefined;
  const { disposition } = reply;
  const result = reply.status === 'settled' ? toPiResult(token.name, reply.result) : { disposition };
  return createFrame(createSuccess(token, result));
}

/** An assistant message that has just started gets `pending`. One that failed before it started keeps its stop reason. */
function toPiMessageStart(message: AgentMessage): object {
  const isPending = message.role === 'assistant' && message.stopReason === 'stop' && message.content.length === 0;
  return isPending ? { ...message, stopReason: 'pending' } : message;
}

/** `null` is passed on: it is the result of the cycle commands when there is nothing to change to. */
function toPiResult(method: string, result: unknown): unknown {
  if (method !== 'get_commands' || !isRecord(result) || !Array.isArray(result.commands)) return result;
  return { commands: result.commands.map(addSourceInfo) };
}

interface ListedCommand {
  location?: string;
  path?: string;
  baseDir?: string;
  [field: string]: unknown;
}

/** pi puts the source of a command into one object. */
function addSourceInfo({ location, path, baseDir, ...command }: ListedCommand): Record<string, unknown> {
  return { ...command, sourceInfo: createSourceInfo({ location, path, baseDir }) };
}
