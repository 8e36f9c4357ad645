// Loopback provider for the Messages format. Checks requests strictly and sends scripted replies.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkBody, checkHeaders, readBetas } from './anthropic-messages-check.ts';
import { type Answer, framesOf } from './anthropic-messages-frames.ts';
import { type Fields, hashPrefix, Refusal } from './anthropic-messages-refusal.ts';
import { createSignature, type IssuedThinking } from './anthropic-messages-thinking.ts';

export const KEY = 'sk-ant-api03-loopback-key';
export const OAUTH_TOKEN = 'sk-ant-oat01-loopback-token';

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
  /** Resolves when the connection is closed. */
  closed: Promise<void>;
}

export interface LoopbackServer {
  readonly url: string;
  /** All requests in order, including rejected ones. */
  readonly received: readonly Received[];
  /** Resolves with the next request after this call. */
  next(): Promise<Received>;
  /** Sets the replies to the next requests, in order. Unused earlier replies are discarded. */
  reply(...replies: Reply[]): void;
  close(): Promise<void>;
}

export async function startAnthropicMessages(): Promise<LoopbackServer> {
  const received: Received[] = [];
  const replies: Reply[] = [];
  const issued: IssuedThinking = new Map();
  const waiters: ((request: Received) => void)[] = [];
  const server = createServer(async (request, response) => {
    const incoming = await receive(request, response);
    received.push(incoming);
    for (const resolve of waiters.splice(0)) resolve(incoming);
    const reply = replies.shift() ?? { plain: { status: 500, body: 'no reply was scripted' } };
    try {
      if (!reply.lax) check(incoming, issued);
      await sendReply(response, reply, incoming, issued);
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
    next: () => new Promise((resolve) => waiters.push(resolve)),
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
  checkBody(body, readBetas(headers), issued);
}

async function sendReply(
  response: ServerResponse,
  reply: Reply,
  received: Received,
  issued: IssuedThinking,
): Promise<void> {
  if (reply.silent) return;
  if (reply.plain) {
    const { status, headers = { 'content-type': 'application/json' }, body } = reply.plain;
    response.writeHead(status, headers);
    return void response.end(body);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_011Loopback' });
  response.flushHeaders();
  const frames = reply.frames ?? createIssuedFrames(reply.answer ?? { parts: [] }, received.body, issued);
  await send(response, Buffer.from(frames.slice(0, reply.upTo).join('')), reply.pieces);
  if (reply.after === 'reset') response.socket?.resetAndDestroy();
  else if (reply.after !== 'stall') response.end();
}

/** Records the signatures that it issues. */
function createIssuedFrames(answer: Answer, body: Fields, issued: IssuedThinking): string[] {
  const prefix = hashPrefix(body, body.messages as unknown[]);
  for (const part of answer.parts) if ('redacted' in part) issued.set(part.redacted, { thinking: '', prefix });
  return framesOf(answer, (thinking) => {
    const signature = createSignature(thinking, prefix);
    issued.set(signature, { thinking, prefix });
    return signature;
  });
}

async function send(response: ServerResponse, bytes: Buffer, size = bytes.length): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(offset, offset + size), () => resolve()));
  }
}
