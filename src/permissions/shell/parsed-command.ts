// The parts of a command line for the shell, as permission rules see them.

/** One word of a simple command, after quotes and escapes are resolved. */
export interface ShellWord {
  /** `undefined` when it is known only when the command runs: variables, substitutions, globs, braces, `~`. */
  readonly value: string | undefined;
  /** The word as it is written. */
  readonly source: string;
  /** An unknown word outside quotes can become no word or several words. */
  readonly canSplit: boolean;
}

/** One program call. Calls that another program makes, such as `xargs rm`, `env A=b rm` or `sh -c rm`, are calls of their own. */
export interface SimpleCommand {
  /** As it is written. For a call that another program makes: the words with which it is called. */
  readonly source: string;
  /** The name of the program comes first. Never empty. */
  readonly words: readonly ShellWord[];
  /** Variables that are set for this call, or for the rest of the command line. */
  readonly assignments: readonly string[];
  /** The program that makes this call, such as `xargs`. `undefined` when the shell does. */
  readonly caller: string | undefined;
  /**
   * The program text of `python -c`, `node -e`, `perl -e` and similar calls, also from a here-document. It is not parsed: it can start any
   * other program. Rules that forbid a program also search this text for its name.
   */
  readonly code?: string | undefined;
}

/** A file that the shell opens for a command. Redirections between file descriptors and to `/dev/null` are not listed. */
export interface ShellRedirection {
  readonly access: 'read' | 'write';
  readonly target: ShellWord;
}

export interface ParsedCommand {
  /** All calls, including those in substitutions, subshells, functions and here-documents. */
  readonly commands: readonly SimpleCommand[];
  readonly redirections: readonly ShellRedirection[];
  /** Why the command line is not fully understood, one sentence each. When there is one, the command line must be asked about. */
  readonly problems: readonly string[];
}
