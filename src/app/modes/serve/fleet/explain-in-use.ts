// The message for a client that opens a session with a command, when another node has that session open.
import { Fault, isRecord, tryParseJson } from '../../../../base/index.ts';
import type { Relay } from '../../../../fleet/index.ts';
import { isInUse } from './answer-node.ts';

/** A connection is relayed when it begins, with the session that it names. A session that is opened later must be on its node. */
export async function explainInUse(
  thrown: unknown,
  sessionId: string,
  relay: Pick<Relay, 'database'>,
): Promise<unknown> {
  if (!isInUse(thrown)) return thrown;
  const owner = await relay.database.findOwner(sessionId).catch(() => undefined);
  if (owner?.kind !== 'node') return thrown;
  const process = tryParseJson(owner.process);
  const node = isRecord(process) ? `${process.host}:${process.pid}` : owner.id;
  const message = `Session ${sessionId} is open on another node of the fleet, ${node}. Connect again with session=${sessionId}: every node serves it then. Clients that open their sessions themselves can connect to that node, or close the session first: POST /v1/sessions/${sessionId}/close works on every node.`;
  return new Fault('refused', message, { details: thrown.details, cause: thrown });
}
