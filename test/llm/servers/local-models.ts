// Loopback server for the model lists of local servers.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LocalServer {
  readonly url: string;
  /** Requests like `POST /api/show {"model":"x"}`, in order. */
  readonly requests: string[];
  readonly keys: (string | undefined)[];
  close(): Promise<void>;
}

/** `undefined` gives status 404, a number that status, and `'silent'` no response. */
export type Pages = (path: string, body: Record<string, unknown>) => unknown;

export async function startLocalServer(pages: Pages): Promise<LocalServer> {
  const requests: string[] = [];
  const keys: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    requests.push(`${request.method} ${request.url}${text && ` ${text}`}`);
    keys.push(request.headers.authorization);
    const page = pages(request.url ?? '', text ? (JSON.parse(text) as Record<string, unknown>) : {});
    if (page === 'silent') return;
    response.statusCode = typeof page === 'number' ? page : page === undefined ? 404 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(typeof page === 'string' ? page : JSON.stringify(typeof page === 'object' ? page : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    keys,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
