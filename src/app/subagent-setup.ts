// Provides subagents to an agent: their settings, their definitions and the task tool. The code that runs them is loaded with the
// first task.
import type {
  AgentSession,
  Ports,
  ProcessIdentity,
  ResourceLocator,
  SessionStore,
  TestPatterns,
  Tool,
} from '../contracts/index.ts';
import type { AgentRegistry, SessionOptions, SubagentHost, Subagents, SubagentsFactory } from '../core/index.ts';
import type { SettingValues } from '../settings/index.ts';

export interface SubagentSetupOptions {
  readonly ports: Ports;
  readonly settings: SettingValues;
  readonly agentDirectory: string;
  /** Finds the files that define agents. */
  readonly resourceLocator: ResourceLocator;
  openSession(options: SessionOptions): Promise<AgentSession>;
  createLogStore(folder: string, name: string): SessionStore;
  /** Whether the logs are written to files. */
  readonly savesLogs: boolean;
  readonly identity: ProcessIdentity;
}

export interface SubagentSetup {
  /** For a session with these options, and for all sessions that it starts. */
  createFor(base: () => SessionOptions): SubagentsFactory;
  createTool(): Promise<Tool>;
  /** Removes worktrees that subagents of killed processes left behind. */
  removeStaleWorktrees(): Promise<void>;
}

interface SetupContext extends SubagentSetupOptions {
  readonly worktreesDirectory: string;
  readonly warnings: WarningQueue;
  getAgentRegistry(): Promise<AgentRegistry>;
}

export function createSubagentSetup(options: SubagentSetupOptions): SubagentSetup {
  const worktreesDirectory = `${options.agentDirectory}/worktrees`;
  const warnings = createWarningQueue();
  const getAgentRegistry = createRegistryCache(options, warnings);
  const context = { ...options, worktreesDirectory, warnings, getAgentRegistry };
  return {
    createFor: (base) => (host) => {
      warnings.sendTo(host);
      let subagents: Promise<Subagents> | undefined;
      const load = () => {
        subagents ??= openSubagents(context, base, host);
        return subagents;
      };
      return {
        run: async (...args) => (await load()).run(...args),
        resume: async (...args) => (await load()).resume(...args),
        loadRecords: async () => (await load()).loadRecords(),
      };
    },
    removeStaleWorktrees: () => removeStaleWorktrees(context),
    createTool: () => createAgentTaskTool(context),
  };
}

interface WarningQueue {
  add(message: string): void;
  /** Only the first call chooses the host. */
  sendTo(host: SubagentHost): void;
}

/** Warnings for the user's session. They are kept until there is one. */
function createWarningQueue(): WarningQueue {
  const pending: string[] = [];
  let notify: ((message: string) => void) | undefined;
  return {
    add: (message) => void (notify ? notify(message) : pending.push(message)),
    sendTo(host) {
      notify ??= (message) => void host.emit({ type: 'notice', level: 'warning', message, source: 'subagents' });
      pending.splice(0).forEach(notify);
    },
  };
}

/** Reads the definitions on first use, and again after the project has become trusted. */
function createRegistryCache(options: SubagentSetupOptions, warnings: WarningQueue): () => Promise<AgentRegistry> {
  let registry: Promise<AgentRegistry> | undefined;
  options.resourceLocator.onTrusted(() => {
    registry = undefined;
  });
  return () => {
    // A failure is not cached.
    registry ??= readAgentRegistry(options, warnings).catch((thrown: unknown) => {
      registry = undefined;
      throw thrown;
    });
    return registry;
  };
}

async function openSubagents(
  context: SetupContext,
  base: () => SessionOptions,
  host: SubagentHost,
): Promise<Subagents> {
  const { ports, settings, openSession, getAgentRegistry, createLogStore, savesLogs, worktreesDirectory } = context;
  const { createSubagents } = await import('../core/subagent/index.ts');
  const { toSubagentSettings } = await import('./subagent-settings.ts');
  const testPatterns: TestPatterns = async (pairs) => {
    const { createTestPatterns } = await import('./system-ports/pattern-matcher.ts');
    return createTestPatterns(ports)(pairs);
  };
  const spawnerOptions = {
    base: base(),
    ...{ testPatterns, openSession, getAgentRegistry, createLogStore, savesLogs, worktreesDirectory },
    get settings() {
      return toSubagentSettings(settings);
    },
    processIdentity: context.identity,
  };
  return createSubagents(spawnerOptions, host);
}

async function removeStaleWorktrees({ ports, identity, worktreesDirectory, warnings }: SetupContext): Promise<void> {
  const listPaths = async (path: string) =>
    (await ports.files.list(path).catch(() => [])).map(({ name }) => `${path}/${name}`);
  const batches = await Promise.all((await listPaths(worktreesDirectory)).map(listPaths));
  if (batches.flat().length === 0) return;
  const { cleanStaleBatches } = await import('../core/subagent/isolation/clean-stale-batches.ts');
  (await cleanStaleBatches(ports, identity, worktreesDirectory)).forEach(warnings.add);
}

async function createAgentTaskTool({ settings, getAgentRegistry }: SetupContext): Promise<Tool> {
  const [{ createTaskTool }, { agents, problems }] = await Promise.all([
    import('../tools/task.ts'),
    getAgentRegistry(),
  ]);
  const disabled = settings['task.disabledAgents'];
  return createTaskTool({
    agents: [...agents.values()].filter(({ name }) => !disabled.includes(name)),
    canIsolate: settings['task.isolation.mode'] !== 'none',
    invalidFiles: problems.map(({ path, reason }) => `${path.replace(/^.*\//, '')} (${reason})`),
  });
}

async function readAgentRegistry(
  { resourceLocator }: SubagentSetupOptions,
  warnings: WarningQueue,
): Promise<AgentRegistry> {
  // Not imported through subagent/index.ts: every prompt lists the agents, but few prompts start one.
  const { loadAgentRegistry } = await import('../core/subagent/agent-registry.ts');
  const folders = await resourceLocator.listDirectories('agents');
  const agentRegistry = await loadAgentRegistry(
    resourceLocator.reader,
    folders.map(({ path, level }) => ({ path, source: level })),
  );
  for (const { path, reason } of agentRegistry.problems) warnings.add(`${path}: ${reason}; the agent is ignored`);
  return agentRegistry;
}
