// The hall, testing: what a transcript is played against: one session, or a host's many. Composes as the program does.
import { type AgentOptions, createAgent } from '../app/compose.ts';
import { createDesk } from '../app/desk/desk.ts';
import { loadSettings, withDefaults } from '../app/settings.ts';
import { offerTrust } from '../app/trust/offer.ts';
import { withDeskCommands } from '../commands/desk/index.ts';
import { commandTable } from '../commands/table.ts';
import type { AgentSession, Command, SessionHub } from '../contracts/index.ts';
import { createManyHub } from '../server/many-hub.ts';

export interface House {
  readonly hub: SessionHub;
  readonly commands: ReadonlyMap<string, Command>;
  /** The newest. */
  readonly session: AgentSession | undefined;
  /** Calls that are answered when everything before them has been looked at. */
  roundTrips(): ((id: string) => Record<string, unknown>)[];
  introduce(): void;
  close(): Promise<void>;
}

type Because = 'said' | 'remembered' | 'changed' | 'open';

export async function openOne(options: AgentOptions, because: Because): Promise<House> {
  const agent = await createAgent(options);
  const { ports, agentDirectory: directory, cwd } = options;
  const settings = async () =>
    withDefaults(await loadSettings({ files: ports.files, directory, project: cwd }), options.settings);
  return {
    hub: agent.hub,
    commands: commandTable,
    session: agent.session,
    // Every dialect says in some way that it does not know this.
    roundTrips: () => [(type) => ({ type })],
    introduce: () =>
      void offerTrust(agent, { ports, agentDirectory: directory, cwd, because, tell: agent.session.notify, settings }),
    close: () => agent.close(),
  };
}

export function openMany(options: AgentOptions): House {
  const { trusted = false, settings } = options;
  const hub = createManyHub((many) =>
    createDesk({ hub: many, agent: options, about: async () => ({ trusted, settings }) }),
  );
  return {
    hub,
    commands: withDeskCommands(commandTable),
    get session() {
      return hub.sessions.at(-1);
    },
    roundTrips: () => [
      (id) => ({ jsonrpc: '2.0', id, method: 'opal/ping' }),
      ...hub.sessions.map((session) => (id: string) => ({
        jsonrpc: '2.0',
        id,
        method: 'agent/state',
        params: { session_id: session.id },
      })),
    ],
    introduce() {},
    async close() {
      await hub.close();
      await options.ports.processes.killAll();
    },
  };
}
