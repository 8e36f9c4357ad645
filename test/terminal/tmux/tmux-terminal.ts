// Runs the program in tmux for tests: sends keys and waits until a text appears on the screen.
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inject, onTestFinished } from 'vitest';
import { createDirectories, type ProgramDirectories } from '../../support/program.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const run = promisify(execFile);
const WAIT_TIMEOUT_MS = 40_000;
const POLL_INTERVAL_MS = 40;

export interface TmuxTerminal extends ProgramDirectories {
  /** Types text without Enter. */
  type(text: string): Promise<void>;
  /** Presses keys by tmux name: `Enter`, `C-c`, `Escape`, `M-Enter`, `Up`. */
  press(...keys: readonly string[]): Promise<void>;
  /** Types text and presses Enter. */
  sendLine(text: string): Promise<void>;
  /** Sends a message, then waits for `answer` and for the end of the run. */
  prompt(text: string, answer: string | RegExp): Promise<string>;
  /** Sends text as a bracketed paste. */
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** The visible screen without trailing blank lines. `withStyles` includes escape sequences. */
  screen(withStyles?: boolean): Promise<string>;
  /** The screen with the scrollback. */
  scrollback(): Promise<string>;
  /** Waits until the pattern appears and returns the screen. */
  waitFor(pattern: string | RegExp): Promise<string>;
  /** Waits until the pattern disappears and returns the screen. */
  waitUntilGone(pattern: string | RegExp): Promise<string>;
  /** The value of a tmux format such as `#{pane_title}` or `#{cursor_x}`. */
  queryPane(format: string): Promise<string>;
}

export interface TmuxOptions {
  readonly directories?: ProgramDirectories;
  /** Shell text after the program name. Split words that a test waits for, as in `do""ne`, so that the echoed command line does not match. */
  readonly args?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export const SHELL_PROMPT = 'shell>';
/** The program has exited and the shell shows its prompt. */
export const AT_SHELL_PROMPT = new RegExp(`${SHELL_PROMPT}$`);
/** The input line without text. */
export const EMPTY_INPUT = /^›$/m;

/** Starts a shell in tmux and runs the program in it. */
export async function startInTmux({
  directories = createDirectories(),
  args = '',
  env = {},
  columns = 90,
  rows = 28,
}: TmuxOptions = {}) {
  const socket = join(createTemporaryDirectory(), 'tmux');
  const tmux = async (...tmuxArgs: readonly string[]) => (await run('tmux', ['-u', '-S', socket, ...tmuxArgs])).stdout;
  onTestFinished(() => {
    // Uses a separate socket, so other tmux servers are not affected.
    execFileSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' });
  });
  await run(
    'tmux',
    ['-u', '-f', '/dev/null', '-S', socket, 'new-session', '-d', ...buildSizeArguments(columns, rows), 'sh'],
    {
      cwd: directories.cwd,
      env: {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        ...{
          HOME: directories.home,
          PARLEY_DIR: directories.home,
          LANG: 'C.UTF-8',
          TERM: 'xterm-256color',
          PS1: `${SHELL_PROMPT} `,
          SHELL: '/bin/sh',
        },
        ...env,
      },
    },
  );
  const terminal = createTmuxTerminal(tmux, directories);
  await terminal.waitFor(SHELL_PROMPT);
  await terminal.sendLine(`${env.TERM ? `TERM=${env.TERM} ` : ''}node ${inject('program')} ${args}`);
  return terminal;
}

/** Starts the program and waits for the input line. */
export async function startConversation(options: TmuxOptions = {}): Promise<TmuxTerminal> {
  const terminal = await startInTmux(options);
  await terminal.waitFor(EMPTY_INPUT);
  return terminal;
}

function buildSizeArguments(columns: number, rows: number): string[] {
  return ['-x', String(columns), '-y', String(rows)];
}

function createTmuxTerminal(
  tmux: (...args: readonly string[]) => Promise<string>,
  programDirectories: ProgramDirectories,
): TmuxTerminal {
  const screen = async (withStyles = false) =>
    (await tmux('capture-pane', '-p', ...(withStyles ? ['-e'] : []))).trimEnd();
  const scrollback = async () => (await tmux('capture-pane', '-p', '-S', '-', '-E', '-')).trimEnd();
  const type = async (text: string) => void (await tmux('send-keys', '-l', '--', text));
  const press = async (...keys: readonly string[]) => void (await tmux('send-keys', ...keys));
  const poll = async (isDone: (text: string) => boolean, description: string): Promise<string> => {
    const deadline = Date.now() + WAIT_TIMEOUT_MS;
    for (;;) {
      const text = await screen();
      if (isDone(text)) return text;
      if (Date.now() > deadline) throw new Error(`Timeout: ${description}. Terminal:\n${await scrollback()}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  };
  const waitFor = (pattern: string | RegExp) => poll((text) => matches(text, pattern), `waiting for ${pattern}`);
  const waitUntilGone = (pattern: string | RegExp) => {
    // Require two polls without a match: one may fall into the middle of a redraw.
    let missCount = 0;
    return poll((text) => {
      missCount = matches(text, pattern) ? 0 : missCount + 1;
      return missCount === 2;
    }, `waiting until ${pattern} is gone`);
  };
  const sendLine = async (text: string) => {
    await type(text);
    await press('Enter');
  };
  return {
    ...programDirectories,
    sendLine,
    waitFor,
    waitUntilGone,
    async prompt(text, answer) {
      await sendLine(text);
      await waitFor(answer);
      await waitUntilGone('Working');
      return waitFor(EMPTY_INPUT);
    },
    type,
    press,
    screen,
    scrollback,
    async paste(text) {
      // Uses a file, because the length of a command line is limited.
      const path = join(createTemporaryDirectory(), 'pasted');
      writeFileSync(path, text);
      await tmux('load-buffer', path);
      await tmux('paste-buffer', '-p', '-r');
    },
    resize: async (columns, rows) => void (await tmux('resize-window', ...buildSizeArguments(columns, rows))),
    queryPane: async (format) => (await tmux('display-message', '-p', format)).trim(),
  };
}

function matches(text: string, pattern: string | RegExp): boolean {
  return typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text);
}

/** Checks that the terminal modes and the cursor were restored. */
export async function expectUsableShell(terminal: TmuxTerminal): Promise<void> {
  await terminal.sendLine(
    'stty -a | tr " ;" "\\n\\n" | grep -xE -- "-?(icanon|echo|isig|icrnl|opost)" | tr "\\n" " "; echo .',
  );
  await terminal.waitFor(/icrnl opost isig icanon echo \./);
  if ((await terminal.queryPane('#{cursor_flag}')) !== '1') throw new Error('The cursor is hidden.');
}
