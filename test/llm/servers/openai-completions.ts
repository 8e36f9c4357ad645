// Loopback provider for Chat Completions. Checks requests strictly and sends scripted replies.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkBody, type Fields, type Issued, Refusal } from './openai-completions-check.ts';
import { type Answer, framesOf } from './openai-completions-frames.ts';
import { PROVIDER_RULES } from './openai-completions-providers.ts';

export const KEY = 'sk-loopback-key-1234';

export interface Reply {
  /** A reply encoded like a provider would, … */
  answer?: Answer;
  /** … or raw frames, … */
  frames?: readonly string[];
  /** … or a plain HTTP response, … */
  plain?: { status: number; headers?: Record<string, string>; body: string };
  /** … or no response. */
  silent?: true;
  /** Fields that the provider requires back with these calls: id → fields of the message. */
  issues?: Readonly<Record<string, Fields>>;
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
  /** The base URL of one of the imitated providers, see `PROVIDER_RULES`. */
  getUrl(provider: string): string;
  readonly received: readonly Received[];
  next(): Promise<Received>;
  /** Sets the replies to the next requests, in order. Unused earlier replies are discarded. */
  reply(...replies: Reply[]): void;
  close(): Promise<void>;
}

export async function startOpenAiCompletions(): Promise<LoopbackServer> {
  const received: Received[] = [];
  const replies: Reply[] = [];
  const issued: Issued = new Map();
  const waiters: ((request: Received) => void)[] = [];
  const server = createServer(async (request, response) => {
    const incoming = await receive(request, response);
    received.push(incoming);
    for (const resolve of waiters.splice(0)) resolve(incoming);
    const reply = replies.shift() ?? { plain: { status: 500, body: 'no reply was scripted' } };
    try {
      check(incoming, issued);
      for (const [id, fields] of Object.entries(reply.issues ?? {})) issued.set(id, fields);
      await sendReply(response, reply);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      response.writeHead(thrown.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(thrown.body));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    getUrl: (provider) => `${url}/${provider}/v1`,
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

function check({ path, headers, body }: Received, issued: Issued): void {
  const [, name = ''] = /^POST \/([a-z]+)\/v1\/chat\/completions$/.exec(path) ?? [];
  const rules = PROVIDER_RULES[name];
  if (!rules) throw new Refusal(404, { error: { message: `Invalid URL (${path})`, type: 'invalid_request_error' } });
  const expected = rules.key ? `Bearer ${KEY}` : undefined;
  if (headers.authorization !== expected) {
    const message = `Incorrect API key provided: ${headers.authorization}.`;
    throw new Refusal(401, { error: { message, type: 'invalid_request_error', param: null, code: 'invalid_api_key' } });
  }
  if (headers['content-type'] !== 'application/json' || headers['user-agent'] !== 'parley/test')
    throw new Refusal(415, { error: { message: 'Unsupported headers' } });
  checkBody(body, rules, issued);
}

async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  if (reply.silent) return;
  if (reply.plain) {
    const { status, headers = { 'content-type': 'application/json' }, body } = reply.plain;
    response.writeHead(status, headers);
    return void response.end(body);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  const frames = reply.frames ?? framesOf(reply.answer ?? {});
  await send(response, Buffer.from(frames.slice(0, reply.upTo).join('')), reply.pieces);
  if (reply.after === 'reset') response.socket?.resetAndDestroy();
  else if (reply.after !== 'stall') response.end();
}

async function send(response: ServerResponse, bytes: Buffer, size = bytes.length): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(offset, offset + size), () => resolve()));
  }
}
