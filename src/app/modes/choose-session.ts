// The hall: `--resume`: the person chooses the session to go on with. Loaded only then.
import { Fault } from '../../base/index.ts';
import type { SessionStore, SessionSummary } from '../../contracts/index.ts';
import { ago, table } from './table.ts';

/** Whoever can be asked. Without a terminal there is nobody. */
export interface Person {
  show(text: string): void;
  /** The line that was typed; `undefined` when there was none. */
  ask(question: string): Promise<string | undefined>;
}

/** More do not fit on a screen; the others can be named. */
const MOST = 20;

/** The path of the session that was chosen. */
export async function chooseSession(
  store: Pick<SessionStore, 'list' | 'locate'>,
  person: Person | undefined,
  now: number,
): Promise<string> {
  if (!person) {
    throw new Fault(
      'config',
      '--resume asks which session to go on with, and there is no terminal to ask on. ' +
        'Use --continue for the latest one, or --session PATH|ID; `parley sessions` lists them.',
    );
  }
  const sessions = await store.list();
  if (sessions.length === 0) throw new Fault('config', 'There is no session of this directory to go on with.');
  person.show(listed(sessions, now));
  for (;;) {
    const typed = await person.ask('Number or id [1]: ');
    if (typed === undefined) throw new Fault('config', 'No session was chosen.');
    const chosen = await understood(store, sessions, typed.trim(), person);
    if (chosen !== undefined) return chosen;
  }
}

function listed(sessions: readonly SessionSummary[], now: number): string {
  const rows = sessions.slice(0, MOST).map(({ id, modifiedMs, messages, name, opening }, at) => {
    const used = now - modifiedMs;
    return [String(at + 1), id.slice(0, 8), ago(used), String(messages), name ?? opening];
  });
  const rest = sessions.length - rows.length;
  return `${table(['', 'id', 'used', 'messages', 'name'], rows)}${rest > 0 ? `… and ${rest} older ones\n` : ''}`;
}

async function understood(
  store: Pick<SessionStore, 'locate'>,
  sessions: readonly SessionSummary[],
  typed: string,
  person: Person,
): Promise<string | undefined> {
  const numbered = sessions[typed === '' ? 0 : Number(typed) - 1];
  // Short numbers are places in the list; ids are longer.
  if (numbered && /^\d{0,4}$/.test(typed)) return numbered.path;
  try {
    return await store.locate(typed);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    person.show(`${thrown.message}\n`);
    return undefined;
  }
}

/** On stderr, because stdout may be redirected into a file. */
export function personAtTerminal(): Person | undefined {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return {
    show: (text) => void stderr.write(text),
    async ask(question) {
      const { createInterface } = await import('node:readline/promises');
      const lines = createInterface({ input: stdin, output: stderr });
      const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
      try {
        return await Promise.race([lines.question(question), closed]);
      } finally {
        lines.close();
      }
    },
  };
}
