// Starts an agent from command-line options. Shared by all modes.

import { resolve } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { AgentSession, SessionStore } from '../../contracts/index.ts';
import type { ExtensionHost } from '../../extensions/index.ts';
import type { ThinkingLevel } from '../../protocol/index.ts';
import {
  applyDefaults,
  applySettingFlags,
  loadSettingsForRun,
  resolveAgentDirectory,
  type SettingFlags,
  type SettingValues,
} from '../../settings/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import {
  createSettingsReader,
  decideTrust,
  type Inventory,
  offerTrust,
  type TrustDecision,
} from '../../trust/index.ts';
import type { AgentOptions } from '../agent-options.ts';
import { type Agent, createAgent } from '../create-agent.ts';
import { createClock } from '../system-ports/clock.ts';
import type { DiagnosticLog } from '../system-ports/diagnostic-log.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import type { UnknownFlags } from './unknown-flags.ts';

/** Command-line options that all modes share. */
export interface StartOptions extends SettingFlags {
  readonly mode: string;
  readonly cwd?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly models?: readonly string[] | undefined;
  readonly thinking?: ThinkingLevel | undefined;
  readonly noSession?: boolean | undefined;
  readonly sessionDir?: string | undefined;
  readonly name?: string | undefined;
  readonly session?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly fork?: string | undefined;
  readonly continue?: boolean | undefined;
  readonly resume?: boolean | undefined;
  readonly systemPrompt?: string | undefined;
  readonly appendSystemPrompt?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly noTools?: boolean | undefined;
  readonly excludeTools?: readonly string[] | undefined;
  readonly noBuiltinTools?: boolean | undefined;
  readonly noContextFiles?: boolean | undefined;
  readonly trust?: boolean | undefined;
  readonly noTrust?: boolean | undefined;
  /** Send no questions to the host. */
  readonly noUi?: boolean | undefined;
  readonly skill?: readonly string[] | undefined;
  readonly noSkills?: boolean | undefined;
  readonly promptTemplate?: readonly string[] | undefined;
  readonly noRules?: boolean | undefined;
  readonly noPromptTemplates?: boolean | undefined;
  readonly logFile?: string | undefined;
  readonly extension?: readonly string[] | undefined;
  readonly noExtensions?: boolean | undefined;
  /** Flags that only an extension can register, with the error message if none does. */
  readonly unknown?: UnknownFlags | undefined;
  /** Each item is `KEY=VALUE`. */
  readonly set?: readonly string[] | undefined;
}

export interface StartedAgent {
  readonly agent: Agent;
  readonly ports: ReturnType<typeof createSystemPorts>;
  readonly settings: SettingValues;
  readonly cwd: string;
  /** If the project has configuration that is not trusted: sends a notice and asks whether to trust it. */
  offerTrust(notify?: AgentSession['notify']): Promise<void>;
  /** Ends runs and child processes and closes the logs. */
  close(): Promise<void>;
}

/** Defaults of a dialect. They replace the program's defaults; values that the user has set take precedence. */
type LoadDialectDefaults = (settings: SettingValues) => Promise<Readonly<Record<string, unknown>>>;

/** The state that every mode needs before an agent is created. */
export interface StartContext {
  readonly ports: StartedAgent['ports'];
  readonly agentDirectory: string;
  readonly cwd: string;
  readonly decision: TrustDecision;
  readonly settings: SettingValues;
  /** Loads the settings again, with those of the project as recorded in `inventory`. */
  loadTrustedSettings(inventory: Inventory): Promise<SettingValues>;
  readonly problems: readonly string[];
  readonly logFile: string | undefined;
}

export async function prepareStart(
  options: StartOptions,
  warn: (line: string) => void,
  loadDialectDefaults: LoadDialectDefaults = async () => ({}),
): Promise<StartContext> {
  const env = process.env;
  const logFile = options.logFile ?? env.PARLEY_LOG;
  const directory = resolveAgentDirectory(env, homeDirectory());
  const diagnostics = logFile ? await openDiagnosticLog(resolve(logFile), warn) : undefined;
  const ports = createSystemPorts({ agentDirectory: directory, diagnostics });
  const cwd = await resolveWorkingDirectory(options.cwd, ports);
  const { trust, noTrust, set: overrides } = options;
  const { files } = ports;
  const decision = await decideTrust({ files, agentDirectory: directory, cwd, trust, noTrust });
  if (decision.problem) warn(decision.problem);
  // Loaded once, because the dialect does not change.
  let dialectDefaults: Awaited<ReturnType<LoadDialectDefaults>> | undefined;
  const loadFor = async (project: string | undefined, inventory?: Inventory) => {
    const paths = { files, cwd, agentDirectory: directory, home: homeDirectory() };
    const readerOptions = { ...paths, inventory, report: warn };
    const settingsFiles = await createSettingsReader({ ...readerOptions, trusted: project !== undefined });
    const loaded = await loadSettingsForRun({ files: settingsFiles, agentDirectory: directory, project, overrides });
    for (const problem of loaded.problems) warn(problem);
    dialectDefaults ??= await loadDialectDefaults(loaded.values);
    const settings = applySettingFlags(applyDefaults(loaded, dialectDefaults), options);
    return { settings, problems: loaded.problems };
  };
  const { settings, problems } = await loadFor(decision.trusted ? cwd : undefined, decision.inventory);
  if (process.platform === 'win32') warn('Parley is untested on Windows.');
  const loadTrustedSettings = async (inventory: Inventory) => (await loadFor(cwd, inventory)).settings;
  return { ports, agentDirectory: directory, cwd, decision, settings, loadTrustedSettings, problems, logFile };
}

export async function startAgent(
  options: StartOptions,
  warn: (line: string) => void,
  startContext?: StartContext,
): Promise<StartedAgent> {
  const context = startContext ?? (await prepareStart(options, warn));
  const { ports, agentDirectory, cwd, decision, settings, problems, logFile } = context;
  const agent = await createAgent({
    ...toAgentOptions(options, context, warn),
    trusted: decision.trusted,
    inventory: decision.inventory,
    name: options.name?.trim() || undefined,
    session: options.session,
    sessionId: options.sessionId,
    fork: options.fork,
    continueLatest: options.continue,
    chooseSession: options.resume ? (store) => chooseSessionToResume(store, options.mode, ports) : undefined,
  });
  const close = async () => {
    await agent.close();
    await ports.close();
  };
  await checkUnknownFlagsLazily(agent.extensions, options, warn).catch((fault: unknown) =>
    close().then(() => Promise.reject(fault)),
  );
  if (logFile)
    (await import('./log-session.ts')).logSession(agent.session, ports.log, { mode: options.mode, problems });
  return {
    agent,
    ports,
    settings,
    cwd,
    offerTrust: (notify = agent.session.notify) =>
      offerTrust(agent, {
        ...{ ports, cwd, notify, noUi: options.noUi },
        agentDirectory,
        reason: decision.reason,
        settings: context.loadTrustedSettings,
      }),
    close,
  };
}

async function openDiagnosticLog(file: string, warn: (line: string) => void): Promise<DiagnosticLog> {
  const { createDiagnosticLog } = await import('../system-ports/diagnostic-log.ts');
  return createDiagnosticLog({ file, clock: createClock(), warn });
}

/** The options that all sessions of the process share. Without the session to open and the trust decision. */
export function toAgentOptions(
  options: StartOptions,
  { ports, agentDirectory, cwd, settings }: StartContext,
  warn: (line: string) => void,
): AgentOptions {
  return {
    cwd,
    agentDirectory,
    home: homeDirectory(),
    settings,
    ports,
    persist: !options.noSession,
    sessionDirectory: options.sessionDir === undefined ? undefined : resolve(options.sessionDir),
    provider: options.provider,
    model: options.model,
    apiKey: options.apiKey,
    modelPatterns: options.models,
    redact: ports.redact,
    withhold: ports.withhold,
    warn,
    thinkingLevel: options.thinking,
    systemPrompt: options.systemPrompt,
    appendSystemPrompt: options.appendSystemPrompt,
    toolNames: options.noTools ? [] : options.tools,
    excludedTools: options.excludeTools,
    noBuiltinTools: options.noBuiltinTools,
    noContextFiles: options.noContextFiles,
    skillPaths: options.skill,
    noSkills: options.noSkills,
    templatePaths: options.promptTemplate,
    noTemplates: options.noPromptTemplates,
    noRules: options.noRules,
    maxTurns: options.maxTurns,
    extensions: {
      paths: options.extension?.map((path) => resolve(path)),
      discover: !options.noExtensions,
      flags: toExtensionFlags(options),
      mode: options.mode === 'text' ? 'print' : options.mode,
    },
  };
}

/** In RPC mode there is no terminal to ask on, so `--resume` fails. A host can name the session itself. */
async function chooseSessionToResume(
  store: SessionStore,
  mode: string,
  { clock }: StartedAgent['ports'],
): Promise<string> {
  const { chooseSession, openTerminalPrompt } = await import('./choose-session.ts');
  return chooseSession(store, mode === 'rpc' ? undefined : openTerminalPrompt(), clock.now());
}

/** Flag values in the form that extensions receive. */
function toExtensionFlags({ unknown = {} }: Pick<StartOptions, 'unknown'>): Record<string, string | true> {
  return Object.fromEntries(Object.entries(unknown).map(([name, { value }]) => [name, value]));
}

/** Throws a Fault for a flag that no extension has registered. Waits for extensions only when there is an unknown flag. */
export async function checkUnknownFlagsLazily(
  extensions: ExtensionHost,
  { unknown = {} }: Pick<StartOptions, 'unknown'>,
  warn: (line: string) => void,
): Promise<void> {
  if (Object.keys(unknown).length > 0)
    await (await import('./unknown-flags.ts')).checkUnknownFlags(extensions, unknown, warn);
}

async function resolveWorkingDirectory(requested: string | undefined, ports: StartedAgent['ports']): Promise<string> {
  if (requested === undefined) return process.cwd();
  const path = resolve(requested);
  const info = await ports.files.info(path);
  if (info?.kind !== 'directory') throw new Fault('config', `Working directory does not exist: ${path}`);
  return path;
}
