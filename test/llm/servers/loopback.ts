// Base of the loopback providers: records requests and sends scripted replies.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Fields = Record<string, unknown>;

export interface Reply<Answer> {
  /** A reply encoded like the provider would, … */
  answer?: Answer;
  /** … or raw frames, … */
  frames?: readonly (string | Uint8Array)[];
  /** … or a plain HTTP response, … */
  plain?: { status: number; headers?: Record<string, string>; body: string };
  /** … or no response. */
  silent?: true;
  /** Skips the request checks. */
  lax?: true;
  /** Sends only this many frames, and then … */
  upTo?: number;
  after?: 'stall' | 'reset' | 'end';
  /** Sends the stream in chunks of this many bytes. */
  pieces?: number;
}

export interface Received {
  path: string;
  headers: Record<string, string | undefined>;
  body: Fields;
  /** The raw body. */
  text: string;
  /** Resolves when the connection is closed. */
  closed: Promise<void>;
}

export interface LoopbackServer<Answer, R = Reply<Answer>> {
  readonly url: string;
  /** All requests in order, including rejected ones. */
  readonly received: readonly Received[];
  /** Resolves with the next request after this call. */
  next(): Promise<Received>;
  /** Sets the replies to the next requests, in order. Unused earlier replies are discarded. */
  reply(...replies: R[]): void;
  close(): Promise<void>;
}

/** An error response of a provider. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: string, headers: Readonly<Record<string, string>> = {}, message = body) {
    super(message);
    this.status = status;
    this.body = body;
    this.headers = { 'content-type': 'application/json', ...headers };
  }
}

export interface ServerFormat<Answer, R = Reply<Answer>> {
  /** The content type and other headers of a stream. */
  streamHeaders: Readonly<Record<string, string>>;
  /** Sent if a reply has neither an answer nor frames. Default: no frames. */
  emptyAnswer?: Answer;
  /** Throws a Refusal. */
  check(request: Received): void;
  framesOf(answer: Answer, request: Received): readonly (string | Uint8Array)[];
  /** Called after the check and before the reply is sent. */
  onReply?(reply: R): void;
}

export async function startLoopback<Answer, R extends Reply<Answer> = Reply<Answer>>(
  format: ServerFormat<Answer, R>,
): Promise<LoopbackServer<Answer, R>> {
  const received: Received[] = [];
  const replies: R[] = [];
  const waiters: ((request: Received) => void)[] = [];
  const server = createServer(async (request, response) => {
    const incoming = await receive(request, response);
    received.push(incoming);
    for (const resolve of waiters.splice(0)) resolve(incoming);
    const reply = replies.shift() ?? ({ plain: { status: 500, body: 'no reply was scripted' } } as R);
    try {
      if (!reply.lax) format.check(incoming);
      format.onReply?.(reply);
      await sendReply(response, reply, incoming, format);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      response.writeHead(thrown.status, thrown.headers);
      response.end(thrown.body);
    }
  });
  // Long enough that a slow machine never reuses a connection that was closed for idleness.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    next: () => new Promise((resolve) => waiters.push(resolve)),
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

async function sendReply<Answer, R extends Reply<Answer>>(
  response: ServerResponse,
  reply: R,
  request: Received,
  format: ServerFormat<Answer, R>,
): Promise<void> {
  if (reply.silent) return;
  if (reply.plain) {
    const { status, headers, body } = reply.plain;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    return void response.end(body);
  }
  response.writeHead(200, format.streamHeaders);
  response.flushHeaders();
  const answer = reply.answer ?? format.emptyAnswer;
  const frames = reply.frames ?? (answer ? format.framesOf(answer, request) : []);
  const bytes = frames.slice(0, reply.upTo).map((frame) => Buffer.from(frame as string));
  await send(response, Buffer.concat(bytes), reply.pieces);
  if (reply.after === 'reset') response.socket?.resetAndDestroy();
  else if (reply.after !== 'stall') response.end();
}

async function send(response: ServerResponse, bytes: Buffer, size = bytes.length): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(offset, offset + size), () => resolve()));
  }
}

/** Throws `refuse(key)` for the first key that is not in `keys`. */
export function assertKnownKeys(value: unknown, keys: readonly string[], refuse: (key: string) => Refusal): Fields {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Fields;
  for (const key of Object.keys(fields)) if (!keys.includes(key)) throw refuse(key);
  return fields;
}

/** The body of the last request. */
export function lastBody<Answer>({ received }: LoopbackServer<Answer>): Fields {
  return received.at(-1)?.body ?? {};
}

export function getList(fields: Fields, key: string): Fields[] {
  const value = fields[key];
  return Array.isArray(value) ? (value as Fields[]) : [];
}
