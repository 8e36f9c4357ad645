// Clients of a running server: WebSockets, Unix sockets and streams of server-sent events.
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { createParser } from 'eventsource-parser';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { LineSplitter } from '../../src/base/index.ts';
import { withDeadline } from './deadline.ts';
import { FrameCollector, type FrameMatcher, type WireFrame } from './frame-collector.ts';
import type { Server } from './server.ts';

export interface ServerClient {
  /** Every frame so far. */
  readonly frames: readonly WireFrame[];
  /** The next frame that matches, after the last frame that was found. */
  next(matcher: FrameMatcher): Promise<WireFrame>;
  send(...frames: readonly object[]): void;
  sendText(text: string): void;
  /** Called with the text of every frame from now on. */
  onText(listener: (text: string) => void): void;
  /** Sends a call and returns its response. */
  call(call: { type: string } & Record<string, unknown>): Promise<WireFrame>;
  /** The code is 0 for a Unix socket. */
  readonly closed: Promise<{ code: number; reason: string }>;
  close(): void;
  /** Ends the connection without a handshake. */
  cut(): void;
}

export interface WebSocketOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Null for none. Default: the main token, as a query parameter. */
  readonly token?: string | null;
  readonly path?: string;
}

type Query = Readonly<Record<string, string>>;

/** Rejects with a RefusedHandshake when the server does not accept the WebSocket. */
export async function connectWebSocket(
  { port, token: mainToken }: Server,
  query: Query = {},
  { headers = {}, token = mainToken, path = '/ws' }: WebSocketOptions = {},
): Promise<ServerClient> {
  const params = new URLSearchParams({ ...(token === null ? {} : { token }), ...query });
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}?${params}`, { headers });
  onTestFinished(() => socket.terminate());
  const inbox = new FrameCollector();
  const listeners: ((text: string) => void)[] = [];
  socket.on('message', (data: Buffer) => {
    inbox.push(Buffer.concat([data, Buffer.from('\n')]));
    for (const listener of listeners) listener(data.toString());
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      inbox.close(`the server has closed the WebSocket: ${code} ${reason}`);
      resolve({ code, reason: String(reason) });
    });
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('unexpected-response', (_, response) => void readRefusal(response).then(reject, reject));
    socket.on('error', reject);
  });
  await withDeadline(opened, 'the WebSocket');
  return createClient(inbox, closed, {
    write: (text) => socket.send(text),
    onText: (listener) => void listeners.push(listener),
    close: () => socket.close(),
    cut: () => socket.terminate(),
  });
}

export class RefusedHandshake extends Error {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;

  constructor({ statusCode = 0, headers }: IncomingMessage, body: string) {
    super(`${statusCode} ${body}`);
    this.status = statusCode;
    this.headers = headers;
    this.body = body;
  }
}

async function readRefusal(response: IncomingMessage): Promise<RefusedHandshake> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return new RefusedHandshake(response, Buffer.concat(chunks).toString('utf8'));
}

/** `first` is the first line, for example a `connect` frame. */
export async function connectSocket(path: string, first?: object): Promise<ServerClient> {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  const inbox = new FrameCollector();
  const listeners: ((text: string) => void)[] = [];
  const splitter = new LineSplitter();
  socket.on('data', (chunk: Buffer) => {
    inbox.push(chunk);
    for (const line of splitter.push(chunk)) if ('text' in line) for (const listener of listeners) listener(line.text);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', () => {
      inbox.close('the server has closed the socket');
      resolve({ code: 0, reason: '' });
    });
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.on('error', reject);
  });
  await withDeadline(opened, `the socket ${path}`);
  const client = createClient(inbox, closed, {
    write: (text) => socket.write(`${text}\n`),
    onText: (listener) => void listeners.push(listener),
    close: () => socket.end(),
    cut: () => socket.destroy(),
  });
  if (first) client.send(first);
  return client;
}

interface Wire {
  write(text: string): void;
  onText(listener: (text: string) => void): void;
  close(): void;
  cut(): void;
}

function createClient(inbox: FrameCollector, closed: ServerClient['closed'], wire: Wire): ServerClient {
  let calls = 0;
  const send = (...frames: readonly object[]) => {
    for (const frame of frames) wire.write(JSON.stringify(frame));
  };
  return {
    frames: inbox.frames,
    next: (matcher) => inbox.next(matcher),
    send,
    sendText: (text) => wire.write(text),
    onText: (listener) => wire.onText(listener),
    async call(call) {
      calls += 1;
      const id = `call-${calls}`;
      send({ id, ...call });
      return inbox.next({ type: 'response', id });
    },
    closed: withDeadline(closed, 'the end of the connection').catch((thrown) => ({ code: -1, reason: String(thrown) })),
    close: () => wire.close(),
    cut: () => wire.cut(),
  };
}

export interface EventStreamClient {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The events so far, with their ids. `data` is the frame. */
  readonly events: readonly ServerEvent[];
  /** The next event that matches, after the last one that was found. */
  next(matcher: (event: ServerEvent) => boolean): Promise<ServerEvent>;
  /** Resolves when the server ends the stream, with the text that is not an event. */
  readonly ended: Promise<void>;
  close(): void;
}

export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: WireFrame;
}

/** The body of a refusal is one event without a name. */
export async function openEventStream(
  { port, token }: Server,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStreamClient> {
  const response = await withDeadline(
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, agent: false };
      const request = get({ ...options, headers: { authorization: `Bearer ${token}`, ...headers } }, resolve);
      request.on('error', reject);
      onTestFinished(() => void request.destroy());
    }),
    path,
  );
  const events: ServerEvent[] = [];
  let found = 0;
  let search = () => {};
  const parser = createParser({
    onEvent({ id, event, data }) {
      events.push({ id, event, data: JSON.parse(data) });
      search();
    },
  });
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => parser.feed(chunk));
  response.on('error', () => {});
  const ended = new Promise<void>((resolve) => response.on('close', resolve));
  return {
    ...{ status: response.statusCode ?? 0, headers: response.headers, events, ended },
    next: (matcher) =>
      withDeadline(
        new Promise((resolve) => {
          search = () => {
            while (found < events.length) {
              const event = events[found++] as ServerEvent;
              if (!matcher(event)) continue;
              search = () => {};
              resolve(event);
              return;
            }
          };
          search();
        }),
        `an event of ${path} that matches ${matcher}`,
        () => JSON.stringify(events.slice(-3)).slice(0, 2000),
      ),
    close: () => void response.destroy(),
  };
}
