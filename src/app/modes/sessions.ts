// `parley sessions`: lists, deletes and prunes stored sessions.

import { parseArgs } from 'node:util';
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { SessionStore, SessionSummary } from '../../contracts/index.ts';
import { resolveAgentDirectory } from '../../settings/index.ts';
import { createJsonlStore, getSessionDirectory, listSessionDirectories } from '../../store/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { findSession } from './find-session.ts';
import { formatAge, formatByteSize, formatTable } from './format-table.ts';
import { parseWithHelp } from './parse-with-help.ts';

export const SESSIONS_HELP = `Usage: parley sessions [list] [--all] [--json]   list the sessions of this directory, or of all
       parley sessions delete PATH|ID...          delete sessions with their artifacts
       parley sessions prune --older-than DAYS    delete sessions not used for DAYS days [--all] [--dry-run]

  --session-dir PATH   look there instead
  --json               one JSON object per line

Examples:
  parley sessions
  parley sessions list --all --json
  parley sessions delete 3f2a
  parley sessions prune --older-than 90 --dry-run
`;

const OPTIONS = {
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  'older-than': { type: 'string' },
  'dry-run': { type: 'boolean' },
  'session-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type ParsedArguments = ReturnType<typeof parse>;

/** Returns the text to print. */
export async function runSessions(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const parsed = parse(argv);
  if (parsed.values.help) return SESSIONS_HELP;
  const [verb = 'list', ...names] = parsed.positionals;
  const misplaced = findMisplacedArgument(parsed);
  if (misplaced) throw new Fault('config', `parley sessions ${verb} does not take ${misplaced}\n\n${SESSIONS_HELP}`);
  const stores = await openStores(parsed);
  if (verb === 'list') return listSessions(stores, parsed);
  if (verb === 'delete') return deleteSessions(stores, names);
  if (verb === 'prune') return pruneSessions(stores, parsed, warn);
  throw new Fault('config', `Unknown subcommand: parley sessions ${verb}. Use list, delete or prune.`);
}

function parse(argv: readonly string[]) {
  return parseWithHelp(SESSIONS_HELP, () => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }));
}

/** Finds an argument or flag that the subcommand does not use. It is refused, because the user expects an effect. */
function findMisplacedArgument({
  values,
  positionals: [verb = 'list', ...names],
}: ParsedArguments): string | undefined {
  if (!['list', 'delete', 'prune'].includes(verb)) return undefined;
  if (verb !== 'delete' && names.length > 0) return names[0];
  const unsupported = { list: ['older-than', 'dry-run'], delete: ['older-than', 'dry-run', 'json'], prune: ['json'] }[
    verb
  ];
  const flag = unsupported?.find((name) => Object.hasOwn(values, name));
  return flag && `--${flag}`;
}

interface FolderStore {
  store: SessionStore;
  now: number;
}

/** Opens one store for each folder to search. */
async function openStores({ values, positionals }: ParsedArguments): Promise<FolderStore[]> {
  const { files, clock } = createSystemPorts({});
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const explicitDirectory = values['session-dir'];
  const currentFolder = getSessionDirectory(agentDirectory, process.cwd());
  // `delete` accepts ids from any session folder, and paths outside of them.
  const searchesAll = values.all || positionals[0] === 'delete';
  const others = searchesAll && !explicitDirectory ? await listSessionDirectories(files, agentDirectory) : [];
  const folders = explicitDirectory ? [explicitDirectory] : [...new Set([currentFolder, ...others])];
  const identity = createProcessIdentity();
  return folders.map((directory) => ({
    store: createJsonlStore({ files, clock, identity, directory }),
    now: clock.now(),
  }));
}

async function listAllSessions(stores: readonly FolderStore[]): Promise<(SessionSummary & FolderStore)[]> {
  const lists = await Promise.all(
    stores.map(async (folderStore) => (await folderStore.store.list()).map((s) => ({ ...s, ...folderStore }))),
  );
  return lists.flat().sort((a, b) => b.modifiedMs - a.modifiedMs);
}

async function listSessions(stores: readonly FolderStore[], { values }: ParsedArguments): Promise<string> {
  const sessions = await listAllSessions(stores);
  if (values.json)
    return sessions.map(({ store: _store, now: _now, ...summary }) => `${JSON.stringify(summary)}\n`).join('');
  if (sessions.length === 0) return 'No sessions here. Use --all to look at every directory.\n';
  const rows = sessions.map((session) => [
    session.id.slice(0, 8),
    formatAge(session.now - session.modifiedMs),
    String(session.messages),
    session.cost > 0 ? `$${session.cost.toFixed(2)}` : '-',
    formatByteSize(session.bytes),
    session.name ?? session.opening,
    ...(values.all ? [session.cwd] : []),
  ]);
  return formatTable(['id', 'used', 'messages', 'cost', 'size', 'name', ...(values.all ? ['directory'] : [])], rows);
}

/** Finds all sessions first, so that a wrong name deletes nothing. */
async function deleteSessions(folderStores: readonly FolderStore[], names: readonly string[]): Promise<string> {
  if (names.length === 0)
    throw new Fault('config', 'Name the sessions to delete, by path or by the beginning of the id.');
  const stores = folderStores.map(({ store }) => store);
  const found = new Map<string, SessionStore>();
  for (const name of names) {
    const { store, path } = await findSession(stores, name);
    found.set(path, store);
  }
  let done = '';
  for (const [path, store] of found) {
    await store.remove(path);
    done += `Deleted ${path}\n`;
  }
  return done;
}

const DAY_MS = 24 * 60 * 60 * 1000;

async function pruneSessions(
  stores: readonly FolderStore[],
  { values }: ParsedArguments,
  warn: (line: string) => void,
): Promise<string> {
  const olderThan = values['older-than'];
  const days = Number(olderThan);
  if (!Number.isFinite(days) || days <= 0) {
    const got = olderThan === undefined ? '' : ` (got "${olderThan}")`;
    throw new Fault('config', `prune needs --older-than DAYS, for example --older-than 90${got}`);
  }
  const old = (await listAllSessions(stores)).filter(({ now, modifiedMs }) => now - modifiedMs > days * DAY_MS);
  let done = '';
  for (const { store, path } of old) {
    try {
      if (!values['dry-run']) await store.remove(path);
      done += `${values['dry-run'] ? 'Would delete' : 'Deleted'} ${path}\n`;
    } catch (thrown) {
      // A session that is in use must not prevent the deletion of the others.
      warn(getErrorMessage(thrown));
    }
  }
  return done || `No session is older than ${days} days.\n`;
}
