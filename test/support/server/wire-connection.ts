// Connections of clients to a server: WebSocket, Unix socket and server-sent events, with the same interface.
import { get, type IncomingMessage } from 'node:http';
import { createConnection } from 'node:net';
import WebSocket from 'ws';
import { LineSplitter } from '../../../src/base/index.ts';
import type { WireFrame } from '../frame-collector.ts';

export type WireKind = 'web-socket' | 'socket' | 'events';

/** Where a server is reached. */
export interface WireAddress {
  /** `http://HOST:PORT/` */
  readonly url: string;
  readonly token: string;
  /** For clients of the kind `socket`. */
  readonly socketPath?: string;
}

export interface ConnectParams {
  readonly session?: string | undefined;
  readonly after?: string | undefined;
  readonly client?: string | undefined;
  readonly stream?: 'full' | 'delta' | undefined;
  readonly dialect?: string | undefined;
}

/** How a connection has ended. The code is that of WebSockets, also where a frame reports it; 0 without a reason. */
export interface WireEnd {
  readonly code: number;
  readonly reason: string;
}

export interface WireHandlers {
  onOpen?(): void;
  onFrame(frame: WireFrame): void;
  /** Called once. */
  onEnd(end: WireEnd): void;
}

export interface WireConnection {
  /** Sends text as it is. Does nothing for server-sent events. */
  sendText(text: string): void;
  /** Stops and starts reading. */
  pause(): void;
  resume(): void;
  /** Ends the connection without telling the server. */
  terminate(): void;
}

export function connectWire(
  kind: WireKind,
  server: WireAddress,
  params: ConnectParams,
  handlers: WireHandlers,
): WireConnection {
  let hasEnded = false;
  const once: WireHandlers = {
    ...handlers,
    onEnd(end) {
      if (!hasEnded) handlers.onEnd(end);
      hasEnded = true;
    },
  };
  if (kind === 'web-socket') return connectWebSocket(server, params, once);
  return kind === 'socket' ? connectSocket(server, params, once) : connectEvents(server, params, once);
}

export function formatQuery(params: ConnectParams): string {
  const entries = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(entries).toString();
}

function connectWebSocket({ url, token }: WireAddress, params: ConnectParams, handlers: WireHandlers): WireConnection {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace('http', 'ws')}ws?${formatQuery(params)}`, { headers });
  socket.on('open', () => handlers.onOpen?.());
  socket.on('message', (data) => handlers.onFrame(JSON.parse(String(data)) as WireFrame));
  socket.on('error', () => {});
  socket.on('close', (code, reason) => handlers.onEnd({ code, reason: String(reason) }));
  return {
    sendText: (text) => socket.send(text),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    terminate: () => socket.terminate(),
  };
}

function connectSocket({ socketPath }: WireAddress, params: ConnectParams, handlers: WireHandlers): WireConnection {
  if (socketPath === undefined) throw new Error('The server has no socket');
  const socket = createConnection(socketPath);
  const splitter = new LineSplitter();
  let end: WireEnd = { code: 0, reason: '' };
  socket.on('connect', () => handlers.onOpen?.());
  socket.on('data', (chunk: Uint8Array) => {
    for (const line of splitter.push(chunk)) {
      if (!('text' in line)) throw new Error(line.problem);
      const frame = JSON.parse(line.text) as WireFrame;
      if (frame.type === 'connection_end') end = { code: Number(frame.code), reason: String(frame.reason) };
      else handlers.onFrame(frame);
    }
  });
  socket.on('error', () => {});
  socket.on('close', () => handlers.onEnd(end));
  socket.write(`${JSON.stringify({ type: 'connect', ...params })}\n`);
  return {
    sendText: (text) => void socket.write(text.endsWith('\n') ? text : `${text}\n`),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    terminate: () => void socket.destroy(),
  };
}

/** The position is sent as a browser does when it connects again. The frames are always those of omp. */
function connectEvents({ url, token }: WireAddress, params: ConnectParams, handlers: WireHandlers): WireConnection {
  const { session, after, dialect: _, ...query } = params;
  const headers = { authorization: `Bearer ${token}`, ...(after === undefined ? {} : { 'last-event-id': after }) };
  let response: IncomingMessage | undefined;
  let isPaused = false;
  let end: WireEnd = { code: 0, reason: '' };
  const request = get(
    `${url}v1/sessions/${session}/events?${formatQuery(query)}`,
    { headers, agent: false },
    (received) => {
      response = received;
      if (received.statusCode !== 200) end = { code: received.statusCode ?? 0, reason: 'refused' };
      handlers.onOpen?.();
      let rest = '';
      received.setEncoding('utf8');
      received.on('data', (text: string) => {
        const parts = (rest + text).split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) end = readServerEvent(part, handlers) ?? end;
      });
      received.on('error', () => {});
      received.on('close', () => handlers.onEnd(end));
      if (isPaused) received.pause();
    },
  );
  request.on('error', () => handlers.onEnd(end));
  return {
    sendText() {},
    pause() {
      isPaused = true;
      response?.pause();
    },
    resume() {
      isPaused = false;
      response?.resume();
    },
    terminate: () => void request.destroy(),
  };
}

/** Checks that the id of an event is its sequence number. Returns the end of the stream, if the event reports it. */
function readServerEvent(text: string, { onFrame }: WireHandlers): WireEnd | undefined {
  const fields = new Map(text.split('\n').map((line) => line.split(/: ?(.*)/s) as [string, string]));
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const frame = JSON.parse(data) as WireFrame;
  if (fields.get('event') === 'end') return { code: 4408, reason: String(frame.reason) };
  const id = fields.get('id');
  if (frame.type !== 'session_attached' && id !== (frame.seq as number | undefined)?.toString())
    throw new Error(`The id ${id} is not that of the event: ${data.slice(0, 200)}`);
  onFrame(frame);
  return undefined;
}
