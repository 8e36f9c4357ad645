// Ground floor: one conversation with an agent, as commands, the SDK and extensions see it. A facade of facets.
import type { Fault } from '../base/index.ts';
import type {
  AgentEvent,
  AgentEventOf,
  AgentMessage,
  Attachment,
  BashResult,
  CompactionResult,
  CustomMessage,
  EntryBody,
  EntryTree,
  ImageContent,
  InterruptMode,
  Model,
  QueueMode,
  SessionEntry,
  SessionHeader,
  SessionState,
  SessionStats,
  ThinkingLevel,
} from '../protocol/index.ts';
import type { InputSource, PromptSources, SlashCommand } from './hooks.ts';
import type { Kept } from './kept.ts';
import type { SubagentWatch } from './subagents.ts';
import type { Todos } from './todos.ts';
import type { Tool } from './tool.ts';

export interface UserInput {
  message: string;
  images?: readonly ImageContent[] | undefined;
  attachments?: readonly Attachment[] | undefined;
  /** The host unless said otherwise. */
  source?: InputSource | undefined;
}

/** A listener may return a promise: the run then waits for it, which is how a slow reader slows the model. */
export type EventListener = (event: AgentEvent) => void | Promise<void>;

/** What became of a message: a run began with it, it waits in a queue, or somebody dealt with it on its way in. */
export type Disposition = 'started' | 'queued' | 'handled';

/** `accepted` is called once everything needed to survive a crash is on disk. */
export interface QueueRequest extends UserInput {
  accepted?(disposition: Disposition): void;
  /** Called when the message was accepted and this process will not run it. */
  notRun?(fault: Fault): void;
}

/** The two moments of starting work. */
export interface RunRequest extends UserInput {
  streamingBehavior?: 'steer' | 'followUp' | undefined;
  accepted(disposition: Disposition): void;
  /** As above, for a prompt that was queued. */
  notRun?(fault: Fault): void;
  /** Told when others look at it first, who may take their time. */
  delayed?(): void;
}

export interface Runs {
  /** A run is in progress, or an automatic retry will start another. False from the last agent_end on, also while a compaction follows it. */
  readonly isRunning: boolean;
  /** No run is in progress, and nothing automatic follows the last one: `agent_settled` has been sent. */
  readonly isSettled: boolean;
  /** Aborts when the run that is under way now is aborted. */
  readonly signal: AbortSignal | undefined;
  /** Resolves when the run has ended, or what took its place. Throws before `accepted` when the prompt is refused. */
  prompt(request: RunRequest): Promise<void>;
  abortAndPrompt(request: RunRequest): Promise<void>;
  steer(input: QueueRequest): Promise<void>;
  followUp(input: QueueRequest): Promise<void>;
  /** Puts words of an extension into the conversation. Resolves when they are kept, or the run that they began is over. */
  send(message: CustomMessage, options?: SendOptions): Promise<void>;
  /** Resolves after the aborted run's last event. Nothing happens when idle. */
  abort(): Promise<void>;
  /** Resolves when nothing is running and nothing automatic remains. */
  settled(): Promise<void>;
}

/** How words of an extension reach the model. */
export interface SendOptions {
  /** Begin a run with them when none is going. */
  triggerTurn?: boolean | undefined;
  /** `nextTurn` waits for the next prompt and goes in behind it. Otherwise, while a run is going, as a queue would. */
  deliverAs?: 'steer' | 'followUp' | 'nextTurn' | undefined;
  /** Told when a run has begun with them. */
  accepted?(): void;
}

export interface Queues {
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  readonly count: number;
  clear(): Promise<{ steering: string[]; followUp: string[] }>;
  /** Reports each message that still waits, once: to the call that sent it, otherwise as a notice. They stay in the log. */
  reportNotRun(cause: string): void;
}

/** Choices hold for this session and are kept in its log; a request that is under way finishes with the old ones. */
export interface ModelChoice {
  readonly current: Model | null;
  readonly thinkingLevel: ThinkingLevel;
  /** What the current model understands. */
  readonly thinkingLevels: readonly ThinkingLevel[];
  available(): Promise<readonly Model[]>;
  /** Another beginning: what nobody has chosen yet is so from here on. */
  prefer(model: Model | null, level: ThinkingLevel): Promise<void>;
  choose(provider: string, modelId: string): Promise<Model>;
  /** `null` when there is nothing to change to. */
  cycle(): Promise<{ model: Model; thinkingLevel: ThinkingLevel; isScoped: boolean } | null>;
  /** A level that the model lacks becomes the nearest one it has. */
  think(level: ThinkingLevel): Promise<void>;
  cycleThinking(): Promise<ThinkingLevel | null>;
}

export interface Compaction {
  /** The session summarises itself when the context window fills up. */
  automatic: boolean;
  readonly isRunning: boolean;
  /** Ends a run that is going, then summarises. `keepMessages` of the newest stay, in the place of so many tokens. */
  compact(customInstructions?: string, options?: { keepMessages?: number | undefined }): Promise<CompactionResult>;
  /** Resolves when what was under way is over; the conversation is as it was. */
  abort(): Promise<void>;
}

export interface Retry {
  enabled: boolean;
  /** Cancels the wait before the next attempt, and the attempt. */
  abort(): Promise<void>;
}

export interface MoveOptions {
  /** Leave a summary of what is left behind. */
  summarize?: boolean | undefined;
  customInstructions?: string | undefined;
  /** They are all that the model is asked for, not something beside the usual form. */
  replaceInstructions?: boolean | undefined;
  label?: string | undefined;
}

export interface History {
  /** The conversation as the model would be given it, oldest first, host's shell commands included. */
  messages(): readonly AgentMessage[];
  lastAssistantText(): string | null;
  stats(): SessionStats;
  startNew(options: { parentSession?: string | undefined }): Promise<{ cancelled: boolean }>;
  /** Goes on with another conversation. When that one cannot be opened, nothing has changed. */
  switchTo(path: string): Promise<{ cancelled: boolean }>;
  /** A new session with everything that was said before this prompt; its text is returned. */
  branch(entryId: string): Promise<{ text: string; cancelled: boolean }>;
  /** The conversation as it stands, in a session of its own. */
  clone(): Promise<{ cancelled: boolean }>;
  branchPoints(): Promise<{ entryId: string; text: string }[]>;
  /** In the order they were appended, on all branches; those after `since` when it is given. */
  entries(since?: string): Promise<{ entries: SessionEntry[]; leafId: string | null }>;
  tree(): Promise<{ tree: EntryTree[]; leafId: string | null }>;
  /** Goes to another entry of this log. Before a prompt when the entry is one: its text is returned, to be said anew. */
  moveTo(targetId: string, options?: MoveOptions): Promise<{ cancelled: boolean; editorText?: string | undefined }>;
  /** Writes the session as one page. Without a path: into the working directory, never over a file. */
  exportHtml(path?: string, options?: { branchOnly?: boolean }): Promise<{ path: string }>;
}

/** The log, for those who keep something of their own in it. */
export interface Entries {
  /** From the first entry that still counts to the leaf. */
  readonly path: readonly SessionEntry[];
  readonly leafId: string | null;
  /** Resolves to its id when it is on disk. */
  append(body: EntryBody): Promise<string>;
  /** Without a label the one that is there is taken away. */
  label(targetId: string, label: string | undefined): Promise<void>;
  /** Told of entries as they take their place. Returns the way to stop. */
  watch(listener: (entries: readonly SessionEntry[]) => void): () => void;
}

/** What every request begins with, and how full the window is. */
export interface ModelContext {
  /** As the last request had it; empty before somebody asked. */
  readonly systemPrompt: string;
  readonly sources: PromptSources | undefined;
  usage(): { tokens: number; contextWindow: number; percent: number } | undefined;
  /** Prompt and tools are put together anew for the next request. */
  renew(): void;
}

export interface ToolChoice {
  /** Loads them when they are not. */
  all(): Promise<readonly Tool[]>;
  active(): Promise<readonly Tool[]>;
  /** Names that nobody knows are passed over. */
  choose(names: readonly string[]): void;
  /** Tools of the host, in the place of those it lent before. They are always active. Throws a Fault when a name is taken. */
  lend(tools: readonly Tool[]): Promise<void>;
}

export interface ShellOptions {
  excludeFromContext?: boolean | undefined;
  /** Named in the events that show the output as it comes. */
  id?: string | number | undefined;
}

export interface Shell {
  run(command: string, options?: ShellOptions): Promise<BashResult>;
  /** Ends every command that is running. */
  abort(): void;
}

export interface Naming {
  readonly name: string | undefined;
  rename(name: string): Promise<void>;
}

export interface AgentSession {
  readonly id: string;
  readonly file: string | undefined;
  /** The first line of its log. */
  readonly header: SessionHeader;
  readonly cwd: string;
  readonly runs: Runs;
  readonly queues: Queues;
  readonly models: ModelChoice;
  readonly retry: Retry;
  readonly compaction: Compaction;
  readonly history: History;
  readonly shell: Shell;
  readonly naming: Naming;
  readonly todos: Todos;
  /** Those of the conversation that it is in now. */
  readonly kept: Kept;
  readonly subagents: SubagentWatch;
  /** Tells whoever listens something that they should know. */
  notify(notice: Omit<AgentEventOf<'notice'>, 'type'>): void;
  readonly entries: Entries;
  readonly context: ModelContext;
  readonly tools: ToolChoice;
  /** The words with a slash that a prompt may begin with. */
  commands(): Promise<readonly SlashCommand[]>;
  state(): SessionState;
  /** Tells whoever listens that an extension failed. */
  complain(failure: Omit<AgentEventOf<'extension_error'>, 'type'>): void;
  /** Tells whoever listens that a skill is taken up. */
  skillLoaded(skill: Omit<AgentEventOf<'skill_loaded'>, 'type'>): void;
  subscribe(listener: EventListener): () => void;
  /** Aborts what runs, ends every child, closes the log. */
  close(): Promise<void>;
}
