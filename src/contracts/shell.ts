// Ground floor: running one shell command. The model's bash tool and the host's `bash` command share one implementation.
import type { BashResult } from '../protocol/index.ts';
import type { Artifacts } from './tool.ts';

/** Runs a command elsewhere than in a shell of ours. `null` when it ended without a code. */
export type ExecuteShell = (about: {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  onOutput(chunk: Uint8Array): void;
}) => Promise<{ exitCode: number | null }>;

export interface ShellRequest {
  command: string;
  cwd: string;
  signal: AbortSignal;
  /** Seconds; none means no limit. */
  timeout?: number | undefined;
  artifacts: Artifacts;
  /** Names the artifact file when the output is too long to show. */
  purpose: string;
  /** In the place of a shell. */
  execute?: ExecuteShell | undefined;
  /** The tail of the output so far, as it would be shown now. Called at a bounded rate. */
  onUpdate?(tail: ShellTail): void;
  /** What the command says, as it says it, without what only a terminal would understand. */
  onOutput?(text: string): void;
}

export interface ShellTail {
  output: string;
  truncated: boolean;
  /** 1-based numbers of the first and last line shown. */
  firstLine: number;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  /** The byte limit cut into the first line shown. */
  partialLine: boolean;
}

export interface ShellOutcome extends BashResult, ShellTail {
  timedOut: boolean;
}

export type RunShell = (request: ShellRequest) => Promise<ShellOutcome>;
