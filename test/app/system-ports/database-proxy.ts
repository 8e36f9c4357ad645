// A TCP proxy before a database server that can stop forwarding, so that connections stay open and nothing arrives.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { OnEnd } from '../../support/temporary-directory.ts';

export interface DatabaseProxy {
  /** The address of the database, through the proxy. */
  readonly url: string;
  /** Connections that were accepted so far. */
  readonly accepted: number;
  /** Drops everything of the connections that exist now, and of new ones, without closing any. */
  cut(): void;
  /** New connections are forwarded again. Those that were cut stay so. */
  repair(): void;
  /** Resets all connections. */
  reset(): void;
  /** Resets a connection once, instead of forwarding the first bytes with this text. */
  resetAt(text: string): void;
  /** Resolves when the number of open connections has become this. */
  waitForOpen(count: number): Promise<void>;
}

export async function createDatabaseProxy(databaseUrl: string, onEnd: OnEnd): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const clients = new Set<Socket>();
  const waiting = new Set<() => void>();
  const cutOff = new WeakSet<Socket>();
  let [accepted, isCut] = [0, false];
  let resetText: string | undefined;
  const server = createServer((client) => {
    accepted += 1;
    clients.add(client);
    if (isCut) cutOff.add(client);
    const upstream = connect(Number(target.port), target.hostname);
    client.on('data', (bytes) => {
      if (resetText !== undefined && bytes.includes(resetText)) {
        resetText = undefined;
        client.resetAndDestroy();
      } else if (!cutOff.has(client)) upstream.write(bytes);
    });
    upstream.on('data', (bytes) => void (cutOff.has(client) || client.write(bytes)));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
    client.on('close', () => {
      clients.delete(client);
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(async () => {
    for (const client of clients) client.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    get accepted() {
      return accepted;
    },
    cut() {
      isCut = true;
      for (const client of clients) cutOff.add(client);
    },
    repair() {
      isCut = false;
    },
    reset() {
      for (const client of clients) client.resetAndDestroy();
    },
    resetAt(text) {
      resetText = text;
    },
    waitForOpen(count) {
      return new Promise((resolve) => {
        const check = () => {
          if (clients.size !== count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },
  };
}
