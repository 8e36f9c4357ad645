// A TCP proxy between a node and its database that can stop to forward, as a network that loses all packets.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface CutProxy {
  readonly port: number;
  /** Connections stay open, and nothing arrives any more. New connections get no answer. */
  cut(): void;
  restore(): void;
  close(): void;
}

export async function startCutProxy(targetPort: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const add = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  };
  const server = createServer((client) => {
    add(client);
    const target = connect(targetPort, '127.0.0.1');
    add(target);
    client.pipe(target);
    target.pipe(client);
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
    if (isCut) for (const socket of [client, target]) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    restore() {
      isCut = false;
      // What was sent meanwhile is lost, as are the connections.
      for (const socket of sockets) socket.destroy();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
