// Running one shell command. Shared by the bash tool of the model and the `bash` command of the host.
import type { BashResult } from '../protocol/index.ts';
import type { Artifacts } from './artifacts.ts';

/**
 * Runs a command in place of the built-in shell runner. `exitCode` is null when the command ended without a code. `isStartMissing`:
 * the beginning of the output was not kept.
 */
export type ExecuteShell = (request: {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  onOutput(chunk: Uint8Array): void;
}) => Promise<{ exitCode: number | null; signal?: string | null; isStartMissing?: boolean }>;

export interface ShellRequest {
  command: string;
  cwd: string;
  signal: AbortSignal;
  /** Seconds; absent: no limit. */
  timeout?: number | undefined;
  artifacts: Artifacts;
  /** Names the artifact file when the output is too long to show. */
  artifactName: string;
  /** Replaces the built-in shell runner. */
  execute?: ExecuteShell | undefined;
  /** Called with the tail of the output so far, at a limited rate. */
  onUpdate?(tail: ShellTail): void;
  /** Called with new output, without terminal control sequences. */
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
  /** The first line shown is incomplete because of the byte limit. */
  partialLine: boolean;
}

export interface ShellResult extends BashResult, ShellTail {
  timedOut: boolean;
}

export type RunShell = (request: ShellRequest) => Promise<ShellResult>;
