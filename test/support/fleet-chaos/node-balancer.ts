// A TCP proxy in front of the nodes of a fleet. It forwards each connection to another node than the one before.
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Server } from '../server.ts';
import type { RandomNumbers } from './chaos-plan.ts';
import type { FleetProcess } from './fleet-process.ts';

export interface NodeBalancer {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** Called before the first connection. */
  start(nodes: readonly FleetProcess<Server>[], random: RandomNumbers): void;
}

export async function listenForNodes(): Promise<NodeBalancer> {
  const sockets = new Set<Socket>();
  let choose = (): FleetProcess<Server> => {
    throw new Error('There are no nodes yet');
  };
  const server = createServer((client) => {
    const url = new URL(choose().running.url);
    const upstream = createConnection(Number(url.port), url.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    start(nodes, random) {
      choose = createNodeChoice(nodes, random);
    },
  };
}

/** Chooses another node each time, whatever its state is. */
export function createNodeChoice(nodes: readonly FleetProcess<Server>[], random: RandomNumbers) {
  let last: FleetProcess<Server> | undefined;
  return (): FleetProcess<Server> => {
    const others = nodes.filter((node) => node !== last);
    last = others[random(others.length)] as FleetProcess<Server>;
    return last;
  };
}
