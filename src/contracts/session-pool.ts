// Many sessions in one process: opening, listing, closing and deleting them, and the user's settings that they share.
import type { ThinkingLevel } from '../protocol/index.ts';
import type { AgentSession } from './agent-session.ts';
import type { CommandPorts } from './command-ports.ts';
import type { McpServerDefinition } from './mcp.ts';
import type { SessionSummary } from './session-store.ts';

export interface OpenSessionRequest {
  /** Resumes the session with this id, or creates one with this id. */
  id?: string | undefined;
  /** Starts with a copy of the current branch of the stored session with this id. */
  forkOf?: string | undefined;
  /** With `forkOf`: the copy ends before this prompt, which may be on any branch. */
  forkBefore?: string | undefined;
  /** Without `forkOf`: a new session with the choices of this session, and without its messages. See `saveChoices`. */
  choicesOf?: string | undefined;
  /** Default: that of the program. */
  cwd?: string | undefined;
  /** The session works in its own copy of this repository: a git URL, or a path. `cwd` is then a path in it. Only where sessions have workspaces. */
  repository?: string | undefined;
  /** A full commit id, a branch or a tag of the repository. Default: what is checked out, or the default branch. */
  commit?: string | undefined;
  /** Without `cwd`: a stored session, or a copy of one, continues in its own directory. */
  isInStoredDirectory?: boolean | undefined;
  /** With `id`: fails when there is no such session, instead of creating it. An open session is used as it is. */
  mustExist?: boolean | undefined;
  /** Used in addition to the servers of the settings files. */
  mcpServers?: readonly McpServerDefinition[] | undefined;
  /** `false`: nothing is written to disk. */
  persist: boolean;
  /** Selected by id; the provider is a hint. For an unknown id the settings decide. */
  model?: { provider?: string | undefined; id: string; thinkingLevel?: ThinkingLevel | undefined } | undefined;
  systemPrompt?: string | undefined;
  /** Use only these tools. */
  tools?: readonly string[] | undefined;
  /** Features that are not listed have their default. */
  features?: { [Name in keyof SessionFeatures]?: boolean | undefined } | undefined;
}

/** Features that can be switched on and off while the session is open. Changes of this object take effect immediately. */
export interface SessionFeatures {
  subAgents: boolean;
  skills: boolean;
  /** MCP servers are used. */
  mcp: boolean;
}

export interface OpenSessionResult {
  readonly session: AgentSession;
  /** The session existed before. */
  readonly resumed: boolean;
  /** Paths of the context files of the project that are sent to the model. */
  readonly contextFiles: readonly string[];
  readonly skills: readonly string[];
}

export interface SessionPool {
  open(request: OpenSessionRequest): Promise<OpenSessionResult>;
  /** The open session with this id. */
  find(id: string): AgentSession | undefined;
  /** All stored sessions, newest first. */
  list(): Promise<readonly SessionSummary[]>;
  /** Finds a stored session by its id, the beginning of its id, or its path. Throws a Fault when there is none. */
  locate(pathOrId: string): Promise<SessionSummary>;
  /**
   * Moves the calling client to this open session. Absent when the client is not bound to one session. The events after the
   * position `after`, or a snapshot, are sent first.
   */
  attach?(session: AgentSession, after?: string): Promise<void>;
  /** Stops the work of an open session and closes it. It stays on disk and can be opened again. */
  close(id: string): Promise<void>;
  /** Closes the session if it is open, and deletes it with its artifacts. */
  delete(id: string): Promise<void>;
  /**
   * Asks the user whether to trust the project, when it has configuration that is not trusted. Asks once per session. Resolves when
   * the answer is applied.
   */
  offerTrust(session: AgentSession): Promise<void>;
  /**
   * Stores what was chosen for the session, such as its tools and its permission mode, if that has changed. It is applied
   * when the session is opened again. Absent where sessions do not outlive their host.
   */
  saveChoices?(session: AgentSession): Promise<void>;
  /** The session must have been opened by this pool. */
  getFeatures(session: AgentSession): SessionFeatures;
  /** For calls without a session. */
  loadPorts(): Promise<CommandPorts>;
}

/** Changes of the user's settings and keys. They are checked together: one invalid value refuses all of them. */
export interface SettingChanges {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Names of settings to remove. */
  readonly remove?: readonly string[] | undefined;
  /** By provider. They are saved with the credentials. */
  readonly apiKeys?: Readonly<Record<string, string>> | undefined;
}

/** The user's settings file. */
export interface UserSettings {
  /** The contents of the file, without values whose names suggest a secret. */
  read(): Promise<Record<string, unknown>>;
  save(changes: SettingChanges): Promise<void>;
}
