// Sends a request to a model with Node's HTTP client. Used instead of `fetch`, because the first use of `fetch` costs tens of
// milliseconds, and each chunk of a stream costs three times as much. Must not depend on a provider.
import type { Agent, IncomingMessage, RequestOptions } from 'node:http';
import { Fault } from '../../base/fault.ts';
import type { Clock, HttpRequest, HttpResponse, SendHttp } from '../../contracts/ports.ts';

/** Idle connections are kept this long. Shorter than the usual limits of servers, so that the client usually closes first. */
const KEEP_ALIVE_MS = 4000;
/** Timeout for the connection only. The reader of the response has its own timeouts. */
const CONNECT_TIMEOUT_MS = 30_000;
const COMPRESSED_ENCODING = /^(gzip|x-gzip|deflate|br)$/;

interface Client {
  request: typeof import('node:http').request;
  agent: Agent;
}

export function createSend(clock: Pick<Clock, 'after'>): SendHttp {
  const clients = new Map<string, Promise<Client>>();
  const getClient = (protocol: string): Promise<Client> => {
    const client = clients.get(protocol) ?? loadClient(protocol);
    clients.set(protocol, client);
    return client;
  };
  const sendHttp: SendHttp = async (address, request) => {
    const url = new URL(address);
    const client = await getClient(url.protocol);
    const attempt = () => sendRequest(client, url, request, clock);
    // A server may close an idle connection at the moment it is reused. The request was not processed then, so it is sent again.
    const incoming = await attempt().catch((thrown) =>
      isStaleConnection(thrown) ? attempt() : Promise.reject(thrown),
    );
    return toHttpResponse(incoming, url);
  };
  sendHttp.preload = (address) => {
    if (URL.canParse(address)) getClient(new URL(address).protocol).catch(() => {});
  };
  return sendHttp;
}

async function loadClient(protocol: string): Promise<Client> {
  const options = {
    keepAlive: true,
    keepAliveMsecs: KEEP_ALIVE_MS,
    timeout: KEEP_ALIVE_MS,
    scheduling: 'lifo' as const,
  };
  if (protocol === 'http:') {
    const { Agent, request } = await import('node:http');
    return { request, agent: new Agent(options) };
  }
  if (protocol === 'https:') {
    const { Agent, request } = await import('node:https');
    return { request, agent: new Agent(options) };
  }
  throw new Fault('config', `The address of a model must start with http:// or https:// (got ${protocol}//)`);
}

interface RequestError extends Error {
  code?: string;
  errors?: readonly Error[];
  reused?: boolean;
}

function sendRequest({ request, agent }: Client, url: URL, httpRequest: HttpRequest, clock: Pick<Clock, 'after'>) {
  const { method, headers, body, signal } = httpRequest;
  const length: Record<string, string> = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
  const options: RequestOptions = { method, headers: { ...headers, ...length }, agent };
  return new Promise<IncomingMessage>((resolve, reject) => {
    signal.throwIfAborted();
    let incoming: IncomingMessage | undefined;
    const outgoing = request(url, options, (response) => {
      incoming = response;
      resolve(response);
    });
    // Not Node's `signal` option: after the response is complete, its connection may be reused and must not be destroyed.
    const abort = () => {
      if (!incoming?.complete) outgoing.destroy(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    const cancel = clock.after(CONNECT_TIMEOUT_MS, () => {
      if (outgoing.socket?.connecting !== false) outgoing.destroy(new Error(`${url.host} cannot be reached`));
    });
    outgoing.on('close', () => {
      cancel();
      signal.removeEventListener('abort', abort);
    });
    outgoing.on('error', (thrown: RequestError) => {
      const problem = unwrapAggregateError(thrown);
      problem.reused = outgoing.reusedSocket;
      reject(problem);
    });
    // The agent's timeout is for idle connections. A model may take minutes to answer.
    outgoing.setTimeout(0);
    outgoing.end(body);
  });
}

/** When every address of a name fails, Node wraps the failures in an error without a message. */
function unwrapAggregateError(thrown: RequestError): RequestError {
  return (thrown.message === '' && thrown.errors?.[0]) || thrown;
}

function isStaleConnection(thrown: RequestError): boolean {
  return thrown.reused === true && (thrown.code === 'ECONNRESET' || thrown.code === 'EPIPE');
}

async function toHttpResponse(incoming: IncomingMessage, url: URL): Promise<HttpResponse> {
  const status = incoming.statusCode ?? 0;
  if (status >= 300 && status < 400 && incoming.headers.location !== undefined) {
    incoming.destroy();
    throw new Error(
      `${url.host} redirects to another address (${status}); redirects are not followed, so that the API key is not sent there`,
    );
  }
  const { headers } = incoming;
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      get(name) {
        const value = headers[name.toLowerCase()];
        return value === undefined ? null : `${value}`;
      },
      forEach(callback) {
        for (const [name, value] of Object.entries(headers)) callback(`${value}`, name);
      },
    },
    body: await decodeBody(incoming),
  };
}

/** No encoding is requested, but some intermediate servers compress anyway. */
async function decodeBody(incoming: IncomingMessage): Promise<AsyncIterable<Uint8Array>> {
  const encoding = incoming.headers['content-encoding']?.toLowerCase() ?? '';
  // Readers get the error from the stream. Without this listener, a connection error without a reader would crash the process.
  incoming.on('error', () => {});
  if (!COMPRESSED_ENCODING.test(encoding)) return incoming;
  const { createBrotliDecompress, createUnzip } = await import('node:zlib');
  const decoder = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  incoming.on('error', (thrown) => decoder.destroy(thrown));
  return incoming.pipe(decoder);
}
