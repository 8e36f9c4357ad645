// The sessions of one tenant in a server: without a database, all sessions of the server.
import { Fault } from '../../../base/index.ts';
import { commandTable } from '../../../commands/command-table.ts';
import { addMultiSessionCommands } from '../../../commands/multi-session/index.ts';
import { replaceSessionCommands } from '../../../commands/shared-session/index.ts';
import type { AgentSession } from '../../../contracts/index.ts';
import type { AuditLog, Caller, SessionBackend } from '../../../http/index.ts';
import type { MultiSessionHub } from '../../../server/multi-session-hub.ts';
import { type SharedSessionListeners, SharedSessions } from '../../../server/shared/shared-sessions.ts';
import type { Metrics } from '../../../telemetry/index.ts';
import { isContinuedAlready } from '../../fleet/is-continued-already.ts';
import type { NodeTenant } from '../../fleet/node-tenant.ts';
import type { FleetNode } from '../../fleet/start-node.ts';
import type { Workspaces } from '../../fleet/workspaces/workspaces.ts';
import { openMultiSession } from '../multi-session.ts';
import type { StartContext, StartOptions } from '../start-agent.ts';
import type { ClientRegistry } from './client-registry.ts';
import type { RunningFleet } from './fleet/start-fleet.ts';
import { ServerBackend } from './server-backend.ts';
import { createServerWorkspaces } from './server-workspaces.ts';
import { SessionOpener } from './session-opener.ts';

/** What all tenants of a server share. */
export interface TenantContext {
  readonly options: StartOptions;
  readonly audit: AuditLog;
  readonly metrics: Metrics;
  readonly clients: ClientRegistry;
  warn(line: string): void;
  /** Absent without a database, and before the node is started. */
  getNode(): FleetNode | undefined;
}

export interface TenantSessions {
  readonly backend: SessionBackend;
  readonly node: NodeTenant | undefined;
  /** No session is opened any more, and other nodes open those of this one. */
  stop(): void;
  /** Closes the sessions. Runs in progress are left as they are in their logs, so that they can be continued. */
  closeSessions(): Promise<void>;
  /** Called after the sessions of all tenants are closed. */
  closeFleet(): Promise<void>;
}

const MINUTE_MS = 60_000;

/** `startContext` has the storage of the tenant. */
export async function openTenantSessions(startContext: StartContext, context: TenantContext): Promise<TenantSessions> {
  const { options, audit, metrics, clients, warn, getNode } = context;
  const { ports, settings, storage } = startContext;
  const { workspaces, ...workspaceControl } = await createServerWorkspaces(startContext);
  const multiSessionOptions = { storesChoices: true, workspaces, onExitRequested: refuseExit };
  const { hub } = await openMultiSession(options, warn, startContext, multiSessionOptions);
  if (!hub.pool) throw new Fault('internal', 'The server has no session pool');
  const observation = observeSessions(metrics);
  const shared = new SharedSessions(hub, ports, observation);
  const idleMs = settings['serve.idleMinutes'] * MINUTE_MS;
  let fleet: RunningFleet | undefined;
  const opener = new SessionOpener({
    ...{ pool: hub.pool, shared, clock: ports.clock, idleMs, onOpened: observation.onOpened },
    prepare: async (session) => getNode()?.onOpened(session, storage?.postgres.tenant ?? ''),
    explain: async (thrown, id) => fleet?.explain(thrown, id) ?? thrown,
  });
  workspaceControl.connect({ hub, opener });
  const commands = replaceSessionCommands(addMultiSessionCommands(commandTable));
  const local = new ServerBackend({
    ...{ hub, shared, opener, audit, metrics, clients, commands, files: ports.files },
    clientBuffer: settings['serve.clientBuffer'],
  });
  if (storage) {
    const { startFleet } = await import('./fleet/start-fleet.ts');
    const isOpen = (id: string) => hub.find(id) !== undefined;
    fleet = await startFleet({ storage, ports, local, commands, audit, clients, isOpen });
  }
  const backend = fleet?.backend ?? local;
  return {
    backend,
    node: storage && createNodeTenant(startContext, { opener, backend }),
    stop() {
      opener.stop();
      workspaceControl.close();
      fleet?.stop();
    },
    async closeSessions() {
      await closeSessions(hub, workspaces);
      // After the logs are closed: an approval that ends without an answer would be stored as a denied call.
      shared.close();
    },
    closeFleet: async () => fleet?.close(),
  };
}

interface NodeContext {
  readonly opener: SessionOpener;
  readonly backend: SessionBackend;
}

function createNodeTenant({ storage }: StartContext, { opener, backend }: NodeContext): NodeTenant | undefined {
  if (!storage) return undefined;
  return {
    postgres: storage.postgres,
    findSession: ({ sessionId }) => opener.find(sessionId),
    continueElsewhere: ({ sessionId }) => continueElsewhere(backend, sessionId),
    closeLost: ({ sessionId }) => void opener.closeTaken(sessionId),
  };
}

const FLEET_CALLER: Caller = { name: 'fleet', access: 'full', token: 'fleet', remoteAddress: '' };

/** Relayed to the node that has the session open. */
async function continueElsewhere(backend: SessionBackend, sessionId: string): Promise<void> {
  const call = { caller: FLEET_CALLER, command: 'continue_run', params: {}, sessionId, shouldWait: false };
  const reply = await backend.call(call);
  if (reply.status !== 'failed') return;
  if (!isContinuedAlready(reply.fault)) throw reply.fault;
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
