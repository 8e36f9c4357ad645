// A loopback provider that speaks the Responses format: strict about what it is sent, scripted in what it answers.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkBody, checkHeaders } from './openai-responses-check.ts';
import { type Answer, type Fields, type Maker, streamOf } from './openai-responses-frames.ts';
import { type Issued, remember } from './openai-responses-items.ts';
import { Refusal } from './openai-responses-refusal.ts';

export const KEY = 'sk-proj-loopback-key';

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
  /** Sends only so many frames, then … */
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

export interface LoopbackServer {
  readonly url: string;
  /** What came, in order; also those that were refused. */
  readonly received: readonly Received[];
  /** The next request that comes from now on. */
  next(): Promise<Received>;
  /** Says what to answer; asked in the order given. */
  reply(...replies: Reply[]): void;
  close(): Promise<void>;
}

export async function startOpenAiResponses(): Promise<LoopbackServer> {
  const received: Received[] = [];
  const replies: Reply[] = [];
  const issued: Issued = { seals: new Map(), followers: new Map(), reasons: new Map() };
  const maker = createMaker();
  const waiting: ((got: Received) => void)[] = [];
  const server = createServer(async (request, response) => {
    const got = await receive(request, response);
    received.push(got);
    for (const resolve of waiting.splice(0)) resolve(got);
    const reply = replies.shift() ?? { plain: { status: 500, body: 'no reply was scripted' } };
    try {
      if (!reply.lax) check(got, issued);
      await answer(response, reply, got, issued, maker);
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
    next: () => new Promise((resolve) => waiting.push(resolve)),
    reply: (...more) => void replies.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Ids of the real length. */
function createMaker(): Maker {
  let made = 0;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return {
    id: (prefix) => `${prefix}_${digest(`${prefix}${++made}`).toString('hex').slice(0, 50)}`,
    seal: (id) => `gAAAAAB${digest(id).toString('base64url')}==`,
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

async function answer(
  response: ServerResponse,
  reply: Reply,
  { body }: Received,
  issued: Issued,
  maker: Maker,
): Promise<void> {
  if (reply.silent) return;
  if (reply.plain) {
    const { status, headers = { 'content-type': 'application/json' }, body: text } = reply.plain;
    response.writeHead(status, headers);
    return void response.end(text);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_loopback' });
  response.flushHeaders();
  const streamed = streamOf(reply.answer ?? { parts: [] }, maker);
  remember(streamed.output, String(body.model), issued);
  const frames = reply.frames ?? streamed.frames;
  await send(response, Buffer.from(frames.slice(0, reply.upTo).join('')), reply.pieces);
  if (reply.after === 'reset') response.socket?.resetAndDestroy();
  else if (reply.after !== 'stall') response.end();
}

async function send(response: ServerResponse, bytes: Buffer, size = bytes.length): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(at, at + size), () => resolve()));
  }
}
