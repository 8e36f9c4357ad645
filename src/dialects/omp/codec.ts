// Codec of the omp dialect: calls, replies, events and UI requests as JSON lines.
import type { CallToken, Codec, CodecOptions, EventEncoder, Frame, Reply } from '../../contracts/index.ts';
import type { AgentEvent, UiRequest } from '../../protocol/index.ts';
import { createFailureOutcome, createResponse, createSuccess, decodeCall } from '../call-codec.ts';
import { createFrame } from '../frames.ts';
import { createEventEncoder } from './event-encoder.ts';
import { MAX_FRAME_BYTES, MAX_REASSEMBLED_BYTES } from './frame-limits.ts';
import { ompMethods } from './wire-names.ts';

/** Replied to when the call is accepted. All other calls are replied to when they are done. */
const REPLIED_ON_ACCEPTANCE: ReadonlySet<string> = new Set(['prompt', 'abort_and_prompt', 'continue_run']);

/** The protocol reports these failures without the id of the frame. */
const FAULTS_WITHOUT_ID: ReadonlySet<string> = new Set(['parse', 'unknown_command', 'invalid_id']);

const ALWAYS_ENCODED: ReadonlySet<string> = new Set(['message_start', 'message_update']);

export function createOmpCodec(options: CodecOptions): Codec {
  let eventFilter: ReadonlySet<string> | undefined;
  const encodeSessionEvent = createEventEncoder(options);
  const sharedEncoding = { key: `omp ${options.stream}`, createEncoder: () => createEventEncoder(options) };
  let encodeSubagentEvent: EventEncoder | undefined;
  const codec: Codec = {
    encodeReadyFrame: () =>
      createFrame({
        ...{ type: 'ready', version: options.version, protocolVersion: 1, dialect: 'omp' },
        ...{ supportedProtocolVersions: [1, 2], maxFrameBytes: MAX_FRAME_BYTES },
        maxReassembledFrameBytes: MAX_REASSEMBLED_BYTES,
      }),
    decode: (line) => decodeCall(line, (method) => ompMethods.get(method) ?? method),
    encodeReply,
    encodeOutcome: (token, outcome) => createFrame({ id: token.id, type: 'prompt_result', ...outcome }),
    get sharedEncoding() {
      return eventFilter || encodeSubagentEvent ? undefined : sharedEncoding;
    },
    encodeAttached: createFrame,
    encodeSnapshot: createFrame,
    encodeEvent(event: AgentEvent, _session, position) {
      const subagentFrame = encodeSubagentEvent?.(event);
      if (subagentFrame)
        return position && options.addPosition ? options.addPosition(subagentFrame, position) : subagentFrame;
      if (event.type === 'session_settled' && !position) return createFrame(event);
      const isSelected = !eventFilter || eventFilter.has(event.type) || event.type === 'session_settled';
      // The encoder must process every message event, so that the message is complete if the host changes its filter midway.
      if (!isSelected && !ALWAYS_ENCODED.has(event.type)) return undefined;
      const frame = encodeSessionEvent(event, position);
      if (!isSelected) return undefined;
      // The host selected this event by name, so it is sent even if omp does not define it.
      return frame ?? (eventFilter && createFrame(event));
    },
    encodeHostRequest: createFrame,
    async setSubagentSubscription(level) {
      const { createSubagentEventEncoder } = await import('./subagent-event-encoder.ts');
      encodeSubagentEvent =
        level === 'off' ? undefined : createSubagentEventEncoder(level, () => createEventEncoder(options));
    },
    setEventFilter(events) {
      eventFilter = events;
    },
    encodeUiRequest: (request: UiRequest) => createFrame({ type: 'extension_ui_request', ...request }),
    async enableChunks() {
      const { createChunkEncoder } = await import('./chunk-encoder.ts');
      codec.limitFrame ??= createChunkEncoder();
    },
  };
  return codec;
}

function encodeReply(token: CallToken, reply: Reply): Frame | undefined {
  const isRepliedOnAcceptance = REPLIED_ON_ACCEPTANCE.has(token.name);
  if (reply.status === 'accepted')
    return isRepliedOnAcceptance ? createFrame(createSuccess(token, { disposition: reply.disposition })) : undefined;
  if (reply.status === 'failed') {
    const replyToken = FAULTS_WITHOUT_ID.has(reply.fault.code) ? { name: token.name } : token;
    return createFrame(createResponse(replyToken, createFailureOutcome(token, reply.fault)));
  }
  if (isRepliedOnAcceptance) return undefined;
  return createFrame(createSuccess(token, reply.result));
}
