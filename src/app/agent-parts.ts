// Creates the parts of an agent that exist before its session.
import type { AgentSession, HostUi, ModelRegistry, OpenInnerSession } from '../contracts/index.ts';
import { createSession } from '../core/index.ts';
import { ExtensionHost } from '../extensions/index.ts';
import { createJsonlStore, createMemoryStore } from '../store/index.ts';
import { homeDirectory } from '../support/home-directory.ts';
import { createResourceLocator, type TrustableResourceLocator } from '../trust/index.ts';
import { createAgentModels } from './agent-models.ts';
import type { AgentOptions } from './agent-options.ts';
import { type AgentGuard, createSessionGuard } from './guard/session-guard.ts';
import { createLazyMcp, type LazyMcp } from './lazy-mcp.ts';
import { createLazyResources, type LazyResources } from './resources.ts';
import { type SessionSettings, toSessionSettings } from './session-settings.ts';
import { createSubagentSetup, type SubagentSetup } from './subagent-setup.ts';
import { createProcessIdentity } from './system-ports/process-identity.ts';
import { readTextSync } from './system-ports/read-text-sync.ts';

export interface AgentParts {
  readonly sessionSettings: SessionSettings;
  readonly models: ModelRegistry;
  readonly resourceLocator: TrustableResourceLocator;
  readonly extensions: ExtensionHost;
  readonly resources: LazyResources;
  readonly subagents: SubagentSetup;
  readonly mcp: LazyMcp;
  readonly guard: AgentGuard;
  /** Undefined while the agent is being created, because the hub does not exist yet. */
  host(): HostUi | undefined;
}

export interface AgentPartsContext {
  host(): HostUi | undefined;
  /** Undefined while the agent is being created. */
  session(): AgentSession | undefined;
  /** Gets a message for each project file that is not used, because it differs from the trusted one. */
  report(message: string): void;
  readonly openInnerSession: OpenInnerSession;
}

export function createAgentParts(
  options: AgentOptions,
  { host, session, report, openInnerSession }: AgentPartsContext,
): AgentParts {
  const sessionSettings = toSessionSettings(options.settings);
  const credentialPorts = options.credentialPorts ?? options.ports;
  const models = options.models ?? createAgentModels({ ...options, ports: credentialPorts, host });
  const resourceLocator = createAgentResourceLocator(options, report);
  const extensions = createExtensionHost(options, models, resourceLocator, openInnerSession);
  const subagents = createAgentSubagents(options, resourceLocator);
  const mcp = createLazyMcp({ options, resourceLocator, session, host });
  const { ports, settings, cwd, agentDirectory, home = homeDirectory() } = options;
  const guard = createSessionGuard({
    ...{ ports, settings, cwd, agentDirectory, home },
    onWarning: (message) => session()?.notify({ level: 'warning', message, source: 'paths' }),
  });
  const resources = createLazyResources({ ...options, guard }, resourceLocator, extensions);
  return { sessionSettings, models, resourceLocator, extensions, resources, subagents, mcp, guard, host };
}

function createAgentResourceLocator(
  options: AgentOptions,
  report: (sentence: string) => void,
): TrustableResourceLocator {
  const { cwd, agentDirectory, home = homeDirectory(), trusted = false, inventory, bare: isBare, ports } = options;
  const places = { files: ports.files, cwd, agentDirectory, home, isBare };
  return createResourceLocator({ ...places, trusted, inventory, report });
}

function createExtensionHost(
  options: AgentOptions,
  modelRegistry: ModelRegistry,
  resourceLocator: TrustableResourceLocator,
  openInnerSession: OpenInnerSession,
): ExtensionHost {
  const { ports, settings, cwd, agentDirectory, extensions = {}, warn = () => {} } = options;
  return new ExtensionHost({
    ...extensions,
    get paths() {
      return [...settings.extensions, ...(extensions.paths ?? [])];
    },
    ports,
    models: modelRegistry,
    settings,
    cwd,
    agentDirectory,
    resourceLocator,
    openInnerSession,
    identity: createProcessIdentity(),
    sessionIndex: options.storage?.index,
    readTextSync,
    warn,
    canSetSessionDirectory:
      !options.store && !options.storage && options.persist !== false && options.sessionDirectory === undefined,
    get hookTimeoutMs() {
      return settings['extensions.hookTimeout'];
    },
    get uiTimeoutMs() {
      return settings['ui.timeout'];
    },
  });
}

function createAgentSubagents(options: AgentOptions, resourceLocator: TrustableResourceLocator): SubagentSetup {
  const { ports, settings, agentDirectory } = options;
  const { files, clock } = ports;
  const identity = createProcessIdentity();
  const savesLogs = options.persist !== false;
  const createLogStore = (directory: string, name: string) =>
    savesLogs
      ? createJsonlStore({ files, clock, identity, directory, fileName: `${name}.jsonl` })
      : createMemoryStore();
  return createSubagentSetup({
    ...{ ports, settings, agentDirectory, identity, createLogStore, savesLogs, resourceLocator },
    openSession: createSession,
  });
}
