// What the approval of tool calls, the path policy and the sandbox offer to the rest of the program.
import type { FileAccess, Files, SpawnRequest } from './ports.ts';

export type PermissionDecision = 'allow' | 'ask' | 'deny';

/** What the rules of the setting `permissions` compare with the pattern in `tool(pattern)`. */
export type PermissionSubject =
  /** As in the arguments of the call. It may be relative to the working directory. */
  | { readonly kind: 'path'; readonly path: string }
  /** A command line for the shell. */
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'url'; readonly url: string };

/** Which files the tools of a session may use. */
export interface PathPolicy {
  readonly mode: 'off' | 'warn' | 'enforce';
  /**
   * `realPath` has all links resolved. Throws a Fault with the code `refused` when the access is forbidden. With the mode `warn` the user
   * gets a notice instead, once for each directory.
   */
  check(realPath: string, access: FileAccess): void;
  /** Resolves the links in the roots, when they are new or were missing. Must be called before `check`. */
  prepare(): Promise<void>;
}

export interface GuardFilesOptions {
  /** Files and directories that belong to the session and may be read, such as artifacts and skills. Called before every operation. */
  listReadRoots?(): readonly string[] | Promise<readonly string[]>;
  /** The operations are requested by the host and not by the model. A read-only sandbox does not restrict them. */
  isForHost?: boolean;
}

type SandboxedCommandRequest = Pick<SpawnRequest, 'command' | 'args' | 'cwd' | 'env'>;

/** A command that starts the requested one inside the sandbox. */
export interface SandboxedCommand extends SandboxedCommandRequest, Pick<SpawnRequest, 'onInfo'> {
  /** Must be called when the process has ended, also when it could not be started. */
  release(): Promise<void>;
  /** A sentence when the sandbox may be the reason why the command failed, judged by its output and the hosts that were refused. */
  explainFailure(run: { readonly exitCode?: number | undefined; readonly output: string }): string | undefined;
}

/** Restricts the processes that tools start. */
export interface ProcessSandbox {
  /** For messages, such as `workspace-write, network off`. */
  readonly description: string;
  /** Throws a Fault with the code `refused`, the reason and the remedy, when this system cannot provide the sandbox. */
  wrap(request: SandboxedCommandRequest): Promise<SandboxedCommand>;
}

/** Protects files and processes from the tools of a session and its subagents. The settings are read at each call. */
export interface SessionGuard {
  /** Every operation is checked with the path policy of `cwd`. */
  guardFiles(cwd: string, options?: GuardFilesOptions): Files;
  /** Whether some files are refused. Then tools confirm what other programs, such as ripgrep, have read. */
  readonly isEnforcing: boolean;
  /** `undefined` when the sandbox is off. */
  getSandbox(cwd: string): Promise<ProcessSandbox | undefined>;
}
