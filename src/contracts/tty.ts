// The interface of a terminal.

export interface TtyHandlers {
  /** Raw input: characters and escape sequences of other keys. */
  onInput(bytes: Uint8Array): void;
  onResize(): void;
  /** SIGINT: from another process, or by Ctrl-C when the terminal is not in raw mode. */
  onInterrupt(): void;
  /** The program is in the foreground again. */
  onResume(): void;
  /** The terminal is closed. */
  onClose(): void;
}

export interface Tty {
  readonly columns: number;
  readonly rows: number;
  /** Synchronous: returns when the text is written. */
  write(text: string): void;
  /**
   * Starts to use the terminal. With `raw`, each key is received at once. When the process ends, also by an error,
   * `restoreSequence` is written and raw mode is left.
   */
  acquire(handlers: TtyHandlers, options: { raw: boolean; restoreSequence: string }): void;
  /** Restores the terminal. The handlers are not called any more. */
  release(): void;
  /** Restores the terminal for another program, and acquires it again when `act` has settled. Then calls `onResume`. */
  releaseDuring<T>(act: () => Promise<T>): Promise<T>;
  /**
   * Restores the terminal and stops the program (SIGTSTP) until the shell continues it. Then calls `onResume`. Without a
   * shell with job control nothing is stopped, and `onResume` is called at once.
   */
  suspend(): void;
}
