// For tests at a terminal: a person in front of tmux, who types into a shell and looks until there is something to see.
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inject, onTestFinished } from 'vitest';
import { newPlace, type Place } from '../../support/program.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const run = promisify(execFile);
const PATIENCE_MS = 40_000;
const LOOK_MS = 40;

export interface Person extends Place {
  /** Letters, one after another. */
  type(text: string): Promise<void>;
  /** Keys by tmux's names: `Enter`, `C-c`, `Escape`, `M-Enter`, `Up`. */
  press(...keys: readonly string[]): Promise<void>;
  /** Types a line and ends it. */
  say(text: string): Promise<void>;
  /** Says something to the agent, and waits until it has answered so and has come to rest. */
  ask(text: string, answer: string | RegExp): Promise<string>;
  /** Marked as pasted, as terminals do. */
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** What can be seen, without blank lines at its end. `looks` keeps the colours. */
  screen(looks?: boolean): Promise<string>;
  /** The same with everything that has scrolled away. */
  scrollback(): Promise<string>;
  /** Looks until it is there, and gives the screen as it is then. */
  sees(wanted: string | RegExp): Promise<string>;
  /** Looks until it is gone. */
  misses(unwanted: string | RegExp): Promise<string>;
  /** What tmux knows about the pane: `#{pane_title}`, `#{cursor_x}`. */
  fact(format: string): Promise<string>;
}

export interface Start {
  readonly place?: Place;
  /** What follows the program's name. Words that a test looks for are broken up, `do""ne`: a long line may be wrapped before them. */
  readonly args?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export const PROMPT = 'shell>';
/** The shell is back: the program, and with it the agent, is gone. */
export const LEFT = new RegExp(`${PROMPT}$`);
/** The draft's line, when nothing is written in it. */
export const READY = /^›$/m;

/** A person in front of a shell that has been told to start the program. */
export async function sitDown({ place = newPlace(), args = '', env = {}, columns = 90, rows = 28 }: Start = {}) {
  const socket = join(temporaryDirectory(), 'tmux');
  const tmux = async (...words: readonly string[]) => (await run('tmux', ['-u', '-S', socket, ...words])).stdout;
  onTestFinished(() => {
    // By its own socket: no other terminal is touched.
    execFileSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' });
  });
  await run('tmux', ['-u', '-f', '/dev/null', '-S', socket, 'new-session', '-d', ...size(columns, rows), 'sh'], {
    cwd: place.cwd,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      ...{
        HOME: place.home,
        PARLEY_DIR: place.home,
        LANG: 'C.UTF-8',
        TERM: 'xterm-256color',
        PS1: `${PROMPT} `,
        SHELL: '/bin/sh',
      },
      ...env,
    },
  });
  const person = createPerson(tmux, place);
  await person.sees(PROMPT);
  await person.say(`${env.TERM ? `TERM=${env.TERM} ` : ''}node ${inject('program')} ${args}`);
  return person;
}

/** The same, once the conversation can begin. */
export async function begin(start: Start = {}): Promise<Person> {
  const person = await sitDown(start);
  await person.sees(READY);
  return person;
}

function size(columns: number, rows: number): string[] {
  return ['-x', String(columns), '-y', String(rows)];
}

function createPerson(tmux: (...words: readonly string[]) => Promise<string>, place: Place): Person {
  const screen = async (looks = false) => (await tmux('capture-pane', '-p', ...(looks ? ['-e'] : []))).trimEnd();
  const scrollback = async () => (await tmux('capture-pane', '-p', '-S', '-', '-E', '-')).trimEnd();
  const type = async (text: string) => void (await tmux('send-keys', '-l', '--', text));
  const press = async (...keys: readonly string[]) => void (await tmux('send-keys', ...keys));
  const looked = async (isSo: (seen: string) => boolean, what: string): Promise<string> => {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const seen = await screen();
      if (isSo(seen)) return seen;
      if (Date.now() > deadline) throw new Error(`Never ${what}. On the terminal:\n${await scrollback()}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  const sees = (wanted: string | RegExp) => looked((seen) => fits(seen, wanted), `saw ${wanted}`);
  const misses = (unwanted: string | RegExp) => {
    // Gone is what is gone twice: a look may fall into the middle of a drawing.
    let gone = 0;
    return looked((seen) => {
      gone = fits(seen, unwanted) ? 0 : gone + 1;
      return gone === 2;
    }, `lost sight of ${unwanted}`);
  };
  const say = async (text: string) => {
    await type(text);
    await press('Enter');
  };
  return {
    ...place,
    say,
    sees,
    misses,
    async ask(text, answer) {
      await say(text);
      await sees(answer);
      await misses('Working');
      return sees(READY);
    },
    type,
    press,
    screen,
    scrollback,
    async paste(text) {
      // By a file: what may stand on a command line is bounded.
      const path = join(temporaryDirectory(), 'pasted');
      writeFileSync(path, text);
      await tmux('load-buffer', path);
      await tmux('paste-buffer', '-p', '-r');
    },
    resize: async (columns, rows) => void (await tmux('resize-window', ...size(columns, rows))),
    fact: async (format) => (await tmux('display-message', '-p', format)).trim(),
  };
}

function fits(seen: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? seen.includes(wanted) : wanted.test(seen);
}

/** The shell's terminal is one that a shell can use. */
export async function isSane(person: Person): Promise<void> {
  await person.say(
    'stty -a | tr " ;" "\\n\\n" | grep -xE -- "-?(icanon|echo|isig|icrnl|opost)" | tr "\\n" " "; echo .',
  );
  await person.sees(/icrnl opost isig icanon echo \./);
  if ((await person.fact('#{cursor_flag}')) !== '1') throw new Error('The cursor stays hidden.');
}
