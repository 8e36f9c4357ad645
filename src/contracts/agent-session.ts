// The interface of one agent session for commands, the SDK and extensions. Each property groups related methods.
import type { Fault } from '../base/index.ts';
import type {
  AgentEvent,
  AgentEventOf,
  AgentMessage,
  ApprovalPolicy,
  AssistantMessage,
  Attachment,
  BashResult,
  CompactionResult,
  CustomMessage,
  EntryBody,
  EntryTree,
  ImageContent,
  InterruptMode,
  Model,
  ModelMessage,
  PromptOutcome,
  QueueMode,
  SessionEntry,
  SessionHeader,
  SessionState,
  SessionStats,
  ThinkingLevel,
} from '../protocol/index.ts';
import type { ArtifactReader } from './artifacts.ts';
import type { CommandPorts } from './command-ports.ts';
import type { InputSource, SlashCommand, SystemPromptSources } from './hooks.ts';
import type { HostServices } from './host-services.ts';
import type { HostUris } from './host-uris.ts';
import type { McpServerStatus } from './mcp.ts';
import type { SidecarFiles } from './sidecar-files.ts';
import type { SubagentControl } from './subagents.ts';
import type { TodoList } from './todo-list.ts';
import type { Tool } from './tool.ts';

export interface UserInput {
  message: string;
  images?: readonly ImageContent[] | undefined;
  attachments?: readonly Attachment[] | undefined;
  /** Default: the host. */
  source?: InputSource | undefined;
}

/** A listener may return a promise. The run waits for it, so that a slow host slows down the model stream. */
export type EventListener = (event: AgentEvent) => void | Promise<void>;

/** Returns a promise only if a listener returned one. The run waits for it. */
export type Emit = (event: AgentEvent) => undefined | Promise<void>;

/** What happened to a request: it started work, it is queued, an input hook handled it, or there was nothing to do. */
export type Disposition = 'started' | 'queued' | 'handled' | 'nothing_to_do';

/** `onAccepted` is called when everything that is needed to survive a crash is on disk. */
export interface QueueRequest extends UserInput {
  onAccepted?(disposition: Disposition): void;
  /** Called when the message was accepted, but this process will not run it. */
  onNotRun?(fault: Fault): void;
}

export interface RunRequest extends UserInput {
  streamingBehavior?: 'steer' | 'followUp' | undefined;
  onAccepted(disposition: Disposition): void;
  /** Called when the prompt was queued, but this process will not run it. */
  onNotRun?(fault: Fault): void;
  /** Called exactly once for an accepted prompt: after `agent_settled` of the run that it started or joined. */
  onOutcome?(outcome: PromptOutcome): void;
  /** Called when an input hook takes long to process the prompt. */
  onDelayed?(): void;
}

/** Continues a run that was interrupted by the end of the program. */
export interface ContinueRequest
  extends Partial<Pick<RunRequest, 'onAccepted'>>,
    Pick<RunRequest, 'onOutcome' | 'onDelayed'> {
  /** `takeover`: no client asked for it. The process that ran it has ended. Clients get a notice. */
  readonly source?: 'takeover' | undefined;
}

export interface Runs {
  /** A run is in progress, or an automatic retry will start one. False after the last agent_end, also during a compaction after it. */
  readonly isRunning: boolean;
  /** No run is in progress, and nothing automatic follows the last one: `agent_settled` has been sent. */
  readonly isSettled: boolean;
  /** Aborts when the current run is aborted. */
  readonly signal: AbortSignal | undefined;
  /** Resolves when the run, or the handling that replaced it, has ended. Throws before `onAccepted` when the prompt is refused. */
  prompt(request: RunRequest): Promise<void>;
  abortAndPrompt(request: RunRequest): Promise<void>;
  /** The session was opened with a log whose last run has not ended. */
  readonly isInterrupted: boolean;
  /** Asks the model again, without a new message. Throws a Fault when nothing is interrupted. Resolves when the run has ended. */
  continueInterrupted(request: ContinueRequest): Promise<void>;
  steer(input: QueueRequest): Promise<void>;
  followUp(input: QueueRequest): Promise<void>;
  /** Adds a message of an extension to the session. Resolves when it is stored, or when the run that it started has ended. */
  sendCustomMessage(message: CustomMessage, options?: CustomMessageOptions): Promise<void>;
  /** Resolves after the last event of the aborted run. Does nothing when idle. */
  abort(): Promise<void>;
  /** Resolves when no run is in progress and nothing automatic follows. */
  waitUntilSettled(): Promise<void>;
}

/** How a message of an extension is delivered to the model. */
export interface CustomMessageOptions {
  /** Start a run with the message when no run is in progress. */
  triggerTurn?: boolean | undefined;
  /** `nextTurn` adds the message after the next prompt. The others use the steering or follow-up queue while a run is in progress. */
  deliverAs?: 'steer' | 'followUp' | 'nextTurn' | undefined;
  /** Called when the message has started a run. */
  onAccepted?(): void;
}

/** A queued message for hosts. */
export interface QueuedMessageInfo {
  readonly id: string;
  readonly kind: 'steer' | 'followUp';
  readonly text: string;
  /** Number of images. */
  readonly images: number;
}

/**
 * Changes resolve when they are on disk. They throw a Fault when no queued message has the id; with the reason `already_taken` when a
 * run has taken it.
 */
export interface QueueEditor {
  list(): readonly QueuedMessageInfo[];
  /** Resolves with `handled` when an input hook has handled the new text: then the message is unchanged. */
  edit(id: string, text: string, options?: { onDelayed?(): void }): Promise<'queued' | 'handled'>;
  /** Resolves with the text of the message. */
  remove(id: string): Promise<string>;
  /** `index` is the new place in its queue; by default the end. */
  move(id: string, to: { index?: number | undefined; kind?: 'steer' | 'followUp' | undefined }): Promise<void>;
}

export interface Queues {
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  readonly count: number;
  clear(): Promise<{ steering: string[]; followUp: string[] }>;
  /** For changes of single messages. */
  loadEditor(): Promise<QueueEditor>;
  /** Reports each queued message once: to the call that sent it, otherwise as a notice. The messages stay in the log. */
  reportNotRun(cause: string): void;
}

/** Changes apply to this session and are stored in its log. A request in progress keeps its model and level. */
export interface ModelSelection {
  readonly current: Model | null;
  readonly thinkingLevel: ThinkingLevel;
  /** Use the faster processing tier of the provider, when the current model supports it. Not stored in the log. */
  fastMode: boolean;
  readonly supportsFastMode: boolean;
  /** The levels that the current model supports. */
  readonly thinkingLevels: readonly ThinkingLevel[];
  listAvailable(): Promise<readonly Model[]>;
  /** Replaces the initial model and level, unless the user has already chosen others. */
  setInitial(model: Model | null, level: ThinkingLevel): Promise<void>;
  select(provider: string, modelId: string): Promise<Model>;
  /** `null` when there is no other model. */
  cycle(): Promise<{ model: Model; thinkingLevel: ThinkingLevel; isScoped: boolean } | null>;
  /** A level that the model does not support is replaced by the nearest supported one. */
  setThinkingLevel(level: ThinkingLevel): Promise<void>;
  cycleThinkingLevel(): Promise<ThinkingLevel | null>;
}

export interface Compaction {
  /** Whether the session is compacted automatically when the context window is nearly full. */
  isAutomatic: boolean;
  readonly isRunning: boolean;
  /** Aborts the current run, then compacts. `keepMessages` is the number of newest messages to keep, instead of the token limit. */
  compact(customInstructions?: string, options?: { keepMessages?: number | undefined }): Promise<CompactionResult>;
  /** Resolves when the compaction has stopped; the session is unchanged. */
  abort(): Promise<void>;
}

export interface Retry {
  enabled: boolean;
  /** Cancels the delay before the next attempt, and the attempt. */
  abort(): Promise<void>;
}

export interface MoveOptions {
  /** Add a summary of the abandoned branch. */
  summarize?: boolean | undefined;
  customInstructions?: string | undefined;
  /** `customInstructions` replace the default summary instructions instead of being added to them. */
  replaceInstructions?: boolean | undefined;
  label?: string | undefined;
}

export interface History {
  /** The messages of the model's context, oldest first, including shell commands of the host. */
  messages(): readonly AgentMessage[];
  lastAssistantText(): string | null;
  stats(): SessionStats;
  startNew(options: { parentSession?: string | undefined }): Promise<{ cancelled: boolean }>;
  /** Switches to the newest session in a directory, or starts one there. */
  openDirectory(directory: string): Promise<{ cancelled: boolean; resumed: boolean }>;
  /** Switches to another session. Changes nothing when that session cannot be opened. */
  switchTo(path: string): Promise<{ cancelled: boolean }>;
  /** Creates a session with all messages before this prompt. Returns the text of the prompt. */
  branch(entryId: string): Promise<{ text: string; cancelled: boolean }>;
  /** Copies the current branch into a new session. */
  clone(): Promise<{ cancelled: boolean }>;
  branchPoints(): Promise<{ entryId: string; text: string }[]>;
  /** Entries of all branches in the order they were appended; only those after the entry `since` when it is given. */
  entries(since?: string): Promise<{ entries: SessionEntry[]; leafId: string | null }>;
  tree(): Promise<{ tree: EntryTree[]; leafId: string | null }>;
  /** Moves to another entry of this log. For a prompt, moves to the entry before it and returns its text for editing. */
  moveTo(targetId: string, options?: MoveOptions): Promise<{ cancelled: boolean; editorText?: string | undefined }>;
  /** Writes the session as one HTML page. Without a path: into the working directory, never over an existing file. */
  exportHtml(path?: string, options?: { branchOnly?: boolean }): Promise<{ path: string }>;
  /** The same page as text. */
  renderHtml(options?: { branchOnly?: boolean }): Promise<string>;
}

/** Access to the session log, for code that stores its own entries. */
export interface SessionEntries {
  /** From the first entry of the context to the leaf. */
  readonly path: readonly SessionEntry[];
  readonly leafId: string | null;
  /** Resolves with the id of the entry when it is on disk. */
  append(body: EntryBody): Promise<string>;
  /** Writes the entries that wait for the next one. A new session gets its file. */
  flush(): Promise<void>;
  /** `undefined` removes the label. */
  setLabel(targetId: string, label: string | undefined): Promise<void>;
  /** The listener is called with entries when they are appended. Returns a function that unsubscribes it. */
  subscribe(listener: (entries: readonly SessionEntry[]) => void): () => void;
}

/** What fills the context window, in tokens. */
export interface ContextBreakdown {
  /** 0 if it is not known. */
  contextWindow: number;
  /** The sum of all parts. */
  tokens: number;
  /** Without the context files. */
  systemPrompt: { tokens: number };
  contextFiles: { path: string; tokens: number }[];
  tools: { name: string; tokens: number }[];
  messages: { count: number; tokens: number };
}

/** One request to the current model, outside the conversation and without tools. */
export interface CompletionRequest {
  readonly systemPrompt: string;
  readonly messages: readonly ModelMessage[];
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

/** The system prompt and the use of the context window. */
export interface ModelContext {
  /** The system prompt of the last request; empty before the first request. */
  readonly systemPrompt: string;
  readonly sources: SystemPromptSources | undefined;
  usage(): { tokens: number; contextWindow: number; percent: number } | undefined;
  /** Builds the system prompt and the tools if no request has been sent yet. */
  describe(): Promise<ContextBreakdown>;
  /** Counts towards the budget of the session. Throws a Fault when the budget is spent, or when the request fails. */
  complete(request: CompletionRequest): Promise<AssistantMessage>;
  /** The next request rebuilds the system prompt and the tools. */
  invalidate(): void;
}

export interface ToolSelection {
  /** Loads the tools if necessary. */
  listAll(): Promise<readonly Tool[]>;
  listActive(): Promise<readonly Tool[]>;
  /** The names that were selected. Undefined while all tools are active. */
  readonly selected: readonly string[] | undefined;
  /** Unknown names are ignored. */
  select(names: readonly string[]): void;
  /** Replaces the tools of the host. They are always active. Throws a Fault when a name is already used by another tool. */
  setHostTools(tools: readonly Tool[]): Promise<void>;
  /** The URI schemes of the host, for the tools that read and write files. */
  hostUris: HostUris | undefined;
  /** Files and terminals of the host, for the tools that read and write files and run commands. */
  hostServices: HostServices | undefined;
}

export interface ShellOptions {
  excludeFromContext?: boolean | undefined;
  /** The id in the `bash_execution_update` events. */
  id?: string | number | undefined;
}

export interface Shell {
  readonly isRunning: boolean;
  run(command: string, options?: ShellOptions): Promise<BashResult>;
  /** Stops all running commands. */
  abort(): void;
}

export interface Naming {
  readonly name: string | undefined;
  /** Changes `name` at once. A following `rename` stores it, or restores the stored name when that fails. */
  show(name: string): void;
  rename(name: string): Promise<void>;
}

/** When tool calls of this session need an approval. A change applies from the next tool call on. It is not in the log. */
export interface ApprovalControl {
  policy: ApprovalPolicy;
  /** The policy that was set for this session. Undefined while that of the settings counts. */
  readonly chosen?: ApprovalPolicy | undefined;
}

export interface AgentSession {
  readonly id: string;
  readonly file: string | undefined;
  /** The first line of the session log. */
  readonly header: SessionHeader;
  readonly cwd: string;
  readonly runs: Runs;
  readonly queues: Queues;
  readonly models: ModelSelection;
  readonly retry: Retry;
  readonly compaction: Compaction;
  readonly history: History;
  readonly shell: Shell;
  readonly naming: Naming;
  readonly approval: ApprovalControl;
  readonly todos: TodoList;
  /** The sidecar files of the current session log. */
  readonly sidecarFiles: SidecarFiles;
  /** The artifacts of the current session log. */
  loadArtifacts(): Promise<ArtifactReader>;
  readonly subagents: SubagentControl;
  /** Sends a `notice` event. */
  notify(notice: Omit<AgentEventOf<'notice'>, 'type'>): void;
  readonly entries: SessionEntries;
  readonly context: ModelContext;
  readonly tools: ToolSelection;
  /** What commands use beside the session. */
  loadPorts?: (() => Promise<CommandPorts>) | undefined;
  listSlashCommands(): Promise<readonly SlashCommand[]>;
  /** Sends an `available_commands_update` event. */
  announceSlashCommands(): Promise<void>;
  /** Starts the MCP servers, if that has not happened. With `untilReady` waits like the first request does. */
  listMcpServers(options?: { untilReady?: boolean }): Promise<readonly McpServerStatus[]>;
  /** Without the todo list, which may have to be read from disk. */
  state(): Omit<SessionState, 'todoPhases'>;
  /** Sends an `extension_error` event. */
  reportExtensionError(failure: Omit<AgentEventOf<'extension_error'>, 'type'>): void;
  /** Sends a `skill_loaded` event. */
  reportSkillLoaded(skill: Omit<AgentEventOf<'skill_loaded'>, 'type'>): void;
  subscribe(listener: EventListener): () => void;
  /** Aborts the current run, ends all child processes and closes the log. */
  close(): Promise<void>;
  /** Like `close`, but the log stays as it is: the run counts as interrupted, and another process can continue it. */
  interrupt(): Promise<void>;
}
