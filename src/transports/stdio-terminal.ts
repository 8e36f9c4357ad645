// The terminal behind stdin and stdout: raw mode, suspend, and restoring its state at exit.
import type { Tty, TtyHandlers } from '../contracts/tty.ts';

interface AcquiredTerminal {
  readonly handlers: TtyHandlers;
  readonly raw: boolean;
  readonly restoreSequence: string;
  /** Temporarily not in use by this program: lent to another program, or suspended to the shell. */
  detached?: 'lent' | 'suspended' | undefined;
}

/** Used when the size is unknown, as for a terminal on a serial line. */
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
const SIGINT_EXIT_CODE = 130;

export function openTerminal(): Tty {
  const terminal = new StdioTerminal();
  terminal.listenToStreams();
  terminal.listenToProcess();
  return terminal;
}

class StdioTerminal implements Tty {
  readonly #stdin = process.stdin;
  readonly #stdout = process.stdout;
  #acquired: AcquiredTerminal | undefined;

  get columns(): number {
    return this.#stdout.columns || DEFAULT_COLUMNS;
  }

  get rows(): number {
    return this.#stdout.rows || DEFAULT_ROWS;
  }

  listenToStreams(): void {
    this.#stdin.on('data', (bytes: Buffer) => this.#acquired?.handlers.onInput(bytes));
    for (const end of ['end', 'error', 'close']) this.#stdin.on(end, () => this.#acquired?.handlers.onClose());
    this.#stdin.pause();
    this.#stdout.on('error', () => this.#acquired?.handlers.onClose());
    this.#stdout.on('resize', () => this.#acquired?.handlers.onResize());
  }

  listenToProcess(): void {
    process.on('SIGINT', () => {
      if (!this.#acquired) process.exit(SIGINT_EXIT_CODE);
      // While detached, the signal is for the program that uses the terminal.
      if (!this.#acquired.detached) this.#acquired.handlers.onInterrupt();
    });
    process.on('SIGCONT', () => {
      if (this.#acquired?.detached !== 'lent') this.#reacquire();
    });
    process.on('exit', () => this.release());
    // Before the error is printed: in raw mode a newline does not return the cursor to the first column.
    process.on('uncaughtExceptionMonitor', () => this.release());
  }

  /** Node writes to terminals synchronously, also while the process ends. */
  write(text: string): void {
    this.#stdout.write(text);
  }

  acquire(handlers: TtyHandlers, options: { raw: boolean; restoreSequence: string }): void {
    this.#acquired = { handlers, ...options };
    if (options.raw) this.#stdin.setRawMode(true);
    this.#stdin.resume();
  }

  release(): void {
    this.#restore();
    this.#acquired = undefined;
    this.#stdin.pause();
  }

  async releaseDuring<T>(act: () => Promise<T>): Promise<T> {
    const lent = this.#acquired;
    this.#restore();
    this.#stdin.pause();
    if (lent) lent.detached = 'lent';
    try {
      return await act();
    } finally {
      if (this.#acquired === lent) this.#reacquire();
    }
  }

  suspend(): void {
    if (!this.#acquired) return;
    const suspended = this.#acquired;
    this.#restore();
    suspended.detached = 'suspended';
    // The whole process group, because a parent program may be waiting in the foreground too.
    process.kill(0, 'SIGTSTP');
    // Reached after SIGCONT, or when the process was never stopped because there is no shell. The SIGCONT handler runs in between.
    setImmediate(() => setImmediate(() => suspended.detached === 'suspended' && this.#reacquire()));
  }

  #restore(): void {
    if (!this.#acquired || this.#acquired.detached) return;
    this.write(this.#acquired.restoreSequence);
    if (this.#acquired.raw) this.#stdin.setRawMode(false);
  }

  #reacquire(): void {
    if (!this.#acquired) return;
    this.#acquired.detached = undefined;
    if (this.#acquired.raw) this.#stdin.setRawMode(true);
    this.#stdin.resume();
    this.#acquired.handlers.onResume();
  }
}
