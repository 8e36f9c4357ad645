// Connects to an agent that runs already: a server, or a process with a socket. Runs in Node, Bun and browsers.
import { createDeferred } from '../base/index.ts';
import type { SessionAttached } from '../protocol/index.ts';
import { type Client, type ClientOptions, createClientApi, rethrowUncaught } from './client.ts';
import type { ClientTransport, ExitInfo } from './client-transport.ts';
import { Connection } from './connection.ts';
import { ConnectionError } from './errors.ts';
import { createListeners, type Listener, type Listeners } from './listeners.ts';
import { createReconnectingTransport, type ReconnectAttempt, type ReconnectOptions } from './reconnecting-transport.ts';
import { SessionPosition } from './session-position.ts';
import { type ConnectParams, parseAddress } from './socket/agent-address.ts';
import { createAttachError, isFrameTooLarge } from './socket/connection-failures.ts';
import type { WebSocketConstructor } from './socket/global-web-socket.ts';
import { openSocket } from './socket/open-socket.ts';

export interface ConnectOptions extends ClientOptions, ConnectParams {
  /** `http(s)://host:port/?token=T`, `ws(s)://host:port/ws?token=T`, or `unix:/path`. */
  url: string | URL;
  /** A page may omit it: its cookie is sent. */
  token?: string | undefined;
  /** Opens a new connection when it breaks, and continues with the first event that was missed. Default: false. */
  reconnect?: boolean | ReconnectOptions | undefined;
  /** A class with the interface of the WebSocket of browsers. */
  WebSocket?: WebSocketConstructor | undefined;
  /** How long a connection may take to open. Default: 30,000. */
  connectTimeoutMs?: number | undefined;
}

export type ConnectionState =
  | { readonly status: 'connected' }
  | ({ readonly status: 'reconnecting' } & ReconnectAttempt)
  | { readonly status: 'closed'; readonly reason: string };

/** `close` leaves the session: its run continues. Calls that are made without a connection wait for the next one. */
export interface ConnectedAgent extends Client {
  /** For the user: the URL without its token, or the socket. */
  readonly address: string;
  readonly attachment: SessionAttached;
  /** The number of the last event that was delivered. Pass it as `after` to continue there with another client. */
  readonly lastSeq: number;
  readonly connectionState: ConnectionState;
  onConnectionState(listener: Listener<ConnectionState>): () => void;
}

const CONNECT_TIMEOUT_MS = 30_000;

/** Resolves when a session is attached. Listeners that are added at once miss no event. Rejects with ConnectionError. */
export async function connectAgent(target: string | URL | ConnectOptions): Promise<ConnectedAgent> {
  const options = typeof target === 'string' || target instanceof URL ? { url: target } : target;
  const { url, token, onError = rethrowUncaught, reconnect, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const address = parseAddress(url, token);
  const position = new SessionPosition(options);
  const open = (signal: AbortSignal) =>
    openSocket(address, { ...pickParams(options), ...position.toParams() }, { signal, WebSocket: options.WebSocket });
  const timeout = AbortSignal.timeout(connectTimeoutMs);
  const states = createConnectionStates(onError);
  const transport = createReconnectingTransport(await open(timeout), {
    open: (signal) => open(AbortSignal.any([signal, AbortSignal.timeout(connectTimeoutMs)])),
    reconnect: reconnect === true ? {} : reconnect || undefined,
    confirmTimeoutMs: connectTimeoutMs,
    onDisconnected: (reason, { closeCode }) => connection.suspend(reason, { canRepeat: !isFrameTooLarge(closeCode) }),
    onAttempt: (attempt) => states.set({ status: 'reconnecting', ...attempt }),
  });
  const connection = new Connection(transport, { onError, position });
  connection.attachedListeners.add(() => {
    transport.confirm();
    states.set({ status: 'connected' });
  });
  void transport.closed.then(({ reason = 'closed' }) => states.set({ status: 'closed', reason }));
  await waitForAttachment(connection, transport, { name: address.name, timeout });
  return createConnectedAgent(createClientApi(connection, transport), { address: address.name, position, states });
}

function pickParams({ session, after, stream, client, cwd, access }: ConnectOptions): ConnectParams {
  return { session, after, stream, client, cwd, access };
}

async function waitForAttachment(
  connection: Connection,
  transport: ClientTransport,
  { name, timeout }: { name: string; timeout: AbortSignal },
): Promise<void> {
  const attached = createDeferred();
  const remove = connection.attachedListeners.add(() => attached.resolve());
  const fail = () => attached.reject(new ConnectionError(`${name} did not attach a session in time.`));
  timeout.addEventListener('abort', fail);
  void transport.closed.then((exitInfo: ExitInfo) => attached.reject(createAttachError(name, exitInfo)));
  try {
    await attached.promise;
  } catch (thrown) {
    transport.end();
    throw thrown;
  } finally {
    remove();
    timeout.removeEventListener('abort', fail);
  }
}

interface ConnectionStates {
  readonly current: ConnectionState;
  readonly listeners: Listeners<ConnectionState>;
  set(state: ConnectionState): void;
}

function createConnectionStates(onError: (thrown: unknown) => void): ConnectionStates {
  const listeners = createListeners<ConnectionState>(onError);
  let current: ConnectionState = { status: 'connected' };
  return {
    listeners,
    get current() {
      return current;
    },
    set(state) {
      const isSame = current.status === 'connected' && state.status === 'connected';
      current = state;
      if (!isSame) listeners.emit(state);
    },
  };
}

function createConnectedAgent(
  client: Client,
  { address, position, states }: { address: string; position: SessionPosition; states: ConnectionStates },
): ConnectedAgent {
  const additions = {
    address,
    get lastSeq() {
      return position.lastSeq ?? 0;
    },
    get connectionState() {
      return states.current;
    },
    onConnectionState: (listener: Listener<ConnectionState>) => states.listeners.add(listener),
  };
  // Not copied, so that the properties keep their current values.
  return Object.defineProperties(client, Object.getOwnPropertyDescriptors(additions)) as unknown as ConnectedAgent;
}
