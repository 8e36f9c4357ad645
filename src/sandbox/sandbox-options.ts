// What the creator of a sandbox chooses.
import type { Ports, ProcessIdentity, SpawnRequest } from '../contracts/index.ts';
import type { MarkedDirectories } from './placeholders.ts';

type Command = Pick<SpawnRequest, 'command' | 'args'>;

/** The way of one command to the allowed hosts. */
export interface CommandNetwork {
  readonly env: Readonly<Record<string, string>>;
  /** A socket of the proxy, and its path in the sandbox. */
  readonly socket: { readonly outside: string; readonly inside: string } | undefined;
  /** A program that must be visible at its path in the sandbox: Node or Bun, which may be installed in a hidden directory. */
  readonly runtime?: string | undefined;
  /** The only port of the loopback interface that the command may connect to, where there are no network namespaces. */
  readonly port: number;
  /** The command to start in the sandbox in place of the requested one. */
  wrapCommand(command: Command): Command;
  /** A sentence that names the hosts that were refused until now. `output` of the command may contain the refusal, too. */
  explainRefusals(output: string): string | undefined;
  close(): Promise<void>;
}

export interface SandboxOptions {
  readonly mode: 'workspace-write' | 'read-only';
  readonly network: 'off' | 'on' | 'allow-list';
  /** Called for each command with the network `allow-list`. */
  openNetwork?(): Promise<CommandNetwork>;
  /** The workspace: writable with `workspace-write`. */
  readonly cwd: string;
  /** Absolute, `~` already expanded, like `deniedReads`. */
  readonly writableRoots: readonly string[];
  readonly deniedReads: readonly string[];
  /** The user's home directory. */
  readonly home: string;
  /** The user's Parley directory. */
  readonly agentDirectory: string;
  /** Files and directories of the running program. Protected when they are in a writable directory. */
  readonly programPaths: readonly string[];
  readonly ports: Pick<Ports, 'files' | 'processes' | 'toolEnv' | 'platform' | 'clock'>;
  readonly processIdentity: ProcessIdentity;
  /** A private directory, one per session, removed when the session is closed. A part of it is `/tmp` inside. */
  temporaryDirectory(): Promise<string>;
  readonly markedDirectories: MarkedDirectories;
}
