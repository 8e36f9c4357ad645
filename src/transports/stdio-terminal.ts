// Transports, stdio: the terminal behind stdin and stdout. Knows how it is taken and given back, never what is shown on it.
import type { Tty, TtyEars } from '../contracts/tty.ts';

type Taken = { ears: TtyEars; raw: boolean; farewell: string };

/** Where the size is not known, as in a terminal over a serial line. */
const COLUMNS = 80;
const ROWS = 24;
const INTERRUPTED = 130;

export function openTerminal(): Tty {
  const { stdin, stdout } = process;
  let taken: Taken | undefined;
  // Node writes to terminals synchronously, also while the process ends.
  const write = (text: string) => void stdout.write(text);
  const restore = () => {
    if (!taken) return;
    write(taken.farewell);
    if (taken.raw) stdin.setRawMode(false);
  };
  const release = () => {
    restore();
    taken = undefined;
    stdin.pause();
  };
  stdin.on('data', (bytes: Buffer) => taken?.ears.typed(bytes));
  for (const end of ['end', 'error', 'close']) stdin.on(end, () => taken?.ears.gone());
  stdin.pause();
  stdout.on('error', () => taken?.ears.gone());
  stdout.on('resize', () => taken?.ears.resized());
  process.on('SIGINT', () => (taken ? taken.ears.interrupted() : process.exit(INTERRUPTED)));
  process.on('SIGCONT', () => {
    if (!taken) return;
    if (taken.raw) stdin.setRawMode(true);
    taken.ears.resumed();
  });
  process.on('exit', release);
  // Before the error is printed, which a terminal in raw mode would show as stairs.
  process.on('uncaughtExceptionMonitor', release);
  return {
    get columns() {
      return stdout.columns || COLUMNS;
    },
    get rows() {
      return stdout.rows || ROWS;
    },
    write,
    take(ears, options) {
      taken = { ears, ...options };
      if (options.raw) stdin.setRawMode(true);
      stdin.resume();
    },
    release,
    suspend() {
      restore();
      // The whole group, because a program that started this one may be waiting in the foreground too.
      process.kill(0, 'SIGTSTP');
    },
  };
}
