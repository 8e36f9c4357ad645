// A loopback provider that speaks the Messages format: strict about what it is sent, scripted in what it answers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { betasIn, checkBody, checkHeaders } from './anthropic-messages-check.ts';
import { type Answer, framesOf } from './anthropic-messages-frames.ts';
import { type Fields, prefixOf, Refusal } from './anthropic-messages-refusal.ts';
import { type IssuedThinking, signatureOf } from './anthropic-messages-thinking.ts';

export const KEY = 'sk-ant-api03-loopback-key';
export const OAUTH_TOKEN = 'sk-ant-oat01-loopback-token';

export interface Reply {
  /** An answer as the provider would stream it, … */
  answer?: Answer;
  /** … or its frames word for word, … */
  frames?: readonly string[];
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
  /** Resolves when the connection is gone. */
  closed: Promise<void>;
}

export interface LoopbackServer {
  readonly url: string;
  /** What came, in order; also those that were refused. */
  readonly received: readonly Received[];
  /** The next request that comes after this was asked. */
  next(): Promise<Received>;
  /** Says what to answer to the next requests, in order. What was said before and not asked for is forgotten. */
  reply(...replies: Reply[]): void;
  close(): Promise<void>;
}

export async function startAnthropicMessages(): Promise<LoopbackServer> {
  const received: Received[] = [];
  const replies: Reply[] = [];
  const issued: IssuedThinking = new Map();
  const waiting: ((got: Received) => void)[] = [];
  const server = createServer(async (request, response) => {
    const got = await receive(request, response);
    received.push(got);
    for (const tell of waiting.splice(0)) tell(got);
    const reply = replies.shift() ?? { plain: { status: 500, body: 'no reply was scripted' } };
    try {
      if (!reply.lax) check(got, issued);
      await answer(response, reply, got, issued);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      response.writeHead(thrown.status, { 'content-type': 'application/json' });
      response.end(errorBody(thrown.type, thrown.message));
    }
  });
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

export function errorBody(type: string, message: string): string {
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_011Loopback' });
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<Received> {
  const closed = new Promise<void>((resolve) => response.on('close', resolve));
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const headers = request.headers as Record<string, string | undefined>;
  return { path: `${request.method} ${request.url}`, headers, body: JSON.parse(text) as Fields, closed };
}

function check({ path, headers, body }: Received, issued: IssuedThinking): void {
  if (path !== 'POST /v1/messages') throw new Refusal('Not found', 'not_found_error', 404);
  checkHeaders(headers, [KEY, OAUTH_TOKEN]);
  checkBody(body, betasIn(headers), issued);
}

async function answer(response: ServerResponse, reply: Reply, got: Received, issued: IssuedThinking): Promise<void> {
  if (reply.silent) return;
  if (reply.plain) {
    const { status, headers = { 'content-type': 'application/json' }, body } = reply.plain;
    response.writeHead(status, headers);
    return void response.end(body);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_011Loopback' });
  response.flushHeaders();
  const frames = reply.frames ?? issue(reply.answer ?? { parts: [] }, got.body, issued);
  await send(response, Buffer.from(frames.slice(0, reply.upTo).join('')), reply.pieces);
  if (reply.after === 'reset') response.socket?.resetAndDestroy();
  else if (reply.after !== 'stall') response.end();
}

/** Remembers what it vouches for. */
function issue(given: Answer, body: Fields, issued: IssuedThinking): string[] {
  const prefix = prefixOf(body, body.messages as unknown[]);
  for (const part of given.parts) if ('redacted' in part) issued.set(part.redacted, { thinking: '', prefix });
  return framesOf(given, (thinking) => {
    const signature = signatureOf(thinking, prefix);
    issued.set(signature, { thinking, prefix });
    return signature;
  });
}

async function send(response: ServerResponse, bytes: Buffer, size = bytes.length): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(at, at + size), () => resolve()));
  }
}
