// Ground floor: one conversation with an agent, as commands, the SDK and extensions see it. A facade of facets.
import type {
  AgentEvent,
  AgentEventOf,
  AgentMessage,
  BashResult,
  CompactionResult,
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
import type { InputSource } from './hooks.ts';

export interface UserInput {
  message: string;
  images?: readonly ImageContent[] | undefined;
  /** The host unless said otherwise. */
  source?: InputSource | undefined;
}

/** A listener may return a promise: the run then waits for it, which is how a slow reader slows the model. */
export type EventListener = (event: AgentEvent) => void | Promise<void>;

/** The two moments of starting work. `accepted` is called once everything needed to survive a crash is on disk. */
export interface RunRequest extends UserInput {
  streamingBehavior?: 'steer' | 'followUp' | undefined;
  accepted(): void;
}

export interface Runs {
  /** A run is under way, or something automatic will start another. */
  readonly isRunning: boolean;
  /** Resolves when the run has ended, or what took its place. Throws before `accepted` when the prompt is refused. */
  prompt(request: RunRequest): Promise<void>;
  abortAndPrompt(request: RunRequest): Promise<void>;
  steer(input: UserInput): Promise<void>;
  followUp(input: UserInput): Promise<void>;
  /** Resolves after the aborted run's last event. Nothing happens when idle. */
  abort(): Promise<void>;
  /** Resolves when nothing is running and nothing automatic remains. */
  settled(): Promise<void>;
}

export interface Queues {
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  readonly count: number;
  clear(): Promise<{ steering: string[]; followUp: string[] }>;
}

/** Choices hold for this session and are kept in its log; a request that is under way finishes with the old ones. */
export interface ModelChoice {
  readonly current: Model | null;
  readonly thinkingLevel: ThinkingLevel;
  /** What the current model understands. */
  readonly thinkingLevels: readonly ThinkingLevel[];
  available(): Promise<readonly Model[]>;
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
  /** Ends a run that is going, then summarises. */
  compact(customInstructions?: string): Promise<CompactionResult>;
  /** Resolves when what was under way is over; the conversation is as it was. */
  abort(): Promise<void>;
}

export interface Retry {
  enabled: boolean;
  /** Cancels the wait before the next attempt, and the attempt. */
  abort(): Promise<void>;
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
  branchPoints(): Promise<{ entryId: string; text: string }[]>;
  /** In the order they were appended, on all branches; those after `since` when it is given. */
  entries(since?: string): Promise<{ entries: SessionEntry[]; leafId: string | null }>;
  tree(): Promise<{ tree: EntryTree[]; leafId: string | null }>;
  /** Writes the session as one page. Without a path: into the working directory, never over a file. */
  exportHtml(path?: string, options?: { branchOnly?: boolean }): Promise<{ path: string }>;
}

export interface Shell {
  run(command: string, options?: { excludeFromContext?: boolean }): Promise<BashResult>;
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
  /** Tells whoever listens something that they should know. */
  notify(notice: Omit<AgentEventOf<'notice'>, 'type'>): void;
  state(): SessionState;
  subscribe(listener: EventListener): () => void;
  /** Aborts what runs, ends every child, closes the log. */
  close(): Promise<void>;
}
