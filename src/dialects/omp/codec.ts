// First floor, dialects: omp's spelling of calls, replies, events and questions. Knows no command's meaning.
import type { CallToken, Codec, CodecOptions, Frame, Reply } from '../../contracts/index.ts';
import type { AgentEvent, UiRequest } from '../../protocol/index.ts';
import { decodeCall, failure, response } from '../calls.ts';
import { plainFrame } from '../frames.ts';
import { createSpelling, type Spell } from './spelling.ts';
import { ompMethods } from './words.ts';

/** These are answered when they are accepted; everything else when it is done. */
const ANSWERED_WHEN_ACCEPTED: ReadonlySet<string> = new Set(['prompt', 'abort_and_prompt']);

/** Failures that the protocol reports without the id of the frame that caused them. */
const WITHOUT_ID: ReadonlySet<string> = new Set(['parse', 'unknown_command', 'invalid_id']);

const FOLLOWED: ReadonlySet<string> = new Set(['message_start', 'message_update']);

export function createOmpCodec(options: CodecOptions): Codec {
  let wanted: ReadonlySet<string> | undefined;
  const spell = createSpelling(options);
  let ofSubagents: Spell | undefined;
  return {
    greeting: () => plainFrame({ type: 'ready', version: options.version, protocolVersion: 1, dialect: 'omp' }),
    decode: (line) => decodeCall(line, (method) => ompMethods.get(method) ?? method),
    reply,
    event(event: AgentEvent) {
      const watched = ofSubagents?.(event);
      if (watched) return watched;
      const isWanted = !wanted || wanted.has(event.type);
      // A message is followed also while nobody wants to hear of it, so that it is whole when somebody does.
      if (!isWanted && !FOLLOWED.has(event.type)) return undefined;
      const frame = spell(event);
      if (!isWanted) return undefined;
      // Whoever names an event knows it, also where hosts of omp would not.
      return frame ?? (wanted && plainFrame(event));
    },
    hosted: plainFrame,
    async watchSubagents(level) {
      const { createSubagentSpelling } = await import('./subagents.ts');
      ofSubagents = level === 'off' ? undefined : createSubagentSpelling(level, () => createSpelling(options));
    },
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
