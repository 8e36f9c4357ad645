// The hall: `parley sessions`: which conversations there are, and how to be rid of them.

import { parseArgs } from 'node:util';
import { Fault, messageOf } from '../../base/index.ts';
import type { SessionStore, SessionSummary } from '../../contracts/index.ts';
import { createJsonlStore, sessionFolder, sessionFolders } from '../../store/index.ts';
import { homeDirectory } from '../home.ts';
import { userDirectory } from '../settings.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { ago, sizeOf, table } from './table.ts';

export const SESSIONS_HELP = `Usage: parley sessions [--all] [--json]          list the sessions of this directory, or of all
       parley sessions delete PATH|ID...          delete sessions with their artifacts
       parley sessions prune --older-than DAYS    delete those not used for so long [--all] [--dry-run]

  --session-dir PATH   look there instead
`;

const OPTIONS = {
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  'older-than': { type: 'string' },
  'dry-run': { type: 'boolean' },
  'session-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Given = ReturnType<typeof parse>;

/** Returns what is to be printed. */
export async function runSessions(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const given = parse(argv);
  if (given.values.help) return SESSIONS_HELP;
  const [verb = 'list', ...names] = given.positionals;
  const misplaced = misplacedIn(given);
  if (misplaced) throw new Fault('config', `parley sessions ${verb} does not take ${misplaced}\n\n${SESSIONS_HELP}`);
  const stores = await storesFor(given);
  if (verb === 'list') return list(stores, given);
  if (verb === 'delete') return remove(stores, names, warn);
  if (verb === 'prune') return prune(stores, given, warn);
  throw new Fault('config', `Unknown word after sessions: ${verb}. It takes list, delete or prune.`);
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (thrown) {
    throw new Fault('config', `${messageOf(thrown)}\n\n${SESSIONS_HELP}`);
  }
}

/** A word or flag that would have no effect: whoever wrote it expects one. */
function misplacedIn({ values, positionals: [verb = 'list', ...names] }: Given): string | undefined {
  if (!['list', 'delete', 'prune'].includes(verb)) return undefined;
  if (verb !== 'delete' && names.length > 0) return names[0];
  const foreign = { list: ['older-than', 'dry-run'], delete: ['older-than', 'dry-run', 'json'], prune: ['json'] }[verb];
  const flag = foreign?.find((name) => Object.hasOwn(values, name));
  return flag && `--${flag}`;
}

interface Shelf {
  store: SessionStore;
  now: number;
}

/** One store for each folder that is looked into. */
async function storesFor({ values, positionals }: Given): Promise<Shelf[]> {
  const { files, clock } = createSystemPorts({});
  const home = userDirectory(process.env, homeDirectory());
  const named = values['session-dir'];
  const here = sessionFolder(home, process.cwd());
  // Ids may belong to any directory, paths to none of ours.
  const everywhere = values.all || positionals[0] === 'delete';
  const others = everywhere && !named ? await sessionFolders(files, home) : [];
  const folders = named ? [named] : [...new Set([here, ...others])];
  const identity = createProcessIdentity();
  return folders.map((directory) => ({
    store: createJsonlStore({ files, clock, identity, directory }),
    now: clock.now(),
  }));
}

async function everything(shelves: readonly Shelf[]): Promise<(SessionSummary & Shelf)[]> {
  const lists = await Promise.all(
    shelves.map(async (shelf) => (await shelf.store.list()).map((s) => ({ ...s, ...shelf }))),
  );
  return lists.flat().sort((a, b) => b.modifiedMs - a.modifiedMs);
}

async function list(shelves: readonly Shelf[], { values }: Given): Promise<string> {
  const sessions = await everything(shelves);
  if (values.json)
    return sessions.map(({ store: _store, now: _now, ...summary }) => `${JSON.stringify(summary)}\n`).join('');
  if (sessions.length === 0) return 'No sessions here. Use --all to look at every directory.\n';
  const rows = sessions.map((session) => [
    session.id.slice(0, 8),
    ago(session.now - session.modifiedMs),
    String(session.messages),
    session.cost > 0 ? `$${session.cost.toFixed(2)}` : '-',
    sizeOf(session.bytes),
    session.name ?? session.opening,
    ...(values.all ? [session.cwd] : []),
  ]);
  return table(['id', 'used', 'messages', 'cost', 'size', 'name', ...(values.all ? ['directory'] : [])], rows);
}

async function remove(
  shelves: readonly Shelf[],
  names: readonly string[],
  warn: (line: string) => void,
): Promise<string> {
  if (names.length === 0)
    throw new Fault('config', 'Name the sessions to delete, by path or by the beginning of the id.');
  let done = '';
  for (const name of names) {
    const { store, path } = await find(shelves, name);
    await store.remove(path);
    done += `Deleted ${path}\n`;
  }
  if (done === '') warn('Nothing was deleted.');
  return done;
}

/** The one folder that knows this session. */
async function find(shelves: readonly Shelf[], name: string): Promise<{ store: SessionStore; path: string }> {
  let problem: unknown = new Fault('not_found', `Session not found: ${name}`);
  for (const { store } of shelves) {
    try {
      return { store, path: await store.locate(name) };
    } catch (thrown) {
      problem = thrown;
    }
  }
  throw problem;
}

const DAY_MS = 24 * 60 * 60 * 1000;

async function prune(shelves: readonly Shelf[], { values }: Given, warn: (line: string) => void): Promise<string> {
  const given = values['older-than'];
  const days = Number(given);
  if (!Number.isFinite(days) || days <= 0) {
    const got = given === undefined ? '' : ` (got "${given}")`;
    throw new Fault('config', `prune needs --older-than DAYS, for example --older-than 90${got}`);
  }
  const old = (await everything(shelves)).filter(({ now, modifiedMs }) => now - modifiedMs > days * DAY_MS);
  let done = '';
  for (const { store, path } of old) {
    try {
      if (!values['dry-run']) await store.remove(path);
      done += `${values['dry-run'] ? 'Would delete' : 'Deleted'} ${path}\n`;
    } catch (thrown) {
      // One that is in use must not keep the others.
      warn(messageOf(thrown));
    }
  }
  return done || `No session is older than ${days} days.\n`;
}
