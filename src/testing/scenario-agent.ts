// Creates the agent for a transcript: with one session, or with several. Assembled like the program.
import type { AgentOptions } from '../app/agent-options.ts';
import { createAgent } from '../app/create-agent.ts';
import type { ProjectOptions } from '../app/session-pool/open-session.ts';
import { createSharedServices } from '../app/session-pool/session-pool.ts';
import { commandTable } from '../commands/command-table.ts';
import { addMultiSessionCommands } from '../commands/multi-session/index.ts';
import type { AgentSession, Command, SessionHub } from '../contracts/index.ts';
import { createMultiSessionHub } from '../server/multi-session-hub.ts';
import { applyDefaults, listRules, loadSettings } from '../settings/index.ts';
import { offerTrust } from '../trust/index.ts';

export interface ScenarioAgent {
  readonly hub: SessionHub;
  readonly commands: ReadonlyMap<string, Command>;
  /** The latest session. */
  readonly session: AgentSession | undefined;
  /** Calls whose replies prove that all earlier input has been processed. */
  createSyncCalls(): ((id: string) => Record<string, unknown>)[];
  offerProjectTrust(): void;
  close(): Promise<void>;
}

type TrustReason = 'flag' | 'saved' | 'changed' | 'undecided';

export async function createSingleSessionAgent(
  options: AgentOptions,
  trustReason: TrustReason,
): Promise<ScenarioAgent> {
  const { ports, agentDirectory: directory, cwd } = options;
  const loadFiles = (isTrusted: boolean) =>
    loadSettings({ files: ports.files, agentDirectory: directory, project: isTrusted ? cwd : undefined });
  const agent = await createAgent({ ...options, settingSources: { flags: {}, load: loadFiles } });
  const settings = async () => {
    const loaded = await loadFiles(true);
    const rules = [...listRules(options.settings, 'user', 'settings'), ...loaded.rules];
    return { values: applyDefaults(loaded, options.settings), rules };
  };
  return {
    hub: agent.hub,
    commands: commandTable,
    session: agent.session,
    // This is an unknown command in every dialect, and each dialect replies with an error that contains the name.
    createSyncCalls: () => [(type) => ({ type })],
    offerProjectTrust: () =>
      void offerTrust(agent, {
        ports,
        agentDirectory: directory,
        cwd,
        reason: trustReason,
        notify: agent.session.notify,
        settings,
      }),
    close: () => agent.close(),
  };
}

type SyncCall = (id: string) => Record<string, unknown>;

/** For each dialect with many sessions: a call that needs no session, and one of a session. Every call gets a reply with its id. */
const SYNC_CALLS: Readonly<Record<string, { readonly global: SyncCall; forSession(session: string): SyncCall }>> = {
  opal: {
    global: (id) => ({ jsonrpc: '2.0', id, method: 'opal/ping' }),
    forSession: (session) => (id) => ({ jsonrpc: '2.0', id, method: 'agent/state', params: { session_id: session } }),
  },
  acp: {
    // An unknown method.
    global: (id) => ({ jsonrpc: '2.0', id, method: '_parley/sync' }),
    forSession: (sessionId) => (id) => ({ jsonrpc: '2.0', id, method: '_parley/get_state', params: { sessionId } }),
  },
};

export function createMultiSessionAgent(options: AgentOptions, dialect = 'opal'): ScenarioAgent {
  const syncCalls = SYNC_CALLS[dialect];
  if (!syncCalls) throw new Error(`The dialect ${dialect} has no calls in SYNC_CALLS`);
  const { trusted = false, settings, ports, agentDirectory } = options;
  const loadOptionsFor = async (cwd: string): Promise<ProjectOptions> => ({
    ...{ trusted, settings },
    offerTrust: (agent) =>
      offerTrust(agent, { ports, agentDirectory, cwd, reason: 'undecided', notify: agent.session.notify }),
  });
  const hub = createMultiSessionHub((multiHub) =>
    createSharedServices({ hub: multiHub, agent: options, loadOptionsFor }),
  );
  return {
    hub,
    commands: addMultiSessionCommands(commandTable),
    get session() {
      return hub.sessions.at(-1);
    },
    createSyncCalls: () => [syncCalls.global, ...hub.sessions.map(({ id }) => syncCalls.forSession(id))],
    offerProjectTrust() {},
    async close() {
      await hub.close();
      await options.ports.processes.killAll();
    },
  };
}
