// Starts the server: sessions, HTTP, WebSockets and the Unix socket.
import { join } from 'node:path';
import type { Clock } from '../../../contracts/index.ts';
import type { HttpAppOptions } from '../../../http/app.ts';
import {
  AuditLog,
  answerPageRequest,
  type ClientConnection,
  LoginCodes,
  loadAccessTokens,
  RequestGuard,
} from '../../../http/index.ts';
import { version } from '../../../support/version.ts';
import { createMetrics, type Metrics } from '../../../telemetry/index.ts';
import type { FleetNode } from '../../fleet/start-node.ts';
import { type HttpListener, type HttpListenerOptions, listenHttp } from '../../system-ports/http-listener.ts';
import { createProcessStatistics } from '../../system-ports/process-statistics.ts';
import { createRefusalHeaders, formatRefusalBody, INVALID_REQUEST } from '../../system-ports/raw-response.ts';
import { readRequestFacts } from '../../system-ports/request-facts.ts';
import { listenSocket, type SocketListener } from '../../system-ports/socket-listener.ts';
import type { StartContext, StartOptions } from '../start-agent.ts';
import { checkAllowedHosts, checkAllowedOrigins } from './allowed-addresses.ts';
import { ClientRegistry } from './client-registry.ts';
import { PageFiles } from './page-files.ts';
import { ServerHttpBackend } from './server-http-backend.ts';
import { serveSocketClient } from './socket-clients.ts';
import { Tenants } from './tenants.ts';
import type { createWebSocketHandler } from './web-sockets.ts';

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly socket?: string | undefined;
  /** Replaces the token of the file. */
  readonly token?: string | undefined;
}

export interface RunningServer {
  /** Without the token. */
  readonly url: string;
  readonly token: string;
  readonly socket: string | undefined;
  /** An address that logs a browser in once. */
  createLoginAddress(): string;
  /** Ends all connections. Runs in progress are left as they are in their logs, so that they can be continued. */
  close(): Promise<void>;
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;
/** Connections without a client: single requests, and those whose request has not arrived yet. */
const SPARE_CONNECTIONS = 200;

export async function startServer(
  serveOptions: ServeOptions,
  options: StartOptions,
  warn: (line: string) => void,
  startContext: StartContext,
): Promise<RunningServer> {
  const { ports, agentDirectory, settings } = startContext;
  const { clock, files, ids } = ports;
  checkAllowedHosts(settings['serve.allowedHosts']);
  checkAllowedOrigins(settings['serve.allowedOrigins']);
  const directory = join(agentDirectory, 'serve');
  const shared =
    startContext.storage && (await import('./shared-tokens.ts')).shareTokens(startContext.storage.postgres, clock);
  const tokens = await loadAccessTokens({ files, ids, clock, directory }, serveOptions.token, shared?.tokens);
  ports.redact(tokens.main);
  const metrics = createServerMetrics(clock);
  const audit = new AuditLog({ files, clock, directory, onProblem: (message) => warn(`Warning: ${message}`) });
  const clients = new ClientRegistry(settings['serve.maxClients'], metrics);
  let node: FleetNode | undefined;
  const tenants = await Tenants.create(startContext, {
    ...{ options, audit, metrics, clients, warn },
    getNode: () => node,
  });
  node = await startNodeLazily(startContext, tenants, warn);
  const stopListening = await shared?.follow(clients);
  const backend = new ServerHttpBackend({
    ...{ clients, metrics, files, clock, nodeId: node?.id },
    pageFiles: new PageFiles(files, process.argv[1] ?? ''),
    getSessions: (tenant) => tenants.getSessions(tenant),
  });
  const loginCodes = new LoginCodes(clock, ids);
  const listeners = await listen(serveOptions, startContext, {
    ...{ backend, audit, tokens, loginCodes },
    onRefused: (code) => metrics.countRefused(code),
  });
  audit.write({ action: 'start' });
  const url = `http://${formatHost(serveOptions.host)}:${listeners.http.port}/`;
  return {
    url,
    token: tokens.main,
    socket: serveOptions.socket,
    createLoginAddress: () => `${url}?code=${loginCodes.create()}`,
    async close() {
      await stopListening?.();
      await node?.stop();
      await tenants.stop();
      backend.close();
      audit.write({ action: 'stop' });
      const open = await tenants.list();
      // At the same time: a client that does not read delays the end of its connection for most of the time that is left.
      await Promise.all([closeListeners(listeners), ...open.map((tenant) => tenant.closeSessions()), audit.close()]);
      metrics.close();
      await node?.close();
      await Promise.all(open.map((tenant) => tenant.closeFleet()));
      await startContext.close();
    },
  };
}

/** With a database, the server is a node of a fleet. */
async function startNodeLazily(
  { storage, ports, settings }: StartContext,
  tenants: Tenants,
  warn: (line: string) => void,
): Promise<FleetNode | undefined> {
  if (!storage) return undefined;
  const { startNode } = await import('../../fleet/start-node.ts');
  const node = await startNode({
    ...{ storage, ports, warn },
    takeoverMs: settings['database.takeoverSeconds'] * 1000,
    retentionDays: settings['database.retentionDays'],
    getTenant: (name) => tenants.getNode(name),
    listTenants: async () => (await tenants.list()).flatMap((tenant) => tenant.node ?? []),
  });
  node.addTenant(await tenants.getNode(storage.postgres.tenant));
  return node;
}

function createServerMetrics(clock: Clock): Metrics {
  return createMetrics({
    ...{ clock, version: version(), runtime: `node ${process.versions.node}` },
    processStatistics: createProcessStatistics(),
  });
}

async function closeListeners({ http, socket }: Awaited<ReturnType<typeof listen>>): Promise<void> {
  await Promise.all([http.close(), socket?.close()]);
}

interface ListenContext {
  readonly backend: ServerHttpBackend;
  readonly audit: AuditLog;
  readonly tokens: Awaited<ReturnType<typeof loadAccessTokens>>;
  readonly loginCodes: LoginCodes;
  onRefused(code: string): void;
}

async function listen(
  { host, port, socket }: ServeOptions,
  { ports, settings }: StartContext,
  { backend, audit, tokens, loginCodes, onRefused }: ListenContext,
): Promise<{ http: HttpListener; socket: SocketListener | undefined }> {
  const { clock } = ports;
  const bound = { port };
  const maxFrameBytes = settings['rpc.maxLineBytes'];
  const getCookieName = () => `parley_${bound.port}`;
  const guard = new RequestGuard({
    ...{ tokens, clock, getCookieName, allowedOrigins: settings['serve.allowedOrigins'] },
    getHosts: () => listHosts(host, bound.port, settings['serve.allowedHosts']),
  });
  const appOptions = {
    onRefused,
    ...{ backend, guard, audit, clock, log: ports.log, maxBodyBytes: maxFrameBytes, getCookieName },
    takeLoginCode: (code: string) => (loginCodes.take(code) ? tokens.main : undefined),
  };
  const listenContext = { backend, guard, audit, clock, maxFrameBytes, onRefused };
  let webSockets: Promise<ReturnType<typeof createWebSocketHandler>> | undefined;
  const serveConnection = async (connection: ClientConnection) =>
    (await backend.getSessions(connection.caller)).serveConnection(connection);
  const socketListener =
    socket === undefined
      ? undefined
      : await listenSocket(socket, (connection) => void serveSocketClient(connection, serveConnection, maxFrameBytes));
  try {
    const http = await listenHttp({
      ...{ host, port, maxConnections: 2 * settings['serve.maxClients'] + SPARE_CONNECTIONS },
      onRequest: createRequestListener(appOptions),
      async onUpgrade(request, connection, head) {
        // Loaded with the first connection.
        webSockets ??= import('./web-sockets.ts').then((module) => module.createWebSocketHandler(listenContext));
        (await webSockets)(request, connection, head);
      },
    });
    bound.port = http.port;
    return { http, socket: socketListener };
  } catch (thrown) {
    // An open socket would keep the process running.
    await socketListener?.close();
    throw thrown;
  }
}

type RequestListener = HttpListenerOptions['onRequest'];

/** The code of the API is loaded with the first request that is not for the page. */
function createRequestListener(options: HttpAppOptions): RequestListener {
  let api: Promise<RequestListener> | undefined;
  const answer = async (...[request, response]: Parameters<RequestListener>) => {
    const facts = readRequestFacts(request);
    if (!facts) {
      response.writeHead(INVALID_REQUEST.status, createRefusalHeaders(INVALID_REQUEST));
      response.end(formatRefusalBody(INVALID_REQUEST));
      return;
    }
    const page = await answerPageRequest(options, facts);
    if (page) {
      response.writeHead(200, page.headers).end(page.bytes);
      return;
    }
    api ??= import('./api-listener.ts').then((module) => module.createApiListener(options));
    (await api)(request, response);
  };
  return (request, response) => void answer(request, response).catch(() => response.destroy());
}

/** The values of the Host header under which the server can be reached. */
function listHosts(host: string, port: number, allowed: readonly string[]): string[] {
  const names = LOOPBACK.test(host) ? ['127.0.0.1', 'localhost', '[::1]', formatHost(host)] : [formatHost(host)];
  const withPort = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  return [...withPort, ...allowed].map((name) => name.toLowerCase());
}

function formatHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
