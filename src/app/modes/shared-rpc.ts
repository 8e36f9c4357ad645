// RPC mode with --socket: the host on stdin and programs on a Unix socket use the same session.
import { resolve } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { AgentSession, Dialect, HostConnection, Transport } from '../../contracts/index.ts';
import { loadDialect } from '../../dialects/index.ts';
import { addPosition } from '../../dialects/positioned-frame.ts';
import type { ClientConnection, ConnectionParams } from '../../http/index.ts';
import { type CloseReason, serveClient } from '../../server/shared/serve-client.ts';
import { SharedSessions } from '../../server/shared/shared-sessions.ts';
import type { SettingValues } from '../../settings/index.ts';
import { version } from '../../support/version.ts';
import { listenSocket } from '../system-ports/socket-listener.ts';
import { toConnectionEnd } from './serve/connection-end.ts';
import { serveSocketClient } from './serve/socket-clients.ts';
import type { ServerSetup } from './server-setup.ts';
import type { StartContext } from './start-agent.ts';

export interface SharedRpcOptions {
  readonly setup: ServerSetup;
  readonly transport: Transport & { close(): void };
  readonly dialect: Dialect;
  readonly socket: string;
  readonly settings: SettingValues;
  readonly ports: StartContext['ports'];
  readonly readSchema: HostConnection['readSchema'];
  readonly startupNoticesSent: Promise<void>;
  /** Receives a function that tells all programs on the socket that the process ends, and removes the socket. */
  onListening(close: () => Promise<void>): void;
}

interface ClientOptions {
  readonly transport: Transport;
  readonly dialect: Dialect;
  readonly stream: 'full' | 'delta';
  readonly name: string;
  readonly access: 'full' | 'read';
  readonly after?: string | undefined;
  readonly maxWaitingBytes: number;
  close(reason: CloseReason, message: string): void;
}

/** The host started the program and is not disconnected when it reads slowly. */
const HOST_BUFFER = 1024 * 1024 * 1024;
/** The name of the host in the `client` field of events. */
const HOST_NAME = 'host';

/** Serves until the host closes its input and accepted work is done. */
export async function serveSharedRpc(options: SharedRpcOptions): Promise<void> {
  const { setup, transport, dialect, settings, ports } = options;
  const { hub } = setup;
  if (dialect.isMultiSession) {
    throw new Fault(
      'config',
      `--socket shares one session, and hosts of ${dialect.name} open several. Use parley serve.`,
    );
  }
  const shared = new SharedSessions(hub, ports);
  const connect = (client: ClientOptions) => connectClient(client, options, shared);
  let clientCount = 0;
  const connections = new Set<ClientConnection>();
  const serveConnection = async (connection: ClientConnection) => {
    const { transport: lines, caller, params, close } = connection;
    const { dialect: name = 'omp', session, stream = 'full', after } = params;
    checkSession(shared, hub.getSession(), { session, after });
    const clientDialect = await loadDialect(name);
    if (clientDialect.isMultiSession)
      throw new Fault('invalid_params', `${name} cannot be used here: it opens sessions.`);
    clientCount += 1;
    connections.add(connection);
    await connect({
      ...{ transport: lines, dialect: clientDialect, access: caller.access, after },
      stream: stream as ClientOptions['stream'],
      name: caller.name === '' ? `${name}-${clientCount}` : caller.name,
      maxWaitingBytes: settings['serve.clientBuffer'],
      close: (reason, message) => close(toConnectionEnd(reason, message)),
    }).finally(() => connections.delete(connection));
  };
  const lineLimit = settings['rpc.maxLineBytes'];
  const listener = await listenSocket(
    resolve(options.socket),
    (socket) => void serveSocketClient(socket, serveConnection, lineLimit),
  );
  const closeSocket = async () => {
    for (const connection of connections)
      connection.close(toConnectionEnd('server_ends', 'The process ends. Connect again when it is running.'));
    await listener.close();
  };
  options.onListening(closeSocket);
  void hub.exitRequested.then(async () => {
    await hub.waitUntilSettled();
    transport.close();
  });
  await connect({
    ...{ transport, dialect, stream: settings['rpc.stream'], name: HOST_NAME, access: 'full' },
    maxWaitingBytes: HOST_BUFFER,
    close: () => transport.close(),
  });
  if (settings['rpc.onEof'] === 'abort') await hub.abort();
  await shared.lanes.waitUntilIdle();
  await options.startupNoticesSent;
  await hub.waitUntilSettled();
  hub.reportNotRun('the program is exiting');
  shared.close();
  await closeSocket();
  await transport.flush();
}

/**
 * A client that comes back may know the session by an earlier id, because the host has switched to another conversation meanwhile.
 * Its position is valid: it gets the missed events and the new id.
 */
function checkSession(
  shared: SharedSessions,
  current: AgentSession,
  { session, after }: Pick<ConnectionParams, 'session' | 'after'>,
): void {
  if (session === undefined || session === current.id) return;
  if (after !== undefined && shared.get(current).ids.includes(session)) return;
  throw new Fault('not_found', `Session not found: ${session}. This process has the session ${current.id}.`);
}

function connectClient(client: ClientOptions, options: SharedRpcOptions, shared: SharedSessions): Promise<void> {
  const { setup, readSchema } = options;
  const { hub, commands } = setup;
  const { dialect, stream, ...served } = client;
  return serveClient({
    ...served,
    ...{ shared, commands, session: hub.getSession(), readSchema },
    codec: dialect.createCodec({ version: version(), stream, addPosition }),
    services: { auth: hub.auth, listModels: () => hub.listModels() },
  });
}
