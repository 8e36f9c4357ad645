// First floor, dialects: omp's spelling of calls, replies, events and questions. Knows no command's meaning.
import type { CallToken, Codec, CodecOptions, Frame, Reply } from '../../contracts/index.ts';
import type { AgentEvent, UiRequest } from '../../protocol/index.ts';
import { decodeCall, failure, response } from '../calls.ts';
import { plainFrame, toolUpdateFrame } from '../frames.ts';
import { deltaUpdates, fullUpdates } from '../updates.ts';
import { ompEvents, ompMethods } from './words.ts';

/** These are answered when they are accepted; everything else when it is done. */
const ANSWERED_WHEN_ACCEPTED: ReadonlySet<string> = new Set(['prompt', 'abort_and_prompt']);

/** Failures that the protocol reports without the id of the frame that caused them. */
const WITHOUT_ID: ReadonlySet<string> = new Set(['parse', 'unknown_command', 'invalid_id']);

const spelled: ReadonlySet<string> = new Set(ompEvents);

export function createOmpCodec(options: CodecOptions): Codec {
  let wanted: ReadonlySet<string> | undefined;
  const updates = options.stream === 'full' ? fullUpdates() : deltaUpdates();
  return {
    greeting: () => plainFrame({ type: 'ready', version: options.version, protocolVersion: 1, dialect: 'omp' }),
    decode: (line) => decodeCall(line, (method) => ompMethods.get(method) ?? method),
    reply,
    event(event: AgentEvent) {
      if (event.type === 'message_start') updates.begin();
      const isWanted = !wanted || wanted.has(event.type);
      if (event.type === 'message_update') {
        // Followed also while nobody wants to hear of it, so that it is whole when somebody does.
        const frame = updates.frame(event.assistantMessageEvent);
        return isWanted ? frame : undefined;
      }
      // Whoever names an event knows it, also where hosts of omp would not.
      if (!isWanted || !(wanted || spelled.has(event.type))) return undefined;
      if (event.type === 'tool_execution_update') return toolUpdateFrame(event);
      if (event.type !== 'tool_execution_end') return plainFrame(event);
      const { durationMs: _, ...end } = event;
      return plainFrame(end);
    },
    hosted: plainFrame,
    listenTo(events) {
      wanted = events;
    },
    ask: (request: UiRequest) => plainFrame({ type: 'extension_ui_request', ...request }),
  };
}

function reply(token: CallToken, reply: Reply): Frame | undefined {
  const atAcceptance = ANSWERED_WHEN_ACCEPTED.has(token.name);
  if (reply.moment === 'accepted') return atAcceptance ? plainFrame(response(token, { success: true })) : undefined;
  if (reply.moment === 'failed') {
    const to = WITHOUT_ID.has(reply.fault.code) ? { name: token.name } : token;
    return plainFrame(response(to, failure(token, reply.fault)));
  }
  if (atAcceptance) return undefined;
  return plainFrame(response(token, { success: true, data: reply.result }));
}
