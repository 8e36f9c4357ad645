// A transport over the WebSocket of a browser, Bun or Deno, or over any class with the same interface.
import { createChannel, createDeferred } from '../../base/index.ts';
import type { ClientTransport, ExitInfo } from '../client-transport.ts';
import type { ConnectionError } from '../errors.ts';
import { repeatEvery } from '../timer.ts';
import { createNetworkError, createRefusal } from './connection-failures.ts';

/** The part of a WebSocket that the client uses. */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number): void;
}

export type WebSocketConstructor = new (url: string) => WebSocketLike;

export interface GlobalWebSocketOptions {
  token?: string | undefined;
  /** Aborts the opening. */
  signal: AbortSignal;
  WebSocket: WebSocketConstructor;
  /** A server that sends nothing for two intervals counts as unreachable. */
  heartbeatMs: number;
}

const NORMAL_CLOSURE = 1000;
/** Reported when the connection ended without a close frame. */
const ABNORMAL_CLOSURE = 1006;
const CLOSE_TIMEOUT_MS = 2_000;
/** This interface cannot send pings. The reply to a call that changes nothing shows that the server is there. */
const HEARTBEAT_ID = 'connection_heartbeat';
const HEARTBEAT = JSON.stringify({ id: HEARTBEAT_ID, type: 'get_state' });
/** The id of a reply is within its first characters. */
const REPLY_START_LENGTH = 200;
/** Statuses with which a server of Parley refuses a client, whatever the address. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);

/** The token is a part of the URL, because this interface cannot set headers. A page may omit it: its cookie is sent. */
export async function openGlobalWebSocket(url: URL, options: GlobalWebSocketOptions): Promise<ClientTransport> {
  const { token, signal, WebSocket, heartbeatMs } = options;
  const target = new URL(url);
  if (token !== undefined) target.searchParams.set('token', token);
  const socket = new WebSocket(target.href);
  const opened = createDeferred();
  const transport = new GlobalWebSocket(socket, heartbeatMs);
  const abort = () => {
    opened.reject(createNetworkError(url, signal.reason));
    socket.close();
  };
  signal.addEventListener('abort', abort, { once: true });
  let isOpen = false;
  socket.onopen = () => {
    isOpen = true;
    opened.resolve();
  };
  void transport.closed.then(async () => {
    if (isOpen || signal.aborted) return;
    const problem = new Error('the server does not answer, or refused the connection');
    opened.reject((await findRefusal(url, { token, signal })) ?? createNetworkError(url, problem));
  });
  if (signal.aborted) abort();
  try {
    await opened.promise;
  } catch (thrown) {
    transport.end();
    throw thrown;
  } finally {
    signal.removeEventListener('abort', abort);
  }
  transport.startHeartbeats();
  return transport;
}

/** The interface does not say why a connection failed. A plain request with the same token gets the reason. */
async function findRefusal(
  url: URL,
  { token, signal }: Pick<GlobalWebSocketOptions, 'token' | 'signal'>,
): Promise<ConnectionError | undefined> {
  const httpUrl = new URL(url.pathname, url);
  httpUrl.protocol = url.protocol === 'wss:' ? 'https:' : 'http:';
  try {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(httpUrl, { headers, signal });
    return REFUSALS.has(response.status) ? createRefusal(url, response.status, await response.text()) : undefined;
  } catch {
    return undefined;
  }
}

class GlobalWebSocket implements ClientTransport {
  readonly lines = createChannel<string>();
  readonly #socket: WebSocketLike;
  readonly #heartbeatMs: number;
  readonly #closed = createDeferred<ExitInfo>();
  #stopHeartbeats = () => {};
  #isOpen = true;
  #hasReceived = false;
  #isHeartbeatUnanswered = false;

  constructor(socket: WebSocketLike, heartbeatMs: number) {
    this.#socket = socket;
    this.#heartbeatMs = heartbeatMs;
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onerror = () => {};
    socket.onclose = ({ code, reason }) => this.#finish(reason || 'the connection was closed', code);
  }

  get closed(): Promise<ExitInfo> {
    return this.#closed.promise;
  }

  startHeartbeats(): void {
    if (this.#isOpen) this.#stopHeartbeats = repeatEvery(this.#heartbeatMs, () => this.#checkServer());
  }

  write(line: string): void {
    if (this.#isOpen) this.#socket.send(line.endsWith('\n') ? line.slice(0, -1) : line);
  }

  end(): void {
    this.#socket.close(NORMAL_CLOSURE);
    const stop = repeatEvery(CLOSE_TIMEOUT_MS, () => this.#finish('the connection was closed', ABNORMAL_CLOSURE));
    void this.closed.then(stop);
  }

  #receive(text: string): void {
    this.#hasReceived = true;
    this.#isHeartbeatUnanswered = false;
    if (this.#isOpen && !text.slice(0, REPLY_START_LENGTH).includes(HEARTBEAT_ID)) this.lines.push(text);
  }

  #checkServer(): void {
    if (this.#isHeartbeatUnanswered) {
      this.#finish('the server does not answer', ABNORMAL_CLOSURE);
      this.#socket.close();
      return;
    }
    this.#isHeartbeatUnanswered = !this.#hasReceived;
    this.#hasReceived = false;
    if (this.#isHeartbeatUnanswered) this.write(HEARTBEAT);
  }

  #finish(reason: string, closeCode: number): void {
    this.#isOpen = false;
    this.#stopHeartbeats();
    this.lines.close();
    this.#closed.resolve({ reason, closeCode });
  }
}
