// Creates what commands use beside a session. Loaded with the first use.
import { Fault } from '../../base/index.ts';
import type { CommandPorts, ModelListing, ModelRegistry } from '../../contracts/index.ts';
import { createAgentModels } from '../agent-models.ts';
import type { AgentOptions } from '../agent-options.ts';
import type { AgentParts } from '../agent-parts.ts';
import type { LiveAgent } from '../apply-settings.ts';
import { checkDefaultModel } from '../check-default-model.ts';
import { SessionOverrides } from './session-overrides.ts';
import { createSettingsPort } from './settings-port.ts';
import { createStoredSessions } from './stored-sessions.ts';

export interface AgentCommandPorts extends CommandPorts {
  /** Absent for calls without a session. */
  readonly overrides: SessionOverrides | undefined;
}

/** `agent` is absent for calls without a session. */
export function createCommandPorts(
  options: AgentOptions,
  agent?: LiveAgent & Pick<AgentParts, 'guard'>,
): AgentCommandPorts {
  const { ports, agentDirectory, home, settingSources: sources } = options;
  const overrides = agent && new SessionOverrides(agent);
  return {
    settings: createSettingsPort({
      ...{ ports, agentDirectory, home, sources },
      open: agent && overrides ? { agent, overrides } : undefined,
      checkDefaultModel: (requested) => checkDefaultModel(options, createAgentModels(options).credentials, requested),
    }),
    listKnownModels: () => listKnownModels(agent?.models ?? options.models ?? createAgentModels(options)),
    sessions: createStoredSessions(options, agent),
    cwd: agent?.session.cwd ?? options.cwd,
    async openSubmissions() {
      if (!options.storage?.openSubmissions) throw createNoDatabaseFault();
      return options.storage.openSubmissions();
    },
    overrides,
  };
}

export function createNoDatabaseFault(): Fault {
  const message =
    'Submissions need a database that the workers use, too. Set PARLEY_DATABASE_URL, or store in the user settings, to postgres://USER:PASSWORD@HOST:PORT/NAME';
  return new Fault('config', message);
}

/** A registry of the SDK may list only what can be used. */
async function listKnownModels(registry: ModelRegistry): Promise<ModelListing> {
  if (registry.listKnown) return registry.listKnown();
  const models = await registry.listAvailable();
  const providers = [...new Set(models.map(({ provider }) => provider))];
  return {
    providers: providers.map((id) => ({ id, name: id, hasCredentials: true })),
    models: models.map((model) => ({ model })),
  };
}
