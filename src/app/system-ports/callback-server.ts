// A server on the loopback interface that waits for one redirect of a browser.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface RedirectServer {
  readonly port: number;
  readonly received: Promise<URLSearchParams>;
  close(): void;
}

interface RedirectServerOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly path: string;
  /** Requests for which it returns false are refused, and the server continues to wait. */
  isExpected(query: URLSearchParams): boolean;
}

/** Rejects when the port is in use. */
export async function openCallbackServer({ port, path, isExpected }: RedirectServerOptions): Promise<RedirectServer> {
  let resolve: (query: URLSearchParams) => void = () => {};
  const received = new Promise<URLSearchParams>((done) => {
    resolve = done;
  });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const answer = (status: number, text: string, onSent?: () => void) =>
      response
        .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
        .end(`${text}\n`, onSent);
    if (request.method !== 'GET' || pathname !== path) return void answer(404, 'Not found.');
    if (!isExpected(searchParams) || !(searchParams.has('code') || searchParams.has('error')))
      return void answer(400, 'This page belongs to another sign-in.');
    const isRefused = searchParams.has('error');
    const page = isRefused
      ? 'The sign-in was refused.'
      : 'Signed in. You can close this page and return to the terminal.';
    answer(200, page, () => resolve(searchParams));
  });
  await new Promise<void>((listening, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', listening);
  });
  return {
    port: (server.address() as AddressInfo).port,
    received,
    close() {
      server.close();
      // A browser keeps spare connections open, which would keep the process running.
      server.closeAllConnections();
    },
  };
}
