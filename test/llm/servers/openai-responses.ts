// Loopback provider for the Responses format. Checks requests strictly and sends scripted replies.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkBody, checkHeaders } from './openai-responses-check.ts';
import { type Answer, createStream, type Fields, type IdGenerator } from './openai-responses-frames.ts';
import { type Issued, recordIssued } from './openai-responses-items.ts';
import { Refusal } from './openai-responses-refusal.ts';

export const KEY = 'sk-proj-loopback-key';

export interface Reply {
  /** A reply encoded like the provider would, … */
  answer?: Answer;
  /** … or raw frames, … */
  frames?: readonly string[];
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

export interface LoopbackServer {
  readonly url: string;
  /** All requests in order, including rejected ones. */
  readonly received: readonly Received[];
  /** Resolves with the next request after this call. */
  next(): Promise<Received>;
  /** Adds replies to the next requests, in order. */
  reply(...replies: Reply[]): void;
  close(): Promise<void>;
}

export async function startOpenAiResponses(): Promise<LoopbackServer> {
  const received: Received[] = [];
  const replies: Reply[] = [];
  const issued: Issued = { encrypted: new Map(), followers: new Map(), reasons: new Map() };
  const ids = createIdGenerator();
  const waiters: ((request: Received) => void)[] = [];
  const server = createServer(async (request, response) => {
    const incoming = await receive(request, response);
    received.push(incoming);
    for (const resolve of waiters.splice(0)) resolve(incoming);
    const reply = replies.shift() ?? { plain: { status: 500, body: 'no reply was scripted' } };
    try {
      if (!reply.lax) check(incoming, issued);
      await sendReply(response, reply, incoming, issued, ids);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      response.writeHead(thrown.status, { 'content-type': 'application/json' });
      response.end(thrown.body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    next: () => new Promise((resolve) => waiters.push(resolve)),
    reply: (...next) => void replies.push(...next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Ids as long as real ones. */
function createIdGenerator(): IdGenerator {
  let count = 0;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return {
    id: (prefix) => `${prefix}_${digest(`${prefix}${++count}`).toString('hex').slice(0, 50)}`,
    encrypt: (id) => `gAAAAAB${digest(id).toString('base64url')}==`,
  };
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<Received> {
  const closed = new Promise<void>((resolve) => response.on('close', resolve));
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const headers = request.headers as Record<string, string | undefined>;
  return { path: `${request.method} ${request.url}`, headers, body: JSON.parse(text) as Fields, text, closed };
}

function check({ path, headers, body }: Received, issued: Issued): void {
  if (path !== 'POST /v1/responses') throw new Refusal(`Invalid URL (${path})`, { status: 404 });
  checkHeaders(headers, KEY);
  checkBody(body, issued);
}

async function sendReply(
  response: ServerResponse,
  reply: Reply,
  { body }: Received,
  issued: Issued,
  ids: IdGenerator,
): Promise<void> {
  if (reply.silent) return;
  if (reply.plain) {
    const { status, headers = { 'content-type': 'application/json' }, body: text } = reply.plain;
    response.writeHead(status, headers);
    return void response.end(text);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_loopback' });
  response.flushHeaders();
  const streamed = createStream(reply.answer ?? { parts: [] }, ids);
  recordIssued(streamed.output, String(body.model), issued);
  const frames = reply.frames ?? streamed.frames;
  await send(response, Buffer.from(frames.slice(0, reply.upTo).join('')), reply.pieces);
  if (reply.after === 'reset') response.socket?.resetAndDestroy();
  else if (reply.after !== 'stall') response.end();
}

async function send(response: ServerResponse, bytes: Buffer, size = bytes.length): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(offset, offset + size), () => resolve()));
  }
}
