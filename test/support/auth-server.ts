// A loopback server that answers the requests of sign-ins.
import { text } from 'node:stream/consumers';
import { startHttpServer } from './http-server.ts';

interface Received {
  readonly path: string;
  readonly fields: Record<string, string>;
}

/** Replies in order; the last one is repeated. A form or a JSON body is parsed. */
export async function startAuthServer(...replies: readonly (readonly [status: number, body: object | string])[]) {
  const requests: Received[] = [];
  const { url } = await startHttpServer(async (request, response) => {
    const body = await text(request);
    const isForm = request.headers['content-type']?.includes('form');
    const fields = isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body);
    const [status, reply] = replies[Math.min(requests.length, replies.length - 1)] ?? [500, ''];
    requests.push({ path: request.url ?? '', fields });
    response.writeHead(status).end(typeof reply === 'string' ? reply : JSON.stringify(reply));
  });
  return { url, requests };
}
