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
  /** Called with the id of each task that starts, before its first event. The task begins its work when the promise is resolved. */
  onTaskStart?(id: string): void | Promise<void>;
  /** The host has started the tasks: no model gets the result, so changes that were not applied are reported with a notice. */
  isHostCall?: boolean | undefined;
}

/** A task that the host starts outside of a model's turn. */
export interface SubagentStart extends Pick<TaskRequest, 'agent' | 'context' | 'isolated' | 'verify'> {
  assignment: string;
  description?: string | undefined;
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

/** The subagents of a session, of all depths. Methods with an id throw a Fault when no subagent of this session has it. */
export interface SubagentControl {
  /** The running subagents. */
  list(): readonly SubagentSnapshot[];
  /** Those that have ended, also before the session was resumed. */
  listEnded(): Promise<readonly SubagentSnapshot[]>;
  /** Resolves with the id when the subagent has started. Throws a Fault where the task tool would refuse the task. */
  start(request: SubagentStart): Promise<string>;
  /** Queues a steering message. Throws a Fault when the subagent takes no more messages. */
  steer(subagentId: string, message: string): Promise<void>;
  /** Resolves when the subagent has ended. Throws a Fault when it had ended before. */
  stop(subagentId: string, reason?: string): Promise<void>;
  /** Continues a subagent that has ended with a further message. Resolves when it has started. */
  resume(subagentId: string, message: string): Promise<void>;
  /** Resolves when no subagent is at work. */
  waitUntilIdle(): Promise<void>;
  /** Stops the subagents that `start` and `resume` have started. Resolves when no subagent is at work. */
  stopStarted(): Promise<void>;
  /** Reads the log of a running or ended subagent of this session. Throws a Fault for all others. */
  readTranscript(request: TranscriptRequest): Promise<Transcript>;
}
