// Combines flags, settings and the parts of an agent to the options of its session.
import type { ApprovalControl, Hooks, HostUi, ModelRegistry, SessionStore } from '../contracts/index.ts';
import type { SessionOptions } from '../core/index.ts';
import type { ExtensionHost } from '../extensions/index.ts';
import { type ApprovalPolicy, type Model, toApprovalPolicy } from '../protocol/index.ts';
import type { SettingValues } from '../settings/index.ts';
import { createJsonlStore, createMemoryStore, getSessionDirectory } from '../store/index.ts';
import { resolveUserPath } from '../support/home-directory.ts';
import type { AgentOptions, CreatedAgentOptions } from './agent-options.ts';
import type { AgentParts } from './agent-parts.ts';
import { createRuleOptions } from './resources.ts';
import { toBudgetLimits } from './session-settings.ts';
import { resolveSessionStart } from './session-start.ts';
import { createProcessIdentity } from './system-ports/process-identity.ts';
import type { ToolSet } from './tool-set.ts';

export async function createSessionOptions(
  options: CreatedAgentOptions,
  parts: AgentParts,
  toolSet: ToolSet,
): Promise<SessionOptions> {
  const { ports, settings, cwd, agentDirectory, features } = options;
  const { models, extensions, resources, resourceLocator, host } = parts;
  const store = createSessionStore(options, await extensions.sessionDirectory());
  const model = await selectInitialModel(models, extensions);
  const checkFile = (file: string) => checkStartFile(options, parts, store, file);
  const start = await resolveSessionStart({ ...options, checkFile }, store);
  const approval = createApprovalControl(settings);
  const base: SessionOptions = {
    ...{ ports, cwd, agentDirectory, store, models, model, ...start },
    isModelExplicit: !options.prefersStoredModel && (options.provider !== undefined || options.model !== undefined),
    thinkingLevel: options.thinkingLevel ?? models.initialThinkingLevel ?? settings.defaultThinkingLevel,
    ...toolSet,
    excludedTools: options.excludedTools,
    commandTools: ['bash'],
    isToolAvailable: ({ asksHost, startsSubagents }) =>
      asksHost ? host() !== undefined : !startsSubagents || features?.subAgents !== false,
    ...parts.sessionSettings,
    mcp: parts.mcp,
    guard: parts.guard,
    resourceLocator,
    resources: resources.prompt,
    noContextFiles: options.noContextFiles || options.bare,
    rules: createRuleOptions(options, resourceLocator),
    systemPrompt: options.systemPrompt,
    appendSystemPrompt: options.appendSystemPrompt,
    name: options.name,
    id: options.id ?? options.sessionId,
    approval,
    hooks: listHooks(options, parts, approval),
    steeringMode: settings.steeringMode,
    followUpMode: settings.followUpMode,
    interruptMode: settings.interruptMode,
    budget: toBudgetLimits(settings),
    maxTurns: options.maxTurns,
    createSubagents: parts.subagents.createFor(() => base),
  };
  return base;
}

/**
 * Order matters: extensions handle their slash commands before templates are expanded, and approval comes last, so that the user
 * sees the arguments that are really used. The answers of a session are dropped first, because an extension can start a run when the next session starts.
 */
function listHooks(
  options: CreatedAgentOptions,
  { extensions, resources, mcp, host }: AgentParts,
  approval: ApprovalControl,
): Hooks[] {
  const { hooks = [] } = options;
  const [forgetAnswers, approve] = createApprovalHooks(options, approval, host);
  return [forgetAnswers, extensions.hooks, ...hooks, mcp.hooks, resources.hooks, approve];
}

/** Waits for extensions only when the model is unknown: an extension may define it. */
async function selectInitialModel(modelRegistry: ModelRegistry, extensions: ExtensionHost): Promise<Model | null> {
  try {
    const model = await modelRegistry.chooseInitial();
    if (!model || !modelRegistry.isAssumed?.(model)) return model;
    await extensions.loaded;
    return extensions.isEmpty ? model : await modelRegistry.chooseInitial();
  } catch (problem) {
    await extensions.loaded;
    if (extensions.isEmpty) throw problem;
    return modelRegistry.chooseInitial();
  }
}

function createSessionStore(options: AgentOptions, extensionDirectory: string | undefined): SessionStore {
  if (options.store) return options.store;
  if (options.persist === false) return createMemoryStore();
  if (options.storage) return options.storage.openStore(options.cwd);
  const { files, clock } = options.ports;
  const configuredDirectory =
    options.sessionDirectory ?? (extensionDirectory && resolveUserPath(extensionDirectory, options));
  const directory = configuredDirectory ?? getSessionDirectory(options.agentDirectory, options.cwd);
  return createJsonlStore({ files, clock, identity: createProcessIdentity(), directory });
}

/** A session file of `--session` or `--fork`. The code is not loaded when nothing is refused. */
async function checkStartFile(
  { cwd, agentDirectory }: AgentOptions,
  { guard }: AgentParts,
  store: SessionStore,
  file: string,
): Promise<void> {
  if (!guard.isEnforcing) return;
  const { checkSessionFile } = await import('../support/paths/check-session-file.ts');
  await checkSessionFile({ guard, cwd, agentDirectory, directories: [store.directory] }, file);
}

/** What the user has chosen for the session wins over the setting, which a project that is trusted later may change. */
function createApprovalControl(settings: SettingValues): ApprovalControl {
  let chosen: ApprovalPolicy | undefined;
  return {
    get policy() {
      return chosen ?? toApprovalPolicy(settings.approval);
    },
    set policy(policy) {
      chosen = policy;
    },
    get chosen() {
      return chosen;
    },
  };
}

/** Absent while every call is allowed. Reads policy and settings for each call, because they can change during a run. */
function createApprovalHooks(
  agent: CreatedAgentOptions,
  approval: ApprovalControl,
  host: () => HostUi | undefined,
): readonly [forgetAnswers: Hooks, approve: Hooks] {
  const { settings } = agent;
  let hook: Promise<NonNullable<Hooks['toolCall']>> | undefined;
  const toolCall: Hooks['toolCall'] = async (call) => {
    hook ??= import('./approval/session-approval.ts').then(({ createSessionApproval }) =>
      createSessionApproval({ agent, approval, host }),
    );
    return (await hook)(call);
  };
  const forgetAnswers: Hooks = {
    onLifecycleEvent({ type }) {
      if (type === 'session_start') hook = undefined;
      return undefined;
    },
  };
  const approve: Hooks = {
    get toolCall() {
      const isRestricted = settings['permissions.ask'].length + settings['permissions.deny'].length > 0;
      return approval.policy === 'never' && !isRestricted && settings.sandbox === 'off' ? undefined : toolCall;
    },
  };
  return [forgetAnswers, approve];
}
