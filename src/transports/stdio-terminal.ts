// Transports, stdio: the terminal behind stdin and stdout. Knows how it is taken and given back, never what is shown on it.
import type { Tty, TtyEars } from '../contracts/tty.ts';

interface Taken {
  readonly ears: TtyEars;
  readonly raw: boolean;
  readonly farewell: string;
  /** Ours no longer: lent to another program, or left to the shell for the time being. */
  away?: 'lent' | 'suspended' | undefined;
}

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
    if (!taken || taken.away) return;
    write(taken.farewell);
    if (taken.raw) stdin.setRawMode(false);
  };
  const comeBack = () => {
    if (!taken) return;
    taken.away = undefined;
    if (taken.raw) stdin.setRawMode(true);
    stdin.resume();
    taken.ears.resumed();
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
  process.on('SIGINT', () => {
    if (!taken) process.exit(INTERRUPTED);
    // Meant for whoever has the terminal.
    if (!taken.away) taken.ears.interrupted();
  });
  process.on('SIGCONT', () => {
    if (taken?.away !== 'lent') comeBack();
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
    async lend(to) {
      const lent = taken;
      restore();
      stdin.pause();
      if (lent) lent.away = 'lent';
      try {
        return await to();
      } finally {
        if (taken === lent) comeBack();
      }
    },
    suspend() {
      if (!taken) return;
      const left = taken;
      restore();
      left.away = 'suspended';
      // The whole group, because a program that started this one may be waiting in the foreground too.
      process.kill(0, 'SIGTSTP');
      // Whoever gets here goes on, or was never stopped because there is no shell. SIGCONT, if there was one, is heard in between.
      setImmediate(() => setImmediate(() => left.away === 'suspended' && comeBack()));
    },
  };
}
