// Turns HTTP requests into WebSockets, and ends those whose other side has vanished.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../contracts/index.ts';
import type { RequestFacts } from '../../http/index.ts';
import { WebSocketServer } from '../../http/vendor/web-socket-server.ts';
import type { WebSocketLike } from '../../transports/web-socket-transport.ts';
import { INVALID_REQUEST, type RawRefusal, sendRefusal } from './raw-response.ts';
import { readRequestFacts } from './request-facts.ts';

export interface UpgradeOptions<T> {
  readonly clock: Clock;
  readonly maxFrameBytes: number;
  admit(request: RequestFacts): Promise<{ readonly admitted: T } | { readonly refused: RawRefusal }>;
  onConnection(socket: WebSocketLike, admitted: T): void;
}

/** A client that does not answer two pings in a row is gone. */
const PING_MS = 10_000;

export function createUpgradeHandler<T>({ clock, maxFrameBytes, admit, onConnection }: UpgradeOptions<T>) {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    clientTracking: false,
  });
  server.on('wsClientError', ({ message }, socket) =>
    sendRefusal(socket, { status: 400, code: 'invalid_params', message: `This is no valid handshake: ${message}.` }),
  );
  return async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const facts = readRequestFacts(request);
    // The client may disconnect before the token is found.
    const ignore = () => {};
    socket.on('error', ignore);
    const admission = facts ? await admit(facts) : { refused: INVALID_REQUEST };
    if (socket.destroyed) return;
    if ('refused' in admission) {
      sendRefusal(socket, admission.refused);
      return;
    }
    socket.off('error', ignore);
    server.handleUpgrade(request, socket, head, (webSocket) => {
      keepAlive(webSocket, clock);
      onConnection(webSocket as WebSocketLike, admission.admitted);
    });
  };
}

/** Ends connections whose other side has vanished without closing them. */
function keepAlive(
  socket: { ping(): void; terminate(): void; on(event: 'pong' | 'close', listener: () => void): void },
  clock: Clock,
): void {
  let unanswered = 0;
  let cancel = () => {};
  const plan = () => {
    cancel = clock.after(PING_MS, () => {
      if (unanswered >= 2) {
        socket.terminate();
        return;
      }
      unanswered += 1;
      socket.ping();
      plan();
    });
  };
  socket.on('pong', () => {
    unanswered = 0;
  });
  socket.on('close', () => cancel());
  plan();
}
