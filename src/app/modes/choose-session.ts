// `--resume`: lets the user choose the session to resume. Loaded only for this flag.
import { Fault } from '../../base/index.ts';
import type { SessionStore, SessionSummary } from '../../contracts/index.ts';
import { formatAge, formatTable } from './format-table.ts';

/** Asks the user questions on the terminal. */
export interface TerminalPrompt {
  show(text: string): void;
  /** Returns the typed line, or `undefined` at the end of the input or when the signal aborts. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
}

/** Rows that fit on a screen. Older sessions can be chosen by id. */
const MAX_ROWS = 20;

/** Returns the path of the chosen session. */
export async function chooseSession(
  store: Pick<SessionStore, 'list' | 'locate'>,
  prompt: TerminalPrompt | undefined,
  now: number,
): Promise<string> {
  if (!prompt) {
    throw new Fault(
      'config',
      '--resume needs a terminal to choose a session. ' +
        'Use --continue for the latest session, or --session PATH|ID; `parley sessions` lists them.',
    );
  }
  const sessions = await store.list();
  if (sessions.length === 0) throw new Fault('config', 'There is no session to resume in this directory.');
  prompt.show(formatSessions(sessions, now));
  for (;;) {
    const typed = await prompt.ask('Number or id [1]: ');
    if (typed === undefined) throw new Fault('config', 'No session was chosen.');
    const chosen = await resolveChoice(store, sessions, typed.trim(), prompt);
    if (chosen !== undefined) return chosen;
  }
}

function formatSessions(sessions: readonly SessionSummary[], now: number): string {
  const rows = sessions.slice(0, MAX_ROWS).map(({ id, modifiedMs, messages, name, opening }, at) => {
    const ageMs = now - modifiedMs;
    return [String(at + 1), id.slice(0, 8), formatAge(ageMs), String(messages), name ?? opening];
  });
  const rest = sessions.length - rows.length;
  return `${formatTable(['', 'id', 'used', 'messages', 'name'], rows)}${rest > 0 ? `… and ${rest} older ones\n` : ''}`;
}

async function resolveChoice(
  store: Pick<SessionStore, 'locate'>,
  sessions: readonly SessionSummary[],
  typed: string,
  prompt: TerminalPrompt,
): Promise<string | undefined> {
  const numbered = sessions[typed === '' ? 0 : Number(typed) - 1];
  // Up to four digits are a row number; ids are longer.
  if (numbered && /^\d{0,4}$/.test(typed)) return numbered.path;
  try {
    return await store.locate(typed);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    prompt.show(`${thrown.message}\n`);
    return undefined;
  }
}

/** Uses stderr, because stdout may be redirected to a file. */
export function openTerminalPrompt(): TerminalPrompt | undefined {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return {
    show: (text) => void stderr.write(text),
    async ask(question, signal) {
      const { createInterface } = await import('node:readline/promises');
      const lines = createInterface({ input: stdin, output: stderr });
      const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
      signal?.addEventListener('abort', () => lines.close());
      try {
        return await Promise.race([lines.question(question), closed]);
      } finally {
        lines.close();
      }
    },
  };
}
