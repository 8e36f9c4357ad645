// For tests of the client: a server on loopback that speaks the wire of `parley serve` and whose frames are controlled by the test.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createDeferred } from '../../src/base/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

export type Frame = Record<string, unknown>;

export interface ServerConnection {
  /** The query of the URL, or the fields of the `connect` line. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  /** The frames that the client has sent. */
  readonly received: Frame[];
  /** Resolves with the next frame of this type. */
  waitFor(type: string): Promise<Frame>;
  send(...frames: readonly (object | string)[]): void;
  reply(call: Frame, data?: unknown): void;
  /** A close frame; on a Unix socket the end. */
  close(code?: number, reason?: string): void;
  /** Breaks the connection without a close frame. */
  cut(): void;
  readonly socket: WebSocket | Socket;
}

export interface LoopbackServer {
  readonly url: string;
  readonly connections: ServerConnection[];
  /** Resolves with the connection that has this number, beginning with 1. */
  waitForConnection(number: number): Promise<ServerConnection>;
  /** Accepts no more connections. Open connections are cut. */
  stop(): Promise<void>;
  /** Listens again at the same address. */
  restart(): Promise<void>;
}

export interface LoopbackOptions {
  /** Called for every connection. Default: attaches the session `s1` at sequence number 10. */
  onConnection?(connection: ServerConnection, number: number): void;
  /** Called for every frame. Default: replies without data. */
  onFrame?(frame: Frame, connection: ServerConnection): void;
  /** Refuses the handshake with this status. */
  refuse?(request: IncomingMessage): { status: number; body: string } | undefined;
  /** Answers other requests. Default: 404. */
  request?(): { status: number; body: string };
}

export const attached = (fields: object = {}) => ({
  type: 'session_attached',
  ...{ sessionId: 's1', clientId: 'me', seq: 10, access: 'full', replay: 'none', sessions: 'many' },
  ...fields,
});

export const READY = { type: 'ready', version: '1.2.3', protocolVersion: 1, dialect: 'omp' };

class ConnectionLog {
  readonly connections: ServerConnection[] = [];
  readonly #options: LoopbackOptions;
  readonly #waiting: { number: number; resolve(connection: ServerConnection): void }[] = [];

  constructor(options: LoopbackOptions) {
    this.#options = options;
  }

  waitFor(number: number): Promise<ServerConnection> {
    const found = this.connections[number - 1];
    if (found) return Promise.resolve(found);
    return new Promise((resolve) => this.#waiting.push({ number, resolve }));
  }

  /** Returns the function that receives the lines of the client. */
  open(connection: Omit<ServerConnection, 'received' | 'waitFor' | 'reply'>): (line: string) => void {
    const received: Frame[] = [];
    const waiting: { type: string; resolve(frame: Frame): void }[] = [];
    const opened: ServerConnection = {
      ...connection,
      received,
      waitFor(type) {
        const found = received.find((frame) => frame.type === type);
        if (found) return Promise.resolve(found);
        return new Promise((resolve) => waiting.push({ type, resolve }));
      },
      reply: ({ id, type }, data) => connection.send({ type: 'response', id, command: type, success: true, data }),
    };
    this.connections.push(opened);
    const { onConnection = (one) => one.send(READY, attached()), onFrame = (frame, one) => one.reply(frame) } =
      this.#options;
    onConnection(opened, this.connections.length);
    for (const { number, resolve } of this.#waiting) if (number === this.connections.length) resolve(opened);
    return (line) => {
      const frame = JSON.parse(line) as Frame;
      received.push(frame);
      for (const entry of waiting.splice(0)) {
        if (entry.type === frame.type) entry.resolve(frame);
        else waiting.push(entry);
      }
      if (frame.type !== 'extension_ui_response') onFrame(frame, opened);
    };
  }
}

const toText = (frame: object | string) => (typeof frame === 'string' ? frame : JSON.stringify(frame));

export async function startWebSocketServer(options: LoopbackOptions = {}): Promise<LoopbackServer> {
  const log = new ConnectionLog(options);
  let http = createServer();
  let port = 0;
  const listen = async () => {
    http = createServer((_, response) => {
      const { status, body } = options.request?.() ?? { status: 404, body: '' };
      response.writeHead(status).end(body);
    });
    acceptWebSockets(http, log, options);
    await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
    port = (http.address() as AddressInfo).port;
  };
  const stop = async () => {
    for (const { socket } of log.connections) if ('terminate' in socket) socket.terminate();
    const closed = createDeferred();
    http.close(() => closed.resolve());
    http.closeAllConnections();
    await closed.promise;
  };
  await listen();
  onTestFinished(stop);
  return {
    url: `http://127.0.0.1:${port}/?token=secret-token`,
    connections: log.connections,
    waitForConnection: (number) => log.waitFor(number),
    stop,
    restart: listen,
  };
}

function acceptWebSockets(http: Server, log: ConnectionLog, { refuse }: LoopbackOptions): void {
  const webSockets = new WebSocketServer({ noServer: true });
  http.on('upgrade', (request, socket, head) => {
    const refusal = refuse?.(request);
    if (refusal) {
      const { status, body } = refusal;
      socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
      return;
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const receive = log.open({
        params: Object.fromEntries(searchParams),
        headers: request.headers,
        send: (...frames) => {
          for (const frame of frames) webSocket.send(toText(frame));
        },
        close: (code, reason) => webSocket.close(code, reason),
        cut: () => webSocket.terminate(),
        socket: webSocket,
      });
      webSocket.on('message', (data) => receive(String(data)));
    });
  });
}

export async function startUnixServer(options: LoopbackOptions = {}): Promise<LoopbackServer> {
  const log = new ConnectionLog(options);
  const path = join(createTemporaryDirectory(), 'agent.sock');
  const server = createSocketServer((socket) => acceptLines(socket, log));
  const listen = () => new Promise<void>((resolve) => server.listen(path, resolve));
  const stop = async () => {
    for (const { cut } of log.connections) cut();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  await listen();
  onTestFinished(stop);
  return {
    url: `unix:${path}`,
    connections: log.connections,
    waitForConnection: (number) => log.waitFor(number),
    stop,
    restart: listen,
  };
}

function acceptLines(socket: Socket, log: ConnectionLog): void {
  let rest = '';
  let receive: ((line: string) => void) | undefined;
  socket.setEncoding('utf8');
  socket.on('error', () => {});
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (receive) receive(line);
      else {
        receive = log.open({
          params: JSON.parse(line),
          headers: {},
          send: (...frames) => void socket.write(frames.map((frame) => `${toText(frame)}\n`).join('')),
          close: () => void socket.end(),
          cut: () => void socket.destroy(),
          socket,
        });
      }
    }
  });
}
