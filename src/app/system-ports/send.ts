// The app's hot road to a model: one request over Node's own HTTP client. Knows no provider. It exists beside `fetch` because
// the first use of that costs tens of milliseconds, and every piece of a stream three times as much.
import type { Agent, IncomingMessage, RequestOptions } from 'node:http';
import { Fault } from '../../base/fault.ts';
import type { Clock, HttpAnswer, HttpRequest, Send } from '../../contracts/ports.ts';

/** Idle connections are kept this long: shorter than the common limits of servers, so that we mostly close first. */
const KEEP_MS = 4000;
/** A host that does not answer at all; what it does once it has is watched by whoever reads. */
const CONNECT_MS = 30_000;
const ENCODED = /^(gzip|x-gzip|deflate|br)$/;

interface Client {
  request: typeof import('node:http').request;
  agent: Agent;
}

export function createSend(clock: Pick<Clock, 'after'>): Send {
  const clients = new Map<string, Promise<Client>>();
  const clientFor = (protocol: string): Promise<Client> => {
    const known = clients.get(protocol) ?? loadClient(protocol);
    clients.set(protocol, known);
    return known;
  };
  const send: Send = async (address, asked) => {
    const url = new URL(address);
    const client = await clientFor(url.protocol);
    const exchange = () => begin(client, url, asked, clock);
    // A server may close a kept connection in the very moment it is used again. That says nothing about the request.
    const incoming = await exchange().catch((thrown) => (isStale(thrown) ? exchange() : Promise.reject(thrown)));
    return answerOf(incoming, url);
  };
  send.prepare = (address) => {
    if (URL.canParse(address)) clientFor(new URL(address).protocol).catch(() => {});
  };
  return send;
}

async function loadClient(protocol: string): Promise<Client> {
  const options = { keepAlive: true, keepAliveMsecs: KEEP_MS, timeout: KEEP_MS, scheduling: 'lifo' as const };
  if (protocol === 'http:') {
    const { Agent, request } = await import('node:http');
    return { request, agent: new Agent(options) };
  }
  if (protocol === 'https:') {
    const { Agent, request } = await import('node:https');
    return { request, agent: new Agent(options) };
  }
  throw new Fault('config', `A model's address begins with http:// or https://, not ${protocol}//`);
}

interface Broken extends Error {
  code?: string;
  errors?: readonly Error[];
  reused?: boolean;
}

function begin({ request, agent }: Client, url: URL, asked: HttpRequest, clock: Pick<Clock, 'after'>) {
  const { method, headers, body, signal } = asked;
  const length: Record<string, string> = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
  const options: RequestOptions = { method, headers: { ...headers, ...length }, agent };
  return new Promise<IncomingMessage>((resolve, reject) => {
    signal.throwIfAborted();
    let incoming: IncomingMessage | undefined;
    const outgoing = request(url, options, (answer) => {
      incoming = answer;
      resolve(answer);
    });
    // Not Node's own way to pass a signal: once all of an answer is here, its connection is no longer ours to break.
    const abort = () => {
      if (!incoming?.complete) outgoing.destroy(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    const cancel = clock.after(CONNECT_MS, () => {
      if (outgoing.socket?.connecting !== false) outgoing.destroy(new Error(`${url.host} cannot be reached`));
    });
    outgoing.on('close', () => {
      cancel();
      signal.removeEventListener('abort', abort);
    });
    outgoing.on('error', (thrown: Broken) => {
      const broken = speaking(thrown);
      broken.reused = outgoing.reusedSocket;
      reject(broken);
    });
    // The agent's limit is for idle connections; a model may think for minutes.
    outgoing.setTimeout(0);
    outgoing.end(body);
  });
}

/** When every address of a name fails, Node wraps the failures in an error that says nothing. */
function speaking(thrown: Broken): Broken {
  return (thrown.message === '' && thrown.errors?.[0]) || thrown;
}

function isStale(thrown: Broken): boolean {
  return thrown.reused === true && (thrown.code === 'ECONNRESET' || thrown.code === 'EPIPE');
}

async function answerOf(incoming: IncomingMessage, url: URL): Promise<HttpAnswer> {
  const status = incoming.statusCode ?? 0;
  if (status >= 300 && status < 400 && incoming.headers.location !== undefined) {
    incoming.destroy();
    throw new Error(`${url.host} redirects elsewhere (${status}), where the key must not go`);
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
    },
    body: await plain(incoming),
  };
}

/** We ask for no encoding, but some servers in between are not listening. */
async function plain(incoming: IncomingMessage): Promise<AsyncIterable<Uint8Array>> {
  const encoding = incoming.headers['content-encoding']?.toLowerCase() ?? '';
  // Whoever reads learns of it; a connection that breaks when nobody does must not end the process.
  incoming.on('error', () => {});
  if (!ENCODED.test(encoding)) return incoming;
  const { createBrotliDecompress, createUnzip } = await import('node:zlib');
  const decoder = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  incoming.on('error', (thrown) => decoder.destroy(thrown));
  return incoming.pipe(decoder);
}
