// Ground floor: handing work to agents of one's own. The tool that asks knows neither sessions nor repositories.
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
  /** Said to each of them, before its own assignment. */
  context?: string | undefined;
  /** What the answers must look like. */
  schema?: unknown;
  tasks?: readonly TaskItem[] | undefined;
  /** Each works on a copy of the repository; what it changed comes back when everything is well. */
  isolated?: boolean | undefined;
  /** Commands that the work must pass before it comes back. */
  verify?: boolean | string | VerifyRequest | undefined;
}

export interface Subagents {
  /** Never rejects for what a task did: failures are part of the result. */
  run(request: TaskRequest, options: TaskOptions): Promise<ToolResult>;
}

export interface TaskOptions {
  signal: AbortSignal;
  /** The call that asks for them. */
  toolCallId?: string | undefined;
  update(partial: ToolResult): void;
}

/** Whose words are wanted, and from where on. */
export interface TranscriptRequest {
  subagentId?: string | undefined;
  sessionFile?: string | undefined;
  fromByte?: number | undefined;
}

export interface Transcript {
  sessionFile: string;
  fromByte: number;
  /** Ask from here on the next time. */
  nextByte: number;
  /** The log is shorter than what was asked for, so that it was read from its beginning. */
  reset: boolean;
  entries: (SessionHeader | SessionEntry)[];
  messages: AgentMessage[];
}

/** The subagents of a session, as somebody sees them who watches. */
export interface SubagentWatch {
  /** Those that are at work, of all depths. */
  list(): readonly SubagentSnapshot[];
  /** What one of this session's subagents has in its log, also when it is over. Throws a Fault for all others. */
  transcript(request: TranscriptRequest): Promise<Transcript>;
}
