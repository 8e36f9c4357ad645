// The hall: from the words of the command line to an agent that is ready. Shared by every mode.

import { resolve } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { AgentSession, SessionStore } from '../../contracts/index.ts';
import type { ThinkingLevel } from '../../protocol/index.ts';
import { type Agent, type AgentOptions, createAgent } from '../compose.ts';
import type { ExtensionFront } from '../extensions/front.ts';
import { homeDirectory } from '../home.ts';
import { type SettingFlags, withSettingFlags } from '../setting-flags.ts';
import { settingsForRun, userDirectory, withDefaults } from '../settings.ts';
import type { SettingValues } from '../settings-table.ts';
import { createClock } from '../system-ports/clock.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import type { DiagnosticLog } from '../system-ports/log.ts';
import { decideTrust } from '../trust/decide.ts';
import type { TrustDecision } from '../trust/decision.ts';
import type { Inventory } from '../trust/inventory.ts';
import { offerTrust } from '../trust/offer.ts';
import { settingsReading } from '../trust/settings-reading.ts';
import type { UnknownFlags } from './flags.ts';

/** What the modes read of the command line. */
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
  /** Ask the host nothing. */
  readonly noUi?: boolean | undefined;
  readonly skill?: readonly string[] | undefined;
  readonly noSkills?: boolean | undefined;
  readonly promptTemplate?: readonly string[] | undefined;
  readonly noRules?: boolean | undefined;
  readonly noPromptTemplates?: boolean | undefined;
  readonly logFile?: string | undefined;
  readonly extension?: readonly string[] | undefined;
  readonly noExtensions?: boolean | undefined;
  /** Flags that only an extension can know, and what to say when none does. */
  readonly unknown?: UnknownFlags | undefined;
  /** `KEY=VALUE` each. */
  readonly set?: readonly string[] | undefined;
}

export interface Started {
  readonly agent: Agent;
  readonly ports: ReturnType<typeof createSystemPorts>;
  readonly settings: SettingValues;
  readonly cwd: string;
  /** Says that the project is not trusted, when there is something to trust, and asks whether it shall be. */
  introduceProject(tell?: AgentSession['notify']): Promise<void>;
  /** Ends everything: runs, children, log. */
  close(): Promise<void>;
}

/** Settings that take the place of the program's own defaults; what somebody has set wins over them. */
type Defaults = (settings: SettingValues) => Promise<Readonly<Record<string, unknown>>>;

/** What every mode begins with: the ports, where the user's own lies, and what the settings say. */
export interface Prepared {
  readonly ports: Started['ports'];
  readonly directory: string;
  readonly cwd: string;
  readonly decision: TrustDecision;
  readonly settings: SettingValues;
  /** The same with those of the project, as they are in what was trusted. */
  whenTrusted(inventory: Inventory): Promise<SettingValues>;
  readonly problems: readonly string[];
  readonly logFile: string | undefined;
}

export async function prepare(
  options: StartOptions,
  warn: (line: string) => void,
  defaults: Defaults = async () => ({}),
): Promise<Prepared> {
  const env = process.env;
  const logFile = options.logFile ?? env.PARLEY_LOG;
  const directory = userDirectory(env, homeDirectory());
  const diagnostics = logFile ? await openLog(resolve(logFile), warn) : undefined;
  const ports = createSystemPorts({ own: directory, diagnostics });
  const cwd = await workingDirectory(options.cwd, ports);
  const { trust, noTrust, set: overrides } = options;
  const { files } = ports;
  const decision = await decideTrust({ files, agentDirectory: directory, cwd, trust, noTrust });
  if (decision.problem) warn(decision.problem);
  // Those of the dialect that is spoken, which does not change.
  let own: Awaited<ReturnType<Defaults>> | undefined;
  const read = async (project: string | undefined, trusted?: Inventory) => {
    const place = { files, cwd, agentDirectory: directory, home: homeDirectory() };
    const rules = { ...place, inventory: trusted, report: warn };
    const reading = await settingsReading({ ...rules, trusted: project !== undefined });
    const loaded = await settingsForRun({ files: reading, directory, project, overrides });
    for (const problem of loaded.problems) warn(problem);
    own ??= await defaults(loaded.values);
    const settings = withSettingFlags(withDefaults(loaded, own), options);
    return { settings, problems: loaded.problems };
  };
  const { settings, problems } = await read(decision.trusted ? cwd : undefined, decision.inventory);
  if (process.platform === 'win32') warn('Parley is untested on Windows.');
  const whenTrusted = async (trusted: Inventory) => (await read(cwd, trusted)).settings;
  return { ports, directory, cwd, decision, settings, whenTrusted, problems, logFile };
}

export async function start(
  options: StartOptions,
  warn: (line: string) => void,
  prepared?: Prepared,
): Promise<Started> {
  const whole = prepared ?? (await prepare(options, warn));
  const { ports, directory, cwd, decision, settings, problems, logFile } = whole;
  const agent = await createAgent({
    ...agentOptionsFrom(options, whole, warn),
    trusted: decision.trusted,
    inventory: decision.inventory,
    name: options.name?.trim() || undefined,
    session: options.session,
    sessionId: options.sessionId,
    fork: options.fork,
    continueLatest: options.continue,
    chooseSession: options.resume ? (store) => choose(store, options.mode, ports) : undefined,
  });
  const close = async () => {
    await agent.close();
    await ports.close();
  };
  await judgeFlags(agent.extensions, options, warn).catch((fault: unknown) =>
    close().then(() => Promise.reject(fault)),
  );
  if (logFile) (await import('./diagnostics.ts')).noteLife(agent.session, ports.log, { mode: options.mode, problems });
  return {
    agent,
    ports,
    settings,
    cwd,
    introduceProject: (tell = agent.session.notify) =>
      offerTrust(agent, {
        ...{ ports, cwd, tell, noUi: options.noUi },
        agentDirectory: directory,
        because: decision.because,
        settings: whole.whenTrusted,
      }),
    close,
  };
}

async function openLog(file: string, warn: (line: string) => void): Promise<DiagnosticLog> {
  const { createLog } = await import('../system-ports/log.ts');
  return createLog({ file, clock: createClock(), warn });
}

/** What the command line says about every session of the process. Which session it is, and what is trusted, is not in it. */
export function agentOptionsFrom(
  options: StartOptions,
  { ports, directory, cwd, settings }: Prepared,
  warn: (line: string) => void,
): AgentOptions {
  return {
    cwd,
    agentDirectory: directory,
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
      flags: givenFlags(options),
      mode: options.mode === 'text' ? 'print' : options.mode,
    },
  };
}

/** A host that talks to us in frames can name the session itself. */
async function choose(store: SessionStore, mode: string, { clock }: Started['ports']): Promise<string> {
  const { chooseSession, personAtTerminal } = await import('./choose-session.ts');
  return chooseSession(store, mode === 'rpc' ? undefined : personAtTerminal(), clock.now());
}

/** As extensions are told of them. */
function givenFlags({ unknown = {} }: Pick<StartOptions, 'unknown'>): Record<string, string | true> {
  return Object.fromEntries(Object.entries(unknown).map(([name, { value }]) => [name, value]));
}

/** Throws a Fault for a flag that no extension has registered. Waits for extensions only when there is an unknown flag. */
export async function judgeFlags(
  extensions: ExtensionFront,
  { unknown = {} }: Pick<StartOptions, 'unknown'>,
  warn: (line: string) => void,
): Promise<void> {
  if (Object.keys(unknown).length > 0) await (await import('./flags.ts')).judge(extensions, unknown, warn);
}

async function workingDirectory(wanted: string | undefined, ports: Started['ports']): Promise<string> {
  if (wanted === undefined) return process.cwd();
  const path = resolve(wanted);
  const info = await ports.files.info(path);
  if (info?.kind !== 'directory') throw new Fault('config', `Working directory does not exist: ${path}`);
  return path;
}
