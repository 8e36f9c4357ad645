// Sends one request about a session to the node that has it open, and returns the reply.
import { Fault, tryParseJson } from '../../../../base/index.ts';
import type { Relay } from '../../../../fleet/index.ts';
import {
  type ChannelOpening,
  decodeEnd,
  encodeJson,
  type RelayedEnd,
  type RelayedRequest,
  toLocalFault,
} from './relay-frames.ts';

export interface RelayRequestOptions {
  readonly relay: Relay;
  readonly nodeId: string;
  readonly sessionId: string;
  readonly request: RelayedRequest;
  /** It may be executed a second time. */
  readonly canRepeat: boolean;
}

/** `absent`: it was not executed, or it can be repeated. */
export type RelayedReply = { readonly value: unknown } | 'absent';

/** Rejects with a Fault if it is not known whether the request was executed. */
export async function relayRequest(options: RelayRequestOptions): Promise<RelayedReply> {
  const { relay, nodeId, sessionId, request, canRepeat } = options;
  const opening: ChannelOpening = { kind: 'request', sessionId };
  const channel = await relay.open(nodeId, encodeJson(opening), [encodeJson(request)]);
  if (!channel) return 'absent';
  for await (const message of channel.messages) {
    channel.close();
    return { value: (tryParseJson(message.toString()) as { value?: unknown } | undefined)?.value };
  }
  const end = await channel.end;
  if (end.kind === 'closed' && end.reason.length > 0) {
    const relayed: RelayedEnd = decodeEnd(end.reason);
    if (relayed.status === 'refused') throw toLocalFault(relayed.fault);
    if (relayed.status === 'absent') return 'absent';
  }
  if (canRepeat) return 'absent';
  throw createUnavailableFault(
    `The node that had session ${sessionId} open has ended before it replied. The call may have had an effect: look at the session, and send the call again if it had none.`,
  );
}

export function createUnavailableFault(message: string): Fault {
  return new Fault('busy', message, { details: { reason: 'unavailable' } });
}
