// The options of createAgent.
import type {
  AgentSession,
  Hooks,
  McpServerDefinition,
  ModelRegistry,
  MovedSession,
  Ports,
  SessionFeatures,
  SessionStorage,
  SessionStore,
  Tool,
} from '../contracts/index.ts';
import type { ExtensionOptions } from '../extensions/index.ts';
import type { ConfiguredRule, FlagOptions, FlagValues, LoadedSettings, SettingValues } from '../settings/index.ts';
import type { Inventory } from '../trust/index.ts';
import type { ModelOptions } from './agent-models.ts';

/** Where the settings of an agent come from. */
export interface SettingSources {
  readonly flags: FlagValues;
  /** Loads the settings again as a session that is opened now would, also if some are invalid. */
  load(isTrusted: boolean): Promise<LoadedSettings>;
}

/** The options that have a flag are declared with it, in src/settings/flags; docs/protocol/flags.md lists them. */
export interface AgentOptions extends FlagOptions, ModelOptions {
  cwd: string;
  /** The user's Parley directory: settings, sessions and context files. */
  agentDirectory: string;
  /** The home directory, which contains skills shared between programs. Default: the system's. */
  home?: string | undefined;
  /** Whether configuration files of the project are used. Default: false. */
  trusted?: boolean | undefined;
  /** The files that the user has trusted, if known. Files that differ from it are not used. */
  inventory?: Inventory | undefined;
  settings: SettingValues;
  /** The rules of the settings `permissions.*`, with their sources. Changed in place when the project becomes trusted. */
  permissionRules?: readonly ConfiguredRule[] | undefined;
  /** For commands that show where the settings come from. */
  settingSources?: SettingSources | undefined;
  ports: Ports;
  /** Used instead of session files. */
  store?: SessionStore | undefined;
  /** The same, for the sessions of all working directories. */
  storage?: SessionStorage | undefined;
  /** Instead of `ports`, for logins of model providers that are renewed. */
  credentialPorts?: Ports | undefined;
  /** Stored sessions are looked for in all folders, also when `sessionDirectory` is set for this session. */
  findsAllSessions?: boolean | undefined;
  /** A stored session keeps its model and thinking level, also when options name others. */
  prefersStoredModel?: boolean | undefined;
  /** Additional tools. A tool with the name of a built-in tool replaces it. */
  tools?: readonly Tool[] | undefined;
  /** `toolNames` are those of a stored session. Tools that do not exist now are left out. */
  skipsUnknownTools?: boolean | undefined;
  /** Id of a new session, if the host has chosen one. */
  id?: string | undefined;
  /** With `fork`: the copy ends before this prompt. */
  forkBefore?: string | undefined;
  /** Asks the user which session to resume. Returns its path. */
  chooseSession?: ((store: SessionStore) => Promise<string>) | undefined;
  models?: ModelRegistry | undefined;
  /** Hooks that can deny or change actions, in the order in which they are called. */
  hooks?: readonly Hooks[] | undefined;
  extensions?: ExtensionOptions | undefined;
  /** MCP servers of the host, in addition to those of the configuration files. */
  mcpServers?: readonly McpServerDefinition[] | undefined;
  /** Moves a stored or open session to another working directory. Present if the process has a session pool. */
  moveSession?: ((reference: string, cwd: string) => Promise<MovedSession>) | undefined;
  /** Called instead of ending the process when an extension asks for that. */
  onExitRequested?: ((session: AgentSession) => void) | undefined;
  /** Features that can be switched off while the agent runs. Read at each use. */
  features?: SessionFeatures | undefined;
  /** Called with the session before its first run. Extensions that open sessions of their own pass it on. */
  observeSession?: ((session: AgentSession) => void) | undefined;
}

/** The options of an agent that has been created. All of its parts share the rules, which are changed in place. */
export interface CreatedAgentOptions extends AgentOptions {
  permissionRules: ConfiguredRule[];
}
