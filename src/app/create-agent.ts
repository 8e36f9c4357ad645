// Composition root: creates an agent from settings, flags and ports.
import type { AgentSession, OpenInnerSession, RunShell, SessionHub } from '../contracts/index.ts';
import { createSession } from '../core/index.ts';
import type { ExtensionHost } from '../extensions/index.ts';
import { createSessionHub } from '../server/index.ts';
import { type EffectiveSettings, listRules } from '../settings/index.ts';
import type { TrustableResourceLocator } from '../trust/index.ts';
import type { AgentOptions } from './agent-options.ts';
import { type AgentParts, createAgentParts } from './agent-parts.ts';
import type { LiveAgent } from './apply-settings.ts';
import type { AgentCommandPorts } from './command-ports/command-ports.ts';
import type { SessionChanges } from './command-ports/session-changes.ts';
import { createSessionOptions } from './create-session-options.ts';
import { createLazyAuth } from './lazy-auth.ts';
import { createModelNotice, type ModelNotice } from './model-notice.ts';
import { createToolSet, type ToolSet } from './tool-set.ts';

/** Delays the removal of stale worktrees until after the first reply. */
const CLEANUP_DELAY_MS = 200;

export interface Agent {
  readonly session: AgentSession;
  readonly hub: SessionHub;
  readonly resourceLocator: TrustableResourceLocator;
  readonly extensions: ExtensionHost;
  /** Notice that only the offline model answers, that no model can be used, or that its limits are assumed. */
  readonly modelNotice: ModelNotice | undefined;
  /** Uses these settings from now on, except those that are only read at start. */
  applySettings(settings: EffectiveSettings): Promise<void>;
  /** The settings that hold for this session only. */
  readChanges(): Promise<SessionChanges>;
  /** Applies what `readChanges` has returned in an earlier process. Returns what does not count now, because the settings are stricter. */
  restoreChanges(changes: SessionChanges): Promise<SessionChanges>;
  /** Runs a command in the sandbox of the session. */
  readonly runShell: RunShell;
  /** Ends all runs and child processes and closes the session log. */
  close(): Promise<void>;
  /** The same, without the processes of other agents that have the same ports. */
  end(): Promise<void>;
}

export async function createAgent(requested: AgentOptions): Promise<Agent> {
  // Copied, because the settings are changed in place when the project becomes trusted.
  const permissionRules = [...(requested.permissionRules ?? listRules(requested.settings, 'user', 'settings'))];
  const options = { ...requested, settings: { ...requested.settings }, permissionRules };
  const { ports } = options;
  /** Filled below. The parts need both, and are created first. */
  const created: { session?: AgentSession; hub?: SessionHub } = {};
  const host = () => created.hub?.ui;
  const report = (message: string) => {
    if (created.session) created.session.notify({ level: 'warning', message, source: 'trust' });
    else options.warn?.(message);
  };
  const openInnerSession: OpenInnerSession = async (request) => {
    const inner = await import('./inner-session.ts');
    const context = { options, models: parts.models, currentModel: created.session?.models.current, createAgent };
    return inner.openInnerSession(request, context);
  };
  const parts = createAgentParts(options, { host, session: () => created.session, report, openInnerSession });
  const { models, resourceLocator, extensions, subagents } = parts;
  if (options.mcpConfigPaths) await (await import('./mcp/read-definitions.ts')).checkMcpConfigFiles(options);
  let commandPorts: Promise<AgentCommandPorts> | undefined;
  const loadPorts = async () => {
    commandPorts ??= import('./command-ports/command-ports.ts').then(({ createCommandPorts }) =>
      createCommandPorts(options, { ...parts, session, base, options }),
    );
    return commandPorts;
  };
  const toolSet = await createAgentToolSet(options, parts);
  const base = await createSessionOptions(options, parts, toolSet);
  base.loadPorts = loadPorts;
  const session = await createSession(base);
  created.session = session;
  options.observeSession?.(session);
  const cancelCleanup = ports.clock.after(CLEANUP_DELAY_MS, () => void subagents.removeStaleWorktrees());
  const startExtensions = () => void extensions.start();
  const hub = createSessionHub(session, startExtensions, createLazyAuth(options), options.onExitRequested);
  created.hub = hub;
  extensions.attach(session, hub);
  return {
    session,
    hub,
    resourceLocator,
    extensions,
    modelNotice: createModelNotice(models, session.models.current),
    async applySettings(settings) {
      const { applySettings } = await import('./apply-settings.ts');
      const changedSettings = await commandPorts;
      // Both without an await in between: the first removes the permission rules of the session, the second adds them again.
      applySettings({ ...parts, session, base, options }, settings);
      changedSettings?.overrides?.replaceBase(options.settings);
    },
    ...createChangeMethods({ session, options }, loadPorts, () => commandPorts),
    runShell: toolSet.runShell,
    ...createEndMethods({ cancelCleanup, hub, ports, guard: parts.guard }),
  };
}

interface AgentEnd extends Pick<AgentParts, 'guard'>, Pick<AgentOptions, 'ports'> {
  readonly hub: SessionHub;
  cancelCleanup(): void;
}

function createEndMethods({ cancelCleanup, hub, ports, guard }: AgentEnd): Pick<Agent, 'close' | 'end'> {
  const end = async (killProcesses: () => Promise<void>) => {
    cancelCleanup();
    await hub.close();
    await killProcesses();
    await guard.close();
  };
  return { close: () => end(() => ports.processes.killAll()), end: () => end(async () => {}) };
}

function createChangeMethods(
  agent: Pick<LiveAgent, 'session' | 'options'>,
  loadPorts: () => Promise<AgentCommandPorts>,
  /** `undefined` while no command has used them: then no setting was changed by them. */
  findPorts: () => Promise<AgentCommandPorts> | undefined,
): Pick<Agent, 'readChanges' | 'restoreChanges'> {
  return {
    async readChanges() {
      const { readSessionChanges } = await import('./command-ports/session-changes.ts');
      return readSessionChanges(agent.session, agent.options.settings, (await findPorts())?.overrides);
    },
    async restoreChanges(changes) {
      const { restoreSessionChanges } = await import('./command-ports/session-changes.ts');
      const { overrides } = await loadPorts();
      return overrides ? restoreSessionChanges(agent, overrides, changes) : changes;
    },
  };
}

function createAgentToolSet(
  options: AgentOptions,
  { subagents, extensions, resourceLocator, mcp, guard, host }: AgentParts,
): Promise<ToolSet> {
  const {
    ports,
    settings,
    toolNames,
    skipsUnknownTools,
    excludedTools,
    noBuiltinTools,
    tools: extraTools = [],
  } = options;
  const task = subagents.createTool;
  const selection = { toolNames, skipsUnknownTools, excludedTools, noBuiltinTools, extraTools };
  return createToolSet({ ports, settings, ...selection, task, extensions, mcp, guard, host, resourceLocator });
}
