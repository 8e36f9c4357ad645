// Connects a client to a session that another node has open: its lines go there, and the frames come back.
import type { Clock } from '../../../../contracts/index.ts';
import type { ChannelEnd, Relay, RelayChannel } from '../../../../fleet/index.ts';
import type { ClientConnection, ConnectionEnd } from '../../../../http/index.ts';
import { toConnectionEnd } from '../connection-end.ts';
import {
  type ChannelOpening,
  decodeEnd,
  decodeFrame,
  encodeJson,
  encodeLine,
  type RelayedEnd,
  toLocalFault,
} from './relay-frames.ts';

export interface RelayClientOptions {
  readonly relay: Relay;
  readonly clock: Clock;
  /** The other node. */
  readonly nodeId: string;
  readonly sessionId: string;
  readonly connection: ClientConnection;
  /** The other node serves the client. */
  onOpened(): void;
}

/** How long the frames before the end of the connection may wait for a client that does not read. */
const LAST_FRAMES_MS = 5000;
const NODE_ENDED = 'The node that had the session open has ended. Connect again.';

/** Returns `absent` if the other node does not have the session. Then the client has received nothing. Rejects as `serveConnection`. */
export async function relayClient(options: RelayClientOptions): Promise<'served' | 'absent'> {
  const { relay, nodeId, sessionId, connection, clock } = options;
  const { caller, params, transport } = connection;
  const opening: ChannelOpening = { kind: 'client', sessionId, caller, params };
  const channel = await relay.open(nodeId, encodeJson(opening));
  if (!channel) return 'absent';
  void transport.readerClosed.then(() => channel.close());
  const written = new AbortController();
  const finish = async () => {
    const end = await channel.end;
    // A client that does not read would keep the connection open.
    await clock.sleep(LAST_FRAMES_MS, written.signal);
    return readEnd(end, isOpen);
  };
  let isOpen = false;
  const handleOpened = () => {
    if (isOpen) return;
    isOpen = true;
    options.onOpened();
    // Rejects only if the client has disconnected, which is noticed otherwise.
    void sendLines(connection, channel).catch(() => {});
  };
  void writeFrames(connection, channel, handleOpened).finally(() => written.abort());
  const { outcome, end } = await finish();
  if (end) connection.close(end);
  return outcome;
}

async function writeFrames(
  { transport }: ClientConnection,
  channel: RelayChannel,
  handleOpened: () => void,
): Promise<void> {
  for await (const message of channel.messages) {
    handleOpened();
    const frame = decodeFrame(message);
    if (frame && !transport.write([frame])) await transport.waitForDrain();
  }
}

async function sendLines({ transport }: ClientConnection, channel: RelayChannel): Promise<void> {
  for await (const line of transport.lines) if (!channel.send(encodeLine(line))) await channel.waitForDrain();
  channel.send(encodeLine(undefined));
}

interface Outcome {
  readonly outcome: 'served' | 'absent';
  /** What the client gets. */
  readonly end?: ConnectionEnd | undefined;
}

/** Throws the Fault with which the other node has refused the connection. */
function readEnd(end: ChannelEnd, isOpen: boolean): Outcome {
  // The client has disconnected.
  if (end.kind === 'left') return { outcome: 'served' };
  const relayed: RelayedEnd = end.kind === 'closed' ? decodeEnd(end.reason) : { status: 'absent' };
  if (relayed.status === 'done') return { outcome: 'served' };
  if (relayed.status === 'refused') throw toLocalFault(relayed.fault);
  if (relayed.status === 'ended') return { outcome: 'served', end: { code: relayed.code, reason: relayed.reason } };
  return isOpen ? { outcome: 'served', end: toConnectionEnd('server_ends', NODE_ENDED) } : { outcome: 'absent' };
}
