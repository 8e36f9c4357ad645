// Hooks that can block or change what a session is about to do. Core calls them and does not know who registered them.
import type {
  AgentMessage,
  BashResult,
  CompactionResult,
  CustomMessage,
  EntryBody,
  ImageContent,
  Model,
  SessionEntry,
  TextContent,
  ThinkingLevel,
} from '../protocol/index.ts';
import type { ProviderResponse, RequestHeaders, ToolDefinition } from './model-api.ts';
import type { PermissionSubject } from './permissions.ts';
import type { ExecuteShell } from './shell.ts';
import type { Tool } from './tool.ts';
import type { ToolResult } from './tool-result.ts';

/** The origin of an input: the host, or an extension. */
export type InputSource = 'rpc' | 'extension';

/** An input that is not yet part of the session. */
export interface SubmittedInput {
  readonly text: string;
  readonly images: readonly ImageContent[];
  readonly via: 'prompt' | 'steer' | 'followUp';
  readonly source: InputSource;
  readonly signal: AbortSignal;
}

export type InputHookResult =
  /** Replaces the input. */
  | { readonly text: string; readonly images?: readonly ImageContent[] | undefined }
  /** The hook has handled the input; no run starts. `runAfterAccept` is called after the call is acknowledged and may take long. */
  | { readonly handled: true; runAfterAccept?(): Promise<void> };

/** The parts that the system prompt is built from. */
export interface SystemPromptSources {
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

export interface PlannedRun {
  readonly prompt: string;
  readonly images: readonly ImageContent[];
  /** Includes the changes of earlier hooks. */
  readonly systemPrompt: string;
  readonly sources: SystemPromptSources;
}

export interface RunHookResult {
  /** Added after the prompt and stored in the log. */
  readonly messages?: readonly CustomMessage[] | undefined;
  /** Applies to this run only. */
  readonly systemPrompt?: string | undefined;
}

export interface PlannedToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly effect: Tool['effect'];
  /** A copy: changing it has no effect. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The directory in which the tool runs. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** What the call would use, for permission rules with a pattern. */
  listSubjects(input: Readonly<Record<string, unknown>>): readonly PermissionSubject[];
  /** Whether the call would run outside the sandbox. */
  isEscalated(input: Readonly<Record<string, unknown>>): boolean;
  /** The change that the tool would make with this input, as numbered diff lines. `undefined` when it cannot be known. */
  previewDiff(input: Readonly<Record<string, unknown>>): Promise<string | undefined>;
}

/** `reason` is sent to the model. */
export type ToolCallHookResult =
  | { readonly block: true; readonly reason: string }
  | { readonly input: Record<string, unknown> };

export interface FinishedToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details: unknown;
  readonly isError: boolean;
}

export interface PlannedCompaction {
  readonly firstKeptEntryId: string;
  readonly messagesToSummarize: readonly AgentMessage[];
  readonly turnPrefixMessages: readonly AgentMessage[];
  readonly tokensBefore: number;
  readonly previousSummary: string | undefined;
  /** The entries of the current branch, starting with the root or the newest compaction. */
  readonly branchEntries: readonly SessionEntry[];
  readonly customInstructions: string | undefined;
  readonly cause: CompactionCause;
  readonly signal: AbortSignal;
}

/** Why a compaction was started. `willRetry`: the request that was too long is sent again after it. */
export interface CompactionCause {
  readonly reason: 'manual' | 'threshold' | 'overflow';
  readonly willRetry: boolean;
}

export type CompactionHookResult = { readonly cancel: true } | { readonly compaction: CompactionResult };

/** A move to another entry of the same log. */
export interface PlannedMove {
  readonly targetId: string;
  readonly oldLeafId: string | null;
  /** The last entry that the old and the new branch have in common. */
  readonly commonAncestorId: string | null;
  readonly entriesToSummarize: readonly SessionEntry[];
  readonly summarize: boolean;
  readonly customInstructions?: string | undefined;
  readonly replaceInstructions?: boolean | undefined;
  readonly label?: string | undefined;
  readonly signal: AbortSignal;
}

export interface MoveHookResult {
  readonly cancel?: boolean | undefined;
  readonly summary?: { readonly summary: string; readonly details?: unknown } | undefined;
  readonly customInstructions?: string | undefined;
  readonly replaceInstructions?: boolean | undefined;
  /** Label of the new leaf entry. */
  readonly label?: string | undefined;
}

/** A shell command that the host is about to run. */
export interface PlannedShellCommand {
  readonly command: string;
  readonly cwd: string;
  /** The command and its output are not sent to the model. */
  readonly excludeFromContext: boolean;
}

/** The final result, so that nothing is run; or the function that runs the command. */
export type ShellHookResult = { readonly result: BashResult } | { readonly execute: ExecuteShell };

export interface BranchHookResult {
  readonly cancel: boolean;
  /** The new session contains all messages, not only those before the prompt. */
  readonly includesFullConversation?: boolean | undefined;
}

/** Session events that are only sent to hooks, in addition to the events of the protocol. */
export type LifecycleEvent =
  | {
      readonly type: 'session_start';
      readonly reason: 'new' | 'resume' | 'fork';
      readonly previousSessionFile?: string;
    }
  | (CompactionCause & {
      readonly type: 'session_compact';
      readonly compactionEntry: SessionEntry;
      readonly fromExtension: boolean;
    })
  | (CompactionCause & {
      readonly type: 'session_compact_failed';
      /** Absent when the compaction was aborted. */
      readonly errorMessage?: string | undefined;
      readonly aborted: boolean;
      /** A hook had provided the summary. */
      readonly fromExtension: boolean;
    })
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
  /** The session is about to end. It waits for the hook, up to a short limit. */
  | { readonly type: 'session_shutdown' };

/** What one request to the model consists of. */
export interface PlannedRequest {
  readonly systemPrompt: string;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly AgentMessage[];
}

/** A run that is about to settle: its queues are empty. */
export interface PlannedSettlement {
  readonly outcome: 'completed' | 'error';
  /** The path from the first entry of the context to the leaf. */
  readonly path: readonly SessionEntry[];
}

export interface SettlementHookResult {
  /** Appended to the log. Messages among them are part of the context. */
  readonly entries: readonly EntryBody[];
  /** Sends one more request. */
  readonly shouldContinue: boolean;
}

/** A slash command that a prompt can begin with. */
export interface SlashCommand {
  readonly name: string;
  readonly description?: string | undefined;
  readonly source: 'extension' | 'prompt' | 'skill';
  readonly location?: 'user' | 'project' | 'path' | undefined;
  readonly path?: string | undefined;
  /** The directory of the package that it is part of. */
  readonly baseDir?: string | undefined;
}

type Hook<In, Out> = ((input: In) => Promise<Out | undefined>) | undefined;

/**
 * All hooks are optional and may be added or removed while the session is open. The result `undefined` means: continue as
 * planned. A hook that throws stops the planned action; a hook that must not do so has to catch its errors.
 */
export interface Hooks {
  readonly input?: Hook<SubmittedInput, InputHookResult>;
  /** The slash commands that the `input` hook handles. */
  readonly listSlashCommands?: (() => Promise<readonly SlashCommand[]>) | undefined;
  /** Called before a run is accepted: for a prompt, or when an interrupted run is continued. A hook that throws refuses it. */
  readonly beforeAccept?: Hook<{ readonly cwd: string }, undefined>;
  /** Called after a run is accepted and before it starts. */
  readonly beforeRun?: Hook<PlannedRun, RunHookResult>;
  /** Called before every request; may replace the messages of the request. The log is not changed. */
  readonly context?: Hook<readonly AgentMessage[], readonly AgentMessage[]>;
  /** Called before every request, after `context`; may replace the system prompt, the tools and the messages of the request. */
  readonly planRequest?: Hook<PlannedRequest, PlannedRequest>;
  /** Called with the headers of every request, without those that contain keys. Returns the headers to send. */
  readonly requestHeaders?: Hook<RequestHeaders, RequestHeaders>;
  /** Called with the status and the headers of a response, before its body is read. */
  readonly onResponse?: Hook<ProviderResponse, undefined>;
  /** Called with the request body in the provider's wire format, just before it is sent. */
  readonly beforeRequest?: Hook<unknown, unknown>;
  /** A hook that throws blocks the tool call, too. */
  readonly toolCall?: Hook<PlannedToolCall, ToolCallHookResult>;
  readonly toolResult?: Hook<FinishedToolCall, Partial<ToolResult>>;
  readonly shell?: Hook<PlannedShellCommand, ShellHookResult>;
  readonly beforeSwitch?: Hook<
    { readonly reason: 'new' | 'resume'; readonly targetSessionFile?: string },
    { readonly cancel: boolean }
  >;
  readonly beforeBranch?: Hook<{ readonly entryId: string }, BranchHookResult>;
  readonly beforeCompact?: Hook<PlannedCompaction, CompactionHookResult>;
  readonly beforeMove?: Hook<PlannedMove, MoveHookResult>;
  /** Called before a run settles, unless it was aborted. */
  readonly beforeSettle?: Hook<PlannedSettlement, SettlementHookResult>;
  readonly onLifecycleEvent?: ((lifecycleEvent: LifecycleEvent) => undefined | Promise<void>) | undefined;
}
