// What some hosts offer to the tools of a session: the editor's unsaved buffers, and terminals that the user can watch.
import type { Clock } from './ports.ts';
import type { ExecuteShell } from './shell.ts';

/**
 * Files as the user sees them in the editor, with unsaved changes. Paths are absolute. Each method throws when the host fails and when
 * the signal aborts. A Fault with the code `refused` means that the user does not allow it: then our own files must not be used instead.
 */
export interface HostFiles {
  /** Absent when the host cannot read. */
  readText?(path: string, signal: AbortSignal): Promise<string>;
  /** Absent when the host cannot write. */
  writeText?(path: string, content: string, signal: AbortSignal): Promise<void>;
}

export interface TerminalOptions {
  readonly toolCallId: string;
  /** Absolute path of the shell. */
  readonly shell: string;
  readonly clock: Clock;
}

type ShellExecution = Parameters<ExecuteShell>[0];

/**
 * Runs a command like `ExecuteShell`, in the environment of the host. Resolves to `undefined` when the host has not created the
 * terminal: the command was not run. Throws when the user does not allow the command, and when the terminal failed later: then the
 * command may have run.
 */
export type RunInTerminal = (
  request: Omit<ShellExecution, 'env'>,
) => Promise<Awaited<ReturnType<ExecuteShell>> | undefined>;

export interface HostServices {
  readonly files?: HostFiles | undefined;
  /** Creates a runner that shows the command of this tool call in a terminal of the host. */
  readonly createTerminalRunner?: ((options: TerminalOptions) => RunInTerminal) | undefined;
}
