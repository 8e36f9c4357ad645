// The hall: the one place that knows every room. Puts an agent together from settings, flags and ports.
import type {
  AgentSession,
  Features,
  Hooks,
  HostUi,
  Logins,
  Models,
  Ports,
  SessionHub,
  SessionStore,
  Tool,
} from '../contracts/index.ts';
import { createSession, type SessionOptions } from '../core/index.ts';
import type { Model, ThinkingLevel } from '../protocol/index.ts';
import { createHub } from '../server/index.ts';
import { createJsonlStore, createMemoryStore, sessionFolder } from '../store/index.ts';
import { ExtensionFront } from './extensions/front.ts';
import type { ExtensionOptions } from './extensions/options.ts';
import { homeDirectory, pathFrom } from './home.ts';
import { budgetFor } from './limits.ts';
import { type ModelChoices, modelsFor } from './models.ts';
import { type OfflineNotice, offlineNotice } from './offline-notice.ts';
import type { ResourceChoices } from './resource-room.ts';
import { resourcesFor, rulesFor } from './resources.ts';
import { sessionStart } from './resuming.ts';
import type { SettingValues } from './settings-table.ts';
import { createSubagentRoom, type SubagentRoom } from './subagents.ts';
import { createProcessIdentity } from './system-ports/process-identity.ts';
import { createToolbox } from './toolbox.ts';
import type { Inventory } from './trust/inventory.ts';
import { createPlaces, type TrustablePlaces } from './trust/places.ts';
import { tuningFor } from './tuning.ts';

/** Whoever asks first is not kept waiting for what an earlier process left behind. */
const SWEEP_AFTER_MS = 200;

export interface AgentOptions extends ModelChoices, ResourceChoices {
  cwd: string;
  /** The user's own directory: settings, sessions, notes. */
  agentDirectory: string;
  /** The user's home, where programs share skills; the system's own when absent. */
  home?: string | undefined;
  /** Whether what the project brings along counts; it does not when absent. */
  trusted?: boolean | undefined;
  /** What was trusted, when that is known: what differs from it is not used. */
  inventory?: Inventory | undefined;
  settings: SettingValues;
  ports: Ports;
  /** `false` keeps nothing on disk. */
  persist?: boolean | undefined;
  /** Where conversations are kept, in the place of session files. */
  store?: SessionStore | undefined;
  /** Where session files go; by default a folder of their own for each working directory. */
  sessionDirectory?: string | undefined;
  thinkingLevel?: ThinkingLevel | undefined;
  systemPrompt?: string | undefined;
  appendSystemPrompt?: string | undefined;
  /** Only these of the tools; all of them when absent. */
  toolNames?: readonly string[] | undefined;
  /** Never these: neither built-in ones nor those of extensions, of the host or of subagents. */
  excludedTools?: readonly string[] | undefined;
  /** Only the tools of extensions, of the host and those in `tools`. */
  noBuiltinTools?: boolean | undefined;
  /** Do not read AGENTS.md and CLAUDE.md. */
  noContextFiles?: boolean | undefined;
  /** Beside the built-in ones. One with the same name takes the built-in's place. */
  tools?: readonly Tool[] | undefined;
  /** How many turns one prompt may take. */
  maxTurns?: number | undefined;
  name?: string | undefined;
  /** The id of a new session, when a host chose it. */
  id?: string | undefined;
  /** Go on with this session: a path, or the beginning of its id. */
  session?: string | undefined;
  /** Go on with the session that has exactly this id, or begin one with it. With `fork`: the id of the copy. */
  sessionId?: string | undefined;
  /** Begin a new session with the history of this one. */
  fork?: string | undefined;
  /** Go on with the session of this directory that was written to last, if there is one. */
  continueLatest?: boolean | undefined;
  /** Asks which session to go on with: gives its path. */
  chooseSession?: ((store: SessionStore) => Promise<string>) | undefined;
  models?: Models | undefined;
  /** Who may object to what happens, or change it, in the order they are asked. */
  hooks?: readonly Hooks[] | undefined;
  extensions?: ExtensionOptions | undefined;
  /** What can be switched off while the agent lives; looked at whenever it matters. */
  features?: Pick<Features, 'subAgents' | 'skills'> | undefined;
}

export interface Agent {
  readonly session: AgentSession;
  readonly hub: SessionHub;
  readonly places: TrustablePlaces;
  readonly extensions: ExtensionFront;
  /** What the user must know about the model that answers: that it is the offline one, or that there is none. */
  readonly modelNotice: OfflineNotice | undefined;
  /** These settings from here on, as far as they are not only for the start. */
  retune(values: SettingValues): Promise<void>;
  /** Ends every run and every child, and closes the log. */
  close(): Promise<void>;
}

export async function createAgent(given: AgentOptions): Promise<Agent> {
  // A copy of its own, because a project that is trusted later may change it.
  const options = { ...given, settings: { ...given.settings } };
  const { ports, settings } = options;
  const tuning = tuningFor(settings);
  const models = options.models ?? modelsFor(options);
  const { toolNames, excludedTools, noBuiltinTools, tools: added = [] } = options;
  let session: AgentSession | undefined;
  const places = placesFor(options, (message) => {
    if (session) session.notify({ level: 'warning', message, source: 'trust' });
    else options.warn?.(message);
  });
  const extensions = frontFor(options, models, places);
  const resources = resourcesFor(options, places, extensions);
  const subagents = subagentsFor(options, places);
  const task = subagents.tool;
  // Nobody listens while the agent is put together.
  const host = (): HostUi | undefined => hub?.ui;
  const shelf = { ports, toolNames, excludedTools, noBuiltinTools, added, settings, task, extensions, host, places };
  const toolbox = await createToolbox(shelf);
  let hub: SessionHub | undefined;
  const store = storeFor(options, await extensions.sessionDirectory());
  const base: SessionOptions = {
    ports,
    store,
    models,
    model: await initialModel(models, extensions),
    modelAsked: options.provider !== undefined || options.model !== undefined,
    ...(await sessionStart(options, store)),
    thinkingLevel: options.thinkingLevel ?? settings.defaultThinkingLevel,
    tools: toolbox.tools,
    excludedTools,
    commandTools: ['bash'],
    noContextFiles: options.noContextFiles,
    offers: ({ asksHost, startsSubagents }) =>
      asksHost ? host() !== undefined : !startsSubagents || options.features?.subAgents !== false,
    ...tuning,
    runShell: toolbox.runShell,
    cwd: options.cwd,
    agentDirectory: options.agentDirectory,
    places,
    resources: resources.prompt,
    rules: rulesFor(options, places),
    systemPrompt: options.systemPrompt,
    appendSystemPrompt: options.appendSystemPrompt,
    name: options.name,
    id: options.id ?? options.sessionId,
    // In this order, so that an extension's own words are never taken for a template, and a person sees what is really done.
    hooks: [extensions.hooks, ...(options.hooks ?? []), resources.hooks, approvalFor(settings, host)],
    steeringMode: settings.steeringMode,
    followUpMode: settings.followUpMode,
    interruptMode: settings.interruptMode,
    budget: budgetFor(settings),
    maxTurns: options.maxTurns,
    subagents: subagents.doorFor(() => base),
  };
  const opened = await createSession(base);
  session = opened;
  const cancelSweep = ports.clock.after(SWEEP_AFTER_MS, () => void subagents.sweep());
  const own = createHub(opened, () => void extensions.start(), loginsFor(options, host));
  hub = own;
  extensions.attach(opened, own);
  return {
    session: opened,
    hub: own,
    places,
    extensions,
    modelNotice: offlineNotice(models, session.models.current),
    async retune(values) {
      const { retune } = await import('./retune.ts');
      retune({ session: opened, base, tuning, models, options, extensions, places }, values);
    },
    async close() {
      cancelSweep();
      await own.close();
      await ports.processes.killAll();
    },
  };
}

function placesFor(options: AgentOptions, report: (sentence: string) => void): TrustablePlaces {
  const { cwd, agentDirectory, home = homeDirectory(), trusted = false, inventory } = options;
  return createPlaces({ files: options.ports.files, cwd, agentDirectory, home, trusted, inventory, report });
}

function subagentsFor(options: AgentOptions, places: TrustablePlaces): SubagentRoom {
  const { ports, settings, agentDirectory } = options;
  const { files, clock } = ports;
  const identity = createProcessIdentity();
  const keepsLogs = options.persist !== false;
  const logs = (directory: string, name: string) =>
    keepsLogs
      ? createJsonlStore({ files, clock, identity, directory, fileName: `${name}.jsonl` })
      : createMemoryStore();
  return createSubagentRoom({
    ...{ ports, settings, agentDirectory, identity, logs, keepsLogs, places },
    open: createSession,
  });
}

/** What signing in needs is loaded when somebody asks for it. */
function loginsFor(options: AgentOptions, host: () => HostUi | undefined): Logins {
  let opened: Promise<Logins> | undefined;
  const open = () => {
    const { fetch, clock } = options.ports;
    const surroundings = { fetch, clock, env: options.env ?? process.env };
    opened ??= import('./logins.ts').then(({ createLogins }) =>
      createLogins(modelsFor(options).credentials, surroundings, host),
    );
    return opened;
  };
  return {
    providers: async () => (await open()).providers(),
    login: async (providerId) => (await open()).login(providerId),
    giveUp: () => void opened?.then((logins) => logins.giveUp()),
  };
}

function frontFor(options: AgentOptions, models: Models, places: TrustablePlaces): ExtensionFront {
  const { ports, settings, cwd, agentDirectory, extensions = {}, warn = () => {} } = options;
  return new ExtensionFront({
    ...extensions,
    get paths() {
      return [...settings.extensions, ...(extensions.paths ?? [])];
    },
    ports,
    models,
    settings,
    cwd,
    agentDirectory,
    places,
    warn,
    mayPlaceSessions: !options.store && options.persist !== false && options.sessionDirectory === undefined,
    get hookTimeoutMs() {
      return settings['extensions.hookTimeout'];
    },
    get uiTimeoutMs() {
      return settings['ui.timeout'];
    },
  });
}

/** Looked at for each call, because a project that is trusted later may ask for it. */
function approvalFor(settings: SettingValues, host: () => HostUi | undefined): Hooks {
  let gate: Promise<NonNullable<Hooks['toolCall']>> | undefined;
  const toolCall: Hooks['toolCall'] = async (call) => {
    gate ??= import('./approval.ts').then(({ createGate }) => createGate(() => settings.approval, host));
    return (await gate)(call);
  };
  return {
    get toolCall() {
      return settings.approval === 'never' ? undefined : toolCall;
    },
  };
}

/** A model that nobody knows may be an extension's. */
async function initialModel(models: Models, extensions: ExtensionFront): Promise<Model | null> {
  try {
    return await models.initial();
  } catch (unknown) {
    await extensions.loaded;
    if (extensions.isEmpty) throw unknown;
    return models.initial();
  }
}

function storeFor(options: AgentOptions, placed: string | undefined): SessionStore {
  if (options.store) return options.store;
  if (options.persist === false) return createMemoryStore();
  const { files, clock } = options.ports;
  const named = options.sessionDirectory ?? (placed && pathFrom(placed, options));
  const directory = named ?? sessionFolder(options.agentDirectory, options.cwd);
  return createJsonlStore({ files, clock, identity: createProcessIdentity(), directory });
}
