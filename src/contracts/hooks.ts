// Ground floor: where others may object to what is about to happen, or change it. Core asks; it never learns who answers.
import type {
  AgentMessage,
  BashResult,
  CompactionResult,
  CustomMessage,
  ImageContent,
  Model,
  SessionEntry,
  TextContent,
  ThinkingLevel,
} from '../protocol/index.ts';
import type { ExecuteShell } from './shell.ts';
import type { Tool } from './tool.ts';
import type { ToolResult } from './tool-result.ts';

/** Who spoke: the host, or code of others that Parley loads. */
export type InputSource = 'rpc' | 'extension';

/** Something was said and is not yet part of the conversation. */
export interface Said {
  readonly text: string;
  readonly images: readonly ImageContent[];
  readonly via: 'prompt' | 'steer' | 'followUp';
  readonly source: InputSource;
  readonly signal: AbortSignal;
}

export type InputVerdict =
  /** These words in the place of what was said. */
  | { readonly text: string; readonly images?: readonly ImageContent[] | undefined }
  /** Nothing is left for the model. `work` is done after the call is acknowledged, and may take its time. */
  | { readonly handled: true; work?(): Promise<void> };

/** What the words before a conversation were put together from. */
export interface PromptSources {
  readonly cwd: string;
  readonly custom?: string | undefined;
  readonly append?: string | undefined;
  readonly tools: readonly {
    readonly name: string;
    readonly snippet: string;
    readonly guidelines: readonly string[];
  }[];
  readonly contextFiles: readonly { readonly path: string; readonly content: string }[];
  readonly skills: readonly { readonly name: string; readonly description: string; readonly filePath: string }[];
}

export interface RunOpening {
  readonly prompt: string;
  readonly images: readonly ImageContent[];
  /** As it stands, changes by those asked earlier included. */
  readonly systemPrompt: string;
  readonly sources: PromptSources;
}

export interface RunPreparation {
  /** Put behind the prompt, and kept in the log. */
  readonly messages?: readonly CustomMessage[] | undefined;
  /** Holds for this run only. */
  readonly systemPrompt?: string | undefined;
}

export interface PlannedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly effect: Tool['effect'];
  /** A copy: changing it in place changes nothing. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** `reason` is what the model reads. */
export type CallVerdict =
  | { readonly block: true; readonly reason: string }
  | { readonly input: Record<string, unknown> };

export interface FinishedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details: unknown;
  readonly isError: boolean;
}

/** What a compaction is about to do. */
export interface PlannedCompaction {
  readonly firstKeptEntryId: string;
  readonly messagesToSummarize: readonly AgentMessage[];
  readonly turnPrefixMessages: readonly AgentMessage[];
  readonly tokensBefore: number;
  readonly previousSummary: string | undefined;
  /** The line of conversation as it stands, root or newest compaction first. */
  readonly branchEntries: readonly SessionEntry[];
  readonly customInstructions: string | undefined;
  readonly signal: AbortSignal;
}

export type CompactionVerdict = { readonly cancel: true } | { readonly compaction: CompactionResult };

/** Going to another entry of the same log. */
export interface PlannedMove {
  readonly targetId: string;
  readonly oldLeafId: string | null;
  /** The last entry that the old line and the new one share. */
  readonly commonAncestorId: string | null;
  readonly entriesToSummarize: readonly SessionEntry[];
  readonly summarize: boolean;
  readonly customInstructions?: string | undefined;
  readonly replaceInstructions?: boolean | undefined;
  readonly label?: string | undefined;
  readonly signal: AbortSignal;
}

export interface MoveVerdict {
  readonly cancel?: boolean | undefined;
  readonly summary?: { readonly summary: string; readonly details?: unknown } | undefined;
  readonly customInstructions?: string | undefined;
  readonly replaceInstructions?: boolean | undefined;
  /** For the entry where the conversation then stands. */
  readonly label?: string | undefined;
}

/** A command that the host is about to run. */
export interface PlannedShell {
  readonly command: string;
  readonly cwd: string;
  /** The model will not be told of it. */
  readonly excludeFromContext: boolean;
}

/** What came of it, with nothing left to run; or who runs it. */
export type ShellVerdict = { readonly result: BashResult } | { readonly execute: ExecuteShell };

export interface BranchVerdict {
  readonly cancel: boolean;
  /** The new session has all that was said, not only what came before the prompt. */
  readonly keepsConversation?: boolean | undefined;
}

/** What has happened to the session, beside the events that the host hears too. */
export type Happening =
  | {
      readonly type: 'session_start';
      readonly reason: 'new' | 'resume' | 'fork';
      readonly previousSessionFile?: string;
    }
  | { readonly type: 'session_compact'; readonly compactionEntry: SessionEntry; readonly fromExtension: boolean }
  | {
      readonly type: 'session_tree';
      readonly newLeafId: string | null;
      readonly oldLeafId: string | null;
      readonly summaryEntry?: SessionEntry | undefined;
      readonly fromExtension: boolean;
    }
  | {
      readonly type: 'model_select';
      readonly model: Model;
      readonly previousModel: Model | null;
      readonly source: 'set' | 'cycle' | 'restore';
    }
  | { readonly type: 'thinking_level_select'; readonly level: ThinkingLevel; readonly previousLevel: ThinkingLevel }
  /** The session is about to end. Waited for, but not for long. */
  | { readonly type: 'session_shutdown' };

/** A word with a slash that a prompt may begin with. */
export interface SlashCommand {
  readonly name: string;
  readonly description?: string | undefined;
  readonly source: 'extension' | 'prompt' | 'skill';
  readonly location?: 'user' | 'project' | 'path' | undefined;
  readonly path?: string | undefined;
}

type Hook<In, Out> = ((about: In) => Promise<Out | undefined>) | undefined;

/**
 * Each is optional, may come and go while the session lives, and is asked only when it is there. `undefined` as a verdict
 * means: go on as planned. A hook that throws stops what was planned; whoever must not do that catches for itself.
 */
export interface Hooks {
  readonly input?: Hook<Said, InputVerdict>;
  /** The words that `input` understands. */
  readonly commands?: (() => Promise<readonly SlashCommand[]>) | undefined;
  /** A run was accepted and has not begun. */
  readonly beforeRun?: Hook<RunOpening, RunPreparation>;
  /** Before every request: what the model is to be given. The log keeps what was really said. */
  readonly context?: Hook<readonly AgentMessage[], readonly AgentMessage[]>;
  /** The body of a request in the provider's own spelling, just before it is sent. */
  readonly beforeRequest?: Hook<unknown, unknown>;
  /** Throwing blocks the tool, too. */
  readonly toolCall?: Hook<PlannedCall, CallVerdict>;
  readonly toolResult?: Hook<FinishedCall, Partial<ToolResult>>;
  readonly shell?: Hook<PlannedShell, ShellVerdict>;
  readonly beforeSwitch?: Hook<
    { readonly reason: 'new' | 'resume'; readonly targetSessionFile?: string },
    { readonly cancel: boolean }
  >;
  readonly beforeBranch?: Hook<{ readonly entryId: string }, BranchVerdict>;
  readonly beforeCompact?: Hook<PlannedCompaction, CompactionVerdict>;
  readonly beforeMove?: Hook<PlannedMove, MoveVerdict>;
  readonly observe?: ((happening: Happening) => undefined | Promise<void>) | undefined;
}
