// Interfaces for running subagents and reading their transcripts. Independent of sessions and repositories.
import type { AgentMessage, SessionEntry, SessionHeader, SubagentSnapshot } from '../protocol/index.ts';
import type { ToolResult } from './tool-result.ts';

export interface TaskItem {
  id?: string | undefined;
  description?: string | undefined;
  assignment?: string | undefined;
}

export interface VerifyRequest {
  profile?: string | undefined;
  mode?: string | undefined;
  commands?: readonly unknown[] | undefined;
  lspDiagnostics?: boolean | undefined;
  maxRetries?: number | undefined;
  onFailure?: 'return_failure' | 'retry_once' | 'discard_patch' | undefined;
}

export interface TaskRequest {
  agent: string;
  /** Prepended to the assignment of each task. */
  context?: string | undefined;
  /** JSON Schema of the answers. */
  schema?: unknown;
  tasks?: readonly TaskItem[] | undefined;
  /** Each task works in its own worktree; its changes are applied when it succeeds. */
  isolated?: boolean | undefined;
  /** Commands that must pass before the changes are applied. */
  verify?: boolean | string | VerifyRequest | undefined;
}

export interface SubagentRunner {
  /** Failures of tasks are part of the result and do not reject. */
  run(request: TaskRequest, options: TaskOptions): Promise<ToolResult>;
}

export interface TaskOptions {
  signal: AbortSignal;
  /** The tool call that starts the tasks. */
  toolCallId?: string | undefined;
  update(partial: ToolResult): void;
}

export interface TranscriptRequest {
  subagentId?: string | undefined;
  sessionFile?: string | undefined;
  fromByte?: number | undefined;
}

export interface Transcript {
  sessionFile: string;
  fromByte: number;
  /** `fromByte` of the next request. */
  nextByte: number;
  /** The log is shorter than `fromByte`, so it was read from the beginning. */
  reset: boolean;
  entries: (SessionHeader | SessionEntry)[];
  messages: AgentMessage[];
}

/** Read access to the subagents of a session. */
export interface SubagentMonitor {
  /** The running subagents of all depths. */
  list(): readonly SubagentSnapshot[];
  /** Reads the log of a running or ended subagent of this session. Throws a Fault for all others. */
  readTranscript(request: TranscriptRequest): Promise<Transcript>;
}
