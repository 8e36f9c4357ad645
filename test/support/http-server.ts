// A loopback HTTP server that is closed when the test ends.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface HttpServer {
  readonly server: Server;
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
}

export async function startHttpServer(listener: RequestListener): Promise<HttpServer> {
  const server = createServer(listener);
  // Long enough that a slow machine never reuses a connection that was closed for idleness.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** One frame of a Chat Completions stream. */
export function chatFrame(choice: object): string {
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`;
}
