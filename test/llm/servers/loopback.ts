// What loopback providers have in common: a server that remembers what it was asked and answers as it was told. Speaks no format.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Fields = Record<string, unknown>;

export interface Reply<Answer> {
  /** An answer as the provider would stream it, … */
  answer?: Answer;
  /** … or its frames as they are, … */
  frames?: readonly Uint8Array[];
  /** … or a plain HTTP answer, … */
  plain?: { status: number; headers?: Record<string, string>; body: string };
  /** … or nothing, ever. */
  silent?: true;
  /** Takes requests that the real one would refuse. */
  lax?: true;
  /** Sends only so many frames, and then … */
  upTo?: number;
  after?: 'stall' | 'reset' | 'end';
  /** Sends the stream in pieces of so many bytes. */
  pieces?: number;
}

export interface Received {
  path: string;
  headers: Record<string, string | undefined>;
  body: Fields;
  /** The body as it came. */
  text: string;
  /** Resolves when the connection is gone. */
  closed: Promise<void>;
}

export interface LoopbackServer<Answer> {
  readonly url: string;
  /** What came, in order; also those that were refused. */
  readonly received: readonly Received[];
  /** The next request that comes after this was asked. */
  next(): Promise<Received>;
  /** Says what to answer to the next requests, in order. What was said before and not asked for is forgotten. */
  reply(...replies: Reply<Answer>[]): void;
  close(): Promise<void>;
}

/** How a provider says no. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
    super(body);
    this.status = status;
    this.body = body;
    this.headers = { 'content-type': 'application/json', ...headers };
  }
}

export interface Spoken<Answer> {
  streamType: string;
  /** Throws a Refusal. */
  check(got: Received): void;
  framesOf(answer: Answer, got: Received): readonly Uint8Array[];
}

export async function startLoopback<Answer>(spoken: Spoken<Answer>): Promise<LoopbackServer<Answer>> {
  const received: Received[] = [];
  const replies: Reply<Answer>[] = [];
  const waiting: ((got: Received) => void)[] = [];
  const server = createServer(async (request, response) => {
    const got = await receive(request, response);
    received.push(got);
    for (const tell of waiting.splice(0)) tell(got);
    const reply = replies.shift() ?? { plain: { status: 500, body: 'no reply was scripted' } };
    try {
      if (!reply.lax) spoken.check(got);
      await answer(response, reply, got, spoken);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      response.writeHead(thrown.status, thrown.headers);
      response.end(thrown.body);
    }
  });
  // A busy machine must not come upon connections that were closed for idleness.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    reply: (...next) => void replies.splice(0, replies.length, ...next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<Received> {
  const closed = new Promise<void>((resolve) => response.on('close', resolve));
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const headers = request.headers as Record<string, string | undefined>;
  return { path: `${request.method} ${request.url}`, headers, body: JSON.parse(text) as Fields, text, closed };
}

async function answer<Answer>(
  response: ServerResponse,
  reply: Reply<Answer>,
  got: Received,
  spoken: Spoken<Answer>,
): Promise<void> {
  if (reply.silent) return;
  if (reply.plain) {
    const { status, headers, body } = reply.plain;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    return void response.end(body);
  }
  response.writeHead(200, { 'content-type': spoken.streamType });
  response.flushHeaders();
  const frames = reply.frames ?? (reply.answer ? spoken.framesOf(reply.answer, got) : []);
  await send(response, Buffer.concat(frames.slice(0, reply.upTo)), reply.pieces);
  if (reply.after === 'reset') response.socket?.resetAndDestroy();
  else if (reply.after !== 'stall') response.end();
}

async function send(response: ServerResponse, bytes: Buffer, size = bytes.length): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(at, at + size), () => resolve()));
  }
}

/** Whatever is not among `keys` is handed to `refuse`. */
export function only(value: unknown, keys: readonly string[], refuse: (key: string) => Refusal): Fields {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Fields;
  for (const key of Object.keys(fields)) if (!keys.includes(key)) throw refuse(key);
  return fields;
}

/** The body of the last request. */
export function lastBody<Answer>({ received }: LoopbackServer<Answer>): Fields {
  return received.at(-1)?.body ?? {};
}

export function listIn(fields: Fields, key: string): Fields[] {
  const value = fields[key];
  return Array.isArray(value) ? (value as Fields[]) : [];
}
