// Starts an agent from command-line options. Shared by all modes.

import { resolve } from 'node:path';
import type { AgentSession, SessionStore } from '../../contracts/index.ts';
import type { ExtensionHost } from '../../extensions/index.ts';
import {
  type EffectiveSettings,
  type FlagValues,
  readFlagOptions,
  resolveAgentDirectory,
  type SettingValues,
} from '../../settings/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { version } from '../../support/version.ts';
import { resolveWorkingDirectory } from '../../support/working-directory.ts';
import type { Traces } from '../../telemetry/traces/start-traces.ts';
import {
  type Inventory,
  loadProjectSettings,
  offerTrust,
  type ProjectSettingsOptions,
  type TrustDecision,
} from '../../trust/index.ts';
import type { AgentOptions, SettingSources } from '../agent-options.ts';
import { type Agent, createAgent } from '../create-agent.ts';
import { takeDatabaseSecrets } from '../database-secrets.ts';
import type { OpenedStorage } from '../session-storage.ts';
import { createClock } from '../system-ports/clock.ts';
import type { DiagnosticLog } from '../system-ports/diagnostic-log.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import type { UnknownFlags } from './unknown-flags.ts';

/** What the command line says, for all modes. */
export interface StartOptions extends FlagValues {
  readonly mode: NonNullable<FlagValues['mode']>;
  /** Flags that only an extension can register. */
  readonly unknown?: UnknownFlags | undefined;
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
  /** Instead of `ports`, for logins of model providers that are renewed. */
  readonly credentialPorts?: StartedAgent['ports'] | undefined;
  readonly agentDirectory: string;
  readonly cwd: string;
  readonly decision: TrustDecision;
  readonly settings: SettingValues;
  readonly permissionRules: EffectiveSettings['rules'];
  /** Loads the settings again, with those of the project as recorded in `inventory`. */
  loadTrustedSettings(inventory: Inventory): Promise<EffectiveSettings>;
  readonly settingSources: SettingSources;
  readonly problems: readonly string[];
  readonly logFile: string | undefined;
  /** Absent if sessions are stored in files, or not at all. */
  readonly storage: OpenedStorage | undefined;
  /** Absent if the environment does not ask for OpenTelemetry traces. */
  readonly traces: Traces | undefined;
  /** Sends the last traces, ends child processes and closes the log. Called after the agents are closed. */
  close(): Promise<void>;
}

export async function prepareStart(
  options: StartOptions,
  warn: (line: string) => void,
  loadDialectDefaults: LoadDialectDefaults = async () => ({}),
): Promise<StartContext> {
  const env = process.env;
  const logFile = options.logFile ?? env.PARLEY_LOG;
  const agentDirectory = resolveAgentDirectory(env, homeDirectory());
  const diagnostics = logFile ? await openDiagnosticLog(resolve(logFile), warn) : undefined;
  const ports = createSystemPorts({ agentDirectory, diagnostics });
  const { files } = ports;
  const cwd = options.cwd === undefined ? process.cwd() : await resolveWorkingDirectory(files, options.cwd);
  // Loaded once, because the dialect does not change.
  let dialectDefaults: ReturnType<LoadDialectDefaults> | undefined;
  const loadDefaults: LoadDialectDefaults = (values) => {
    dialectDefaults ??= loadDialectDefaults(values);
    return dialectDefaults;
  };
  const home = homeDirectory();
  const projectOptions = { files, agentDirectory, cwd, home, flags: options, loadDefaults, warn };
  const { decision, values: settings, rules: permissionRules, problems } = await loadProjectSettings(projectOptions);
  if (process.platform === 'win32') warn('Parley is untested on Windows.');
  const loadTrustedSettings = (inventory: Inventory) =>
    loadProjectSettings(projectOptions, { trusted: true, reason: 'saved', inventory });
  const storage = await openStorageLazily(options, { ports, settings, agentDirectory }, env);
  const traces = await startTracesLazily(env, ports);
  const close = async () => {
    await traces?.close();
    await storage?.close();
    await ports.close();
  };
  return {
    ...{ ports, agentDirectory, cwd, decision, settings, permissionRules, loadTrustedSettings, problems, logFile },
    settingSources: createSettingSources(projectOptions, options),
    storage,
    traces,
    close,
  };
}

/** Problems were reported at the start. */
export function createSettingSources(options: ProjectSettingsOptions, flags: FlagValues): SettingSources {
  const quiet = { ...options, isLenient: true, warn: () => {} };
  return { flags, load: (trusted) => loadProjectSettings(quiet, { trusted, reason: 'saved' }) };
}

async function openStorageLazily(
  { sessionDir, noSession }: FlagValues,
  context: Pick<StartContext, 'ports' | 'settings' | 'agentDirectory'>,
  env: NodeJS.ProcessEnv,
): Promise<OpenedStorage | undefined> {
  const secrets = takeDatabaseSecrets(env);
  if ((context.settings.store ?? secrets.url) === undefined || noSession) return undefined;
  const { openSessionStorage } = await import('../session-storage.ts');
  return openSessionStorage({ ...context, secrets, redact: context.ports.redact, sessionDir });
}

/** The other variables of OpenTelemetry have no effect without one of these. */
async function startTracesLazily(env: NodeJS.ProcessEnv, ports: StartedAgent['ports']): Promise<Traces | undefined> {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT && !env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT && !env.OTEL_TRACES_EXPORTER)
    return undefined;
  const { startTraces } = await import('../../telemetry/traces/start-traces.ts');
  return startTraces({ env, ports, version: version() });
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
    chooseSession: options.resume ? (store) => chooseSessionToResume(store, options.mode, ports) : undefined,
  });
  const close = async () => {
    await agent.close();
    await context.close();
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

/** Includes the flags that select the session. Does not include the trust decision. */
export function toAgentOptions(
  options: StartOptions,
  startContext: StartContext,
  warn: (line: string) => void,
): AgentOptions {
  const { ports, credentialPorts, agentDirectory, cwd, settings, permissionRules, settingSources, storage, traces } =
    startContext;
  return {
    ...readFlagOptions(options),
    cwd,
    agentDirectory,
    home: homeDirectory(),
    settings,
    permissionRules,
    settingSources,
    ports,
    credentialPorts,
    storage,
    redact: ports.redact,
    withhold: ports.withhold,
    warn,
    observeSession: traces?.observeSession,
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
