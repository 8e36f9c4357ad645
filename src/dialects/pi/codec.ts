// First floor, dialects: pi's spelling. One response to every call, deltas without the message, one pair of compaction events.
import type { CallToken, Codec, Frame, Reply } from '../../contracts/index.ts';
import type { AgentEvent, AgentEventOf, UiRequest } from '../../protocol/index.ts';
import { decodeCall, failure, response } from '../calls.ts';
import { plainFrame, toolUpdateFrame } from '../frames.ts';
import { usageUpdates } from '../updates.ts';
import { piOpening } from './messages.ts';
import { resultOf } from './results.ts';
import { piEvents, piMethods } from './words.ts';

const spelled: ReadonlySet<string> = new Set(piEvents);

export function createPiCodec(): Codec {
  let wanted: ReadonlySet<string> | undefined;
  const updates = usageUpdates();
  const compactions = compactionFrames();
  return {
    greeting: () => undefined,
    decode: (line) => decodeCall(line, (method) => piMethods.get(method)),
    reply,
    event(event: AgentEvent) {
      if (wanted && !wanted.has(event.type.replace(/^auto_compaction/, 'compaction'))) return undefined;
      if (event.type === 'message_update') return updates.frame(event.assistantMessageEvent);
      if (event.type === 'tool_execution_update') return toolUpdateFrame(event);
      if (event.type === 'message_start') return plainFrame({ ...event, message: piOpening(event.message) });
      if (event.type === 'auto_compaction_start') return compactions.start(event);
      if (event.type === 'auto_compaction_end') return compactions.end(event);
      return spelled.has(event.type) ? plainFrame(event) : undefined;
    },
    hosted: plainFrame,
    listenTo(events) {
      wanted = events;
    },
    // That nobody waits any more has no word here.
    ask: (request: UiRequest) =>
      request.method === 'cancel' ? undefined : plainFrame({ type: 'extension_ui_request', ...request }),
  };
}

/** One name whether somebody asked for it or not; the end says again why. */
function compactionFrames() {
  // A compaction that is given up before it began can only have been for a request that did not fit.
  let reason: AgentEventOf<'auto_compaction_start'>['reason'] = 'overflow';
  return {
    start(event: AgentEventOf<'auto_compaction_start'>): Frame {
      reason = event.reason;
      return plainFrame({ ...event, type: 'compaction_start' });
    },
    end({ type: _, ...outcome }: AgentEventOf<'auto_compaction_end'>): Frame {
      const frame = plainFrame({ type: 'compaction_end', reason, ...outcome });
      reason = 'overflow';
      return frame;
    },
  };
}

/** A prompt is answered when it is accepted. What goes wrong later is told by the events of its run, if it has one. */
function reply(token: CallToken, reply: Reply): Frame | undefined {
  const isPrompt = token.name === 'prompt';
  if (reply.moment === 'failed') {
    if (isPrompt && reply.afterAccepted && reply.fault.code !== 'not_run') return undefined;
    return plainFrame(response(token, failure(token, reply.fault)));
  }
  if (isPrompt !== (reply.moment === 'accepted')) return undefined;
  const { disposition } = reply;
  const result = reply.moment === 'settled' ? resultOf(token.name, reply.result) : undefined;
  const data = result === undefined && disposition ? { disposition } : result;
  return plainFrame(response(token, { success: true, data }));
}
