// Opens a transport to a running agent: a WebSocket or a Unix socket.
import { Fault } from '../../base/index.ts';
import type { ClientTransport } from '../client-transport.ts';
import { type AgentAddress, addParams, type ConnectParams } from './agent-address.ts';
import { openGlobalWebSocket, type WebSocketConstructor } from './global-web-socket.ts';
import { openNodeWebSocket } from './node-web-socket.ts';
import { openUnixSocket } from './unix-socket.ts';

export interface OpenSocketOptions {
  /** Aborts the opening. */
  signal: AbortSignal;
  /** A class with the interface of the WebSocket of browsers. Default: that of the runtime, in Node one of this package. */
  WebSocket?: WebSocketConstructor | undefined;
  /** A server that sends nothing for two intervals counts as unreachable. */
  pingIntervalMs?: number | undefined;
}

/** Replies may contain large images. A dropped reply would leave its call pending forever. */
const MAX_MESSAGE_BYTES = 512 * 1024 * 1024;
const PING_INTERVAL_MS = 15_000;

export function openSocket(
  address: AgentAddress,
  params: ConnectParams,
  { signal, WebSocket = findGlobalWebSocket(), pingIntervalMs = PING_INTERVAL_MS }: OpenSocketOptions,
): Promise<ClientTransport> {
  if (address.kind === 'unix-socket')
    return openUnixSocket(address.path, { dialect: 'omp', ...params }, { signal, maxLineBytes: MAX_MESSAGE_BYTES });
  const url = addParams(address.url, params);
  const { token } = address;
  if (WebSocket) return openGlobalWebSocket(url, { token, signal, WebSocket, heartbeatMs: pingIntervalMs });
  if (!isNode()) throw new Fault('config', 'This runtime has no WebSocket. Pass a class with the option WebSocket.');
  return openNodeWebSocket(url, { token, signal, maxMessageBytes: MAX_MESSAGE_BYTES, pingIntervalMs });
}

/** Not the one of Node: it cannot stop reading, and does not say why a connection was refused. */
function findGlobalWebSocket(): WebSocketConstructor | undefined {
  return isNode() ? undefined : (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
}

/** Bun and Deno also have a process object with the version of Node. */
function isNode(): boolean {
  const isOtherRuntime = 'Bun' in globalThis || 'Deno' in globalThis;
  return !isOtherRuntime && typeof process === 'object' && typeof process.versions?.node === 'string';
}
