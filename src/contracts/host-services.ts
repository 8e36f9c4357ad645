// What some hosts offer to the tools of a session: the editor's unsaved buffers, and terminals that the user can watch.
import type { ExecuteShell } from './shell.ts';

/** Files as the user sees them in the editor, with unsaved changes. Paths are absolute. Each method throws when the host fails. */
export interface HostFiles {
  /** Absent when the host cannot read. */
  readText?(path: string, signal: AbortSignal): Promise<string>;
  /** Absent when the host cannot write. */
  writeText?(path: string, content: string, signal: AbortSignal): Promise<void>;
}

export interface HostServices {
  readonly files?: HostFiles | undefined;
  /** Creates a runner that shows the command of this tool call in a terminal of the host. */
  readonly createTerminalRunner?: ((toolCallId: string) => ExecuteShell) | undefined;
}
