// A WebSocket for Node. Unlike the global one of newer versions it stops reading while the caller is slow, and a refusal has a status.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createDeferred, getErrorMessage } from '../../base/index.ts';
import type { ClientTransport, ExitInfo } from '../client-transport.ts';
import { ConnectionError } from '../errors.ts';
import { repeatEvery } from '../timer.ts';
import { createNetworkError, createRefusal, describeUrl } from './connection-failures.ts';
import {
  CLOSE_CODES,
  encodeClosePayload,
  encodeFrame,
  OPCODES,
  WebSocketFrameReader,
  type WebSocketMessage,
  WebSocketProtocolError,
} from './web-socket-frames.ts';

export interface NodeWebSocketOptions {
  token?: string | undefined;
  /** Aborts the opening. */
  signal: AbortSignal;
  /** The limit of one message. */
  maxMessageBytes: number;
  /** A server that sends nothing for two intervals counts as unreachable. */
  pingIntervalMs: number;
}

/** Appended to the key of a request to compute the key that the server must return (RFC 6455, 1.3). */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const KEY_BYTES = 16;
const MASK_BYTES = 4;
const MAX_REFUSAL_BYTES = 64 * 1024;
const CLOSE_TIMEOUT_MS = 2_000;
/** Reported when the connection ended without a close frame. */
const ABNORMAL_CLOSURE = 1006;

export async function openNodeWebSocket(url: URL, options: NodeWebSocketOptions): Promise<ClientTransport> {
  const httpUrl = new URL(url);
  httpUrl.protocol = url.protocol === 'wss:' ? 'https:' : 'http:';
  // The comments stop bundlers from resolving these imports for browsers, where they are never reached.
  const { request } =
    url.protocol === 'wss:'
      ? await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:https')
      : await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:http');
  const key = encodeBase64(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
  const opened = createDeferred<{ socket: Duplex; head: Uint8Array; response: IncomingMessage }>();
  const outgoing = request(httpUrl, {
    agent: false,
    headers: {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key },
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    },
  });
  outgoing.on('upgrade', (response, socket, head) => {
    // An error before the WebSocket is created would end the process. The WebSocket learns of it by the end of the socket.
    socket.on('error', () => {});
    opened.resolve({ socket, head, response });
  });
  outgoing.on('response', (response) => void readRefusal(url, response).then(opened.reject));
  outgoing.on('error', (problem) => opened.reject(createNetworkError(url, problem)));
  outgoing.end();
  const { signal } = options;
  // Not passed to the request, which would then also end the open connection when the signal aborts later.
  const abort = () => outgoing.destroy(new Error(getErrorMessage(signal.reason)));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const { socket, head, response } = await opened.promise.finally(() => signal.removeEventListener('abort', abort));
  if (response.headers['sec-websocket-accept'] !== (await computeAcceptKey(key))) {
    socket.destroy();
    throw new ConnectionError(`${describeUrl(url)} is not a WebSocket server: its handshake is invalid.`, {
      isPermanent: true,
    });
  }
  return new NodeWebSocket(socket, head, options);
}

async function readRefusal(url: URL, response: IncomingMessage): Promise<ConnectionError> {
  let body = '';
  response.setEncoding('utf8');
  try {
    for await (const text of response) {
      body += text;
      if (body.length > MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // The text was cut off. The status says what counts.
  }
  return createRefusal(url, response.statusCode ?? 0, body);
}

async function computeAcceptKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(key + KEY_SUFFIX));
  return encodeBase64(new Uint8Array(digest));
}

function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

class NodeWebSocket implements ClientTransport {
  readonly lines: AsyncIterable<string>;
  readonly #socket: Duplex;
  readonly #reader: WebSocketFrameReader;
  readonly #closed = createDeferred<ExitInfo>();
  readonly #encoder = new TextEncoder();
  readonly #stopPings: () => void;
  /** The end of the connection, once it is known. */
  #exitInfo: ExitInfo | undefined;
  /** True while the reader waits for bytes. A slow consumer is not a silent server. */
  #isWaiting = false;
  #hasSentClose = false;
  #isPingUnanswered = false;

  constructor(socket: Duplex, head: Uint8Array, { maxMessageBytes, pingIntervalMs }: NodeWebSocketOptions) {
    this.#socket = socket;
    this.#reader = new WebSocketFrameReader(maxMessageBytes);
    this.lines = this.#readLines(head);
    // The reader reports errors. Without a listener an error after its end would be uncaught.
    socket.on('error', () => {});
    this.#stopPings = repeatEvery(pingIntervalMs, () => this.#checkServer());
  }

  get closed(): Promise<ExitInfo> {
    return this.#closed.promise;
  }

  write(line: string): void {
    this.#send(OPCODES.text, this.#encoder.encode(line.endsWith('\n') ? line.slice(0, -1) : line));
  }

  end(): void {
    this.#sendClose(CLOSE_CODES.normal);
    const stop = repeatEvery(CLOSE_TIMEOUT_MS, () => this.#socket.destroy());
    void this.closed.then(stop);
  }

  #send(opcode: number, payload: Uint8Array): void {
    if (!this.#socket.writable || this.#hasSentClose) return;
    this.#socket.write(encodeFrame(opcode, payload, crypto.getRandomValues(new Uint8Array(MASK_BYTES))));
  }

  #sendClose(code: number, reason?: string): void {
    this.#send(OPCODES.close, encodeClosePayload(code, reason));
    this.#hasSentClose = true;
  }

  /** Any bytes count as an answer to a ping. */
  #checkServer(): void {
    if (!this.#isWaiting) return;
    if (this.#isPingUnanswered) this.#socket.destroy(new Error('the server does not answer'));
    this.#isPingUnanswered = true;
    this.#send(OPCODES.ping, new Uint8Array());
  }

  async *#readLines(head: Uint8Array): AsyncGenerator<string> {
    try {
      for await (const messages of this.#readMessages(head)) {
        for (const message of messages) {
          const text = this.#handle(message);
          if (text !== undefined) yield text;
          if (this.#exitInfo) return;
        }
      }
    } catch (thrown) {
      const isProtocolError = thrown instanceof WebSocketProtocolError;
      if (isProtocolError) this.#sendClose(thrown.closeCode, thrown.message);
      const closeCode = isProtocolError ? thrown.closeCode : ABNORMAL_CLOSURE;
      this.#exitInfo ??= { reason: getErrorMessage(thrown), closeCode };
    } finally {
      this.#stopPings();
      this.#socket.end(() => this.#socket.destroy());
      this.#closed.resolve(this.#exitInfo ?? { reason: 'the connection was closed', closeCode: ABNORMAL_CLOSURE });
    }
  }

  async *#readMessages(head: Uint8Array): AsyncGenerator<WebSocketMessage[]> {
    yield this.#reader.push(head);
    this.#isWaiting = true;
    for await (const chunk of this.#socket.iterator({ destroyOnReturn: false })) {
      this.#isWaiting = false;
      this.#isPingUnanswered = false;
      yield this.#reader.push(chunk);
      this.#isWaiting = true;
    }
  }

  /** Returns the text of a text message. */
  #handle(message: WebSocketMessage): string | undefined {
    if (message.kind === 'ping') this.#send(OPCODES.pong, message.data);
    if (message.kind === 'close') {
      this.#sendClose(message.code ?? CLOSE_CODES.normal);
      this.#exitInfo = { reason: message.reason || describeCloseCode(message.code), closeCode: message.code };
    }
    return message.kind === 'text' ? message.text : undefined;
  }
}

function describeCloseCode(code: number | undefined): string {
  return code === undefined || code === CLOSE_CODES.normal
    ? 'the server closed the connection'
    : `the server closed the connection with code ${code}`;
}
