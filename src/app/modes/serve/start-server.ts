// Starts the server: sessions, HTTP, WebSockets and the Unix socket.
import { join } from 'node:path';
import { Fault } from '../../../base/index.ts';
import { commandTable } from '../../../commands/command-table.ts';
import { addMultiSessionCommands } from '../../../commands/multi-session/index.ts';
import { replaceSessionCommands } from '../../../commands/shared-session/index.ts';
import type { AgentSession, Clock } from '../../../contracts/index.ts';
import type { HttpAppOptions } from '../../../http/app.ts';
import {
  AuditLog,
  answerPageRequest,
  type Caller,
  type ClientConnection,
  LoginCodes,
  loadAccessTokens,
  RequestGuard,
} from '../../../http/index.ts';
import type { MultiSessionHub } from '../../../server/multi-session-hub.ts';
import { type SharedSessionListeners, SharedSessions } from '../../../server/shared/shared-sessions.ts';
import { version } from '../../../support/version.ts';
import { createMetrics, type Metrics } from '../../../telemetry/index.ts';
import { isContinuedAlready } from '../../fleet/is-continued-already.ts';
import type { FleetNode } from '../../fleet/start-node.ts';
import type { Workspaces } from '../../fleet/workspaces/workspaces.ts';
import { type HttpListener, type HttpListenerOptions, listenHttp } from '../../system-ports/http-listener.ts';
import { createProcessStatistics } from '../../system-ports/process-statistics.ts';
import { createRefusalHeaders, formatRefusalBody, INVALID_REQUEST } from '../../system-ports/raw-response.ts';
import { readRequestFacts } from '../../system-ports/request-facts.ts';
import { listenSocket, type SocketListener } from '../../system-ports/socket-listener.ts';
import { openMultiSession } from '../multi-session.ts';
import type { StartContext, StartOptions } from '../start-agent.ts';
import { checkAllowedHosts, checkAllowedOrigins } from './allowed-addresses.ts';
import type { RunningFleet } from './fleet/start-fleet.ts';
import { PageFiles } from './page-files.ts';
import { type ServeBackend, ServerBackend, type ServerBackendOptions } from './server-backend.ts';
import { createServerWorkspaces } from './server-workspaces.ts';
import { SessionOpener } from './session-opener.ts';
import { serveSocketClient } from './socket-clients.ts';
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
const MINUTE_MS = 60_000;
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
  const tokens = await loadAccessTokens({ files, ids, clock, directory }, serveOptions.token);
  ports.redact(tokens.main);
  const { workspaces, ...workspaceControl } = await createServerWorkspaces(startContext);
  const multiSessionOptions = { storesChoices: true, workspaces, onExitRequested: refuseExit };
  const { hub } = await openMultiSession(options, warn, startContext, multiSessionOptions);
  if (!hub.pool) throw new Fault('internal', 'The server has no session pool');
  const metrics = createServerMetrics(clock);
  const observation = observeSessions(metrics);
  const shared = new SharedSessions(hub, ports, observation);
  const audit = new AuditLog({ files, clock, directory, onProblem: (message) => warn(`Warning: ${message}`) });
  const idleMs = settings['serve.idleMinutes'] * MINUTE_MS;
  const opener = new SessionOpener({
    ...{ pool: hub.pool, shared, clock, idleMs, onOpened: observation.onOpened },
    prepare: async (session) => node?.onOpened(session),
    explain: async (thrown, id) => fleet?.explain(thrown, id) ?? thrown,
  });
  workspaceControl.connect({ hub, opener });
  const { backend, fleet } = await createBackend(startContext, { hub, shared, opener, audit, metrics });
  const node = await startNodeLazily(startContext, { hub, shared, opener, backend, warn });
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
      opener.stop();
      workspaceControl.close();
      await node?.stop();
      fleet?.stop();
      backend.close();
      audit.write({ action: 'stop' });
      // At the same time: a client that does not read delays the end of its connection for most of the time that is left.
      await Promise.all([closeListeners(listeners), closeSessions(hub, workspaces), audit.close()]);
      metrics.close();
      // After the logs are closed: an approval that ends without an answer would be stored as a denied call.
      shared.close();
      await node?.close();
      await fleet?.close();
      await startContext.close();
    },
  };
}

interface NodeContext {
  readonly hub: MultiSessionHub;
  readonly shared: SharedSessions;
  readonly opener: SessionOpener;
  readonly backend: ServeBackend;
  warn(line: string): void;
}

/** With a database, the server is a node of a fleet. */
async function startNodeLazily(
  { storage, ports, settings }: StartContext,
  { hub, shared, opener, backend, warn }: NodeContext,
): Promise<FleetNode | undefined> {
  if (!storage) return undefined;
  const { startNode } = await import('../../fleet/start-node.ts');
  return startNode({
    ...{ storage, ports, warn },
    takeoverMs: settings['database.takeoverSeconds'] * 1000,
    retentionDays: settings['database.retentionDays'],
    findSession: ({ sessionId }) => opener.find(sessionId),
    continueElsewhere: ({ sessionId }) => continueElsewhere(backend, sessionId),
    closeLost({ sessionId }) {
      const session = hub.find(sessionId)?.session;
      if (!session) return;
      const end = () => shared.remove(session, 'The session is open on another node now. Connect again.');
      void hub
        .closeSession(sessionId)
        .catch(() => {})
        .finally(end);
    },
  });
}

type BackendOptions = Pick<ServerBackendOptions, 'shared' | 'opener' | 'audit' | 'metrics'>;

/** With a database, the server is a node of a fleet. */
async function createBackend(
  { storage, ports, settings }: StartContext,
  { hub, ...options }: BackendOptions & { readonly hub: MultiSessionHub },
): Promise<{ backend: ServeBackend; fleet: RunningFleet | undefined }> {
  const { audit, metrics } = options;
  const commands = replaceSessionCommands(addMultiSessionCommands(commandTable));
  const local = new ServerBackend({
    ...{ hub, ...options, files: ports.files, commands, startedMs: ports.clock.now() },
    pageFiles: new PageFiles(ports.files, process.argv[1] ?? ''),
    clientBuffer: settings['serve.clientBuffer'],
    maxClients: settings['serve.maxClients'],
  });
  if (!storage) return { backend: local, fleet: undefined };
  const { startFleet } = await import('./fleet/start-fleet.ts');
  const isOpen = (id: string) => hub.find(id) !== undefined;
  const fleet = await startFleet({ storage, ports, local, commands, audit, metrics, isOpen });
  return { backend: fleet.backend, fleet };
}

const FLEET_CALLER: Caller = { name: 'fleet', access: 'full', token: 'fleet', remoteAddress: '' };

/** Relayed to the node that has the session open. */
async function continueElsewhere(backend: ServeBackend, sessionId: string): Promise<void> {
  const call = { caller: FLEET_CALLER, command: 'continue_run', params: {}, sessionId, shouldWait: false };
  const reply = await backend.call(call);
  if (reply.status !== 'failed') return;
  if (!isContinuedAlready(reply.fault)) throw reply.fault;
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

/** The extension of one session must not end the sessions of others. */
function refuseExit(session: AgentSession): void {
  const message = 'An extension asked to end the program. The server continues, because other sessions use it, too.';
  session.notify({ level: 'warning', message, source: 'extensions' });
}

/** Counts the events of open sessions, and the answers to approvals. */
function observeSessions(metrics: Metrics): SharedSessionListeners & { onOpened(session: AgentSession): void } {
  const stops = new Map<AgentSession, () => void>();
  const observe = (session: AgentSession) => {
    if (!stops.has(session)) stops.set(session, metrics.observeSession(session));
  };
  return {
    onOpened: (session) => observe(session),
    onReplaced: (session) => observe(session),
    onRemoved(session) {
      stops.get(session)?.();
      stops.delete(session);
    },
    onAnswered(request, answer) {
      if (request.method !== 'select' || request.toolCall === undefined || !('value' in answer)) return;
      // A client can send any text, and it must not become the value of a label.
      metrics.countApproval(request.options.includes(answer.value) ? answer.value : 'other');
    },
  };
}

interface ListenContext {
  readonly backend: ServeBackend;
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
  const serveConnection = (connection: ClientConnection) => backend.serveConnection(connection);
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

/** A run in progress is not ended in its log, so that it can be continued. */
async function closeSessions(hub: MultiSessionHub, workspaces: Workspaces | undefined): Promise<void> {
  const interrupt = async (session: AgentSession) => {
    // An extension may have changed them during the run.
    await hub.pool?.saveChoices?.(session).catch(() => {});
    await workspaces?.snapshot(session.id);
    await session.interrupt();
  };
  const close = (session: AgentSession) => (session.runs.isSettled ? hub.closeSession(session.id) : interrupt(session));
  await Promise.all(hub.sessions.map((session) => close(session).catch(() => {})));
}
