// The options of createAgent.
import type { Hooks, ModelRegistry, Ports, SessionFeatures, SessionStore, Tool } from '../contracts/index.ts';
import type { ExtensionOptions } from '../extensions/index.ts';
import type { ThinkingLevel } from '../protocol/index.ts';
import type { SettingValues } from '../settings/index.ts';
import type { Inventory } from '../trust/index.ts';
import type { ModelOptions } from './agent-models.ts';
import type { ResourceSearchOptions } from './agent-resources.ts';

export interface AgentOptions extends ModelOptions, ResourceSearchOptions {
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
  ports: Ports;
  /** `false`: sessions are not written to disk. */
  persist?: boolean | undefined;
  /** Used instead of session files. */
  store?: SessionStore | undefined;
  /** Directory for session files. Default: one directory per working directory. */
  sessionDirectory?: string | undefined;
  thinkingLevel?: ThinkingLevel | undefined;
  systemPrompt?: string | undefined;
  appendSystemPrompt?: string | undefined;
  /** The only tools to use. Default: all. */
  toolNames?: readonly string[] | undefined;
  /** Tools to leave out: built-in ones and those of extensions, of the host and of subagents. */
  excludedTools?: readonly string[] | undefined;
  /** Use only the tools of extensions, of the host and in `tools`. */
  noBuiltinTools?: boolean | undefined;
  /** Do not read AGENTS.md and CLAUDE.md. */
  noContextFiles?: boolean | undefined;
  /** Additional tools. A tool with the name of a built-in tool replaces it. */
  tools?: readonly Tool[] | undefined;
  /** Maximum number of turns for one prompt. */
  maxTurns?: number | undefined;
  name?: string | undefined;
  /** Id of a new session, if the host has chosen one. */
  id?: string | undefined;
  /** Resume this session: a path, or the beginning of its id. */
  session?: string | undefined;
  /** Resume the session with exactly this id, or create it. With `fork`: the id of the copy. */
  sessionId?: string | undefined;
  /** Create a new session with the history of this one. */
  fork?: string | undefined;
  /** Resume the most recently written session of this directory, if there is one. */
  continueLatest?: boolean | undefined;
  /** Asks the user which session to resume. Returns its path. */
  chooseSession?: ((store: SessionStore) => Promise<string>) | undefined;
  models?: ModelRegistry | undefined;
  /** Hooks that can deny or change actions, in the order in which they are called. */
  hooks?: readonly Hooks[] | undefined;
  extensions?: ExtensionOptions | undefined;
  /** Features that can be switched off while the agent runs. Read at each use. */
  features?: Pick<SessionFeatures, 'subAgents' | 'skills'> | undefined;
}
