// Ground floor: handing work to agents of one's own. The tool that asks knows neither sessions nor repositories.
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
  run(request: TaskRequest, options: { signal: AbortSignal; update(partial: ToolResult): void }): Promise<ToolResult>;
}
