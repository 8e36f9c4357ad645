// `parley sessions`: lists, deletes and prunes stored sessions, in files or in a database.

import { parseArgs } from 'node:util';
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { SessionStore, SessionSummary } from '../../contracts/index.ts';
import { resolveAgentDirectory } from '../../settings/index.ts';
import { createJsonlStore, getSessionDirectory, listSessionDirectories } from '../../store/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { createNoDatabaseFault, openConfiguredStorage } from '../configured-storage.ts';
import type { OpenedStorage } from '../session-storage.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { findSession } from './find-session.ts';
import { formatAge, formatByteSize, formatTable } from './format-table.ts';
import { parseWithHelp } from './parse-with-help.ts';

export const SESSIONS_HELP = `Usage: parley sessions [list] [--all] [--json]   list the sessions of this directory, or of all
       parley sessions delete PATH|ID...          delete sessions with their artifacts
       parley sessions prune --older-than DAYS    delete sessions not used for DAYS days [--all] [--dry-run]

Sessions in a database (docs/database.md):
       parley sessions delete --all --tenant NAME --yes    delete all sessions of a tenant
       parley sessions import PATH|ID...|--all [--dry-run] [--replace]
                                                           copy session files into the database; PATH can be a directory
       parley sessions export ID...|--all [--to DIRECTORY] [--dry-run]
                                                           copy sessions of the database to files
       parley sessions rekey [--decrypt]                   encrypt everything with the first key of PARLEY_DATABASE_KEY

  --session-dir PATH   look there instead; files, also if a database is configured
  --store URL          the database: postgres://… Default: the setting store, or PARLEY_DATABASE_URL
  --tenant NAME        whose sessions in the database. Default: the setting database.tenant
  --replace            import also sessions that are in the database already
  --to DIRECTORY       write to sessions/ and blobs/ in it. Default: the directory of the user, ~/.parley
  --decrypt            remove the encryption
  --json               one JSON object per line

Examples:
  parley sessions
  parley sessions list --all --json
  parley sessions delete 3f2a
  parley sessions prune --older-than 90 --dry-run
  parley sessions prune --older-than 90 --all --store postgres://db.example/parley
  parley sessions import --all --dry-run
  parley sessions export 3f2a --to backup
`;

const OPTIONS = {
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  'older-than': { type: 'string' },
  'dry-run': { type: 'boolean' },
  'session-dir': { type: 'string' },
  store: { type: 'string' },
  tenant: { type: 'string' },
  yes: { type: 'boolean' },
  replace: { type: 'boolean' },
  to: { type: 'string' },
  decrypt: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type OptionName = keyof typeof OPTIONS;
type ParsedArguments = ReturnType<typeof parse>;
type SystemPorts = ReturnType<typeof createSystemPorts>;

const STORE_OPTIONS: readonly OptionName[] = ['store', 'tenant'];
/** What each subcommand takes. Everything else is refused, because the user expects an effect. */
const VERBS = {
  list: ['all', 'json', 'session-dir', ...STORE_OPTIONS],
  delete: ['all', 'session-dir', 'yes', ...STORE_OPTIONS],
  prune: ['all', 'older-than', 'dry-run', 'session-dir', ...STORE_OPTIONS],
  import: ['all', 'json', 'dry-run', 'replace', ...STORE_OPTIONS],
  export: ['all', 'json', 'dry-run', 'to', ...STORE_OPTIONS],
  rekey: ['decrypt', 'json', ...STORE_OPTIONS],
} as const satisfies Readonly<Record<string, readonly OptionName[]>>;
type Verb = keyof typeof VERBS;
const VERBS_WITH_NAMES: readonly Verb[] = ['delete', 'import', 'export'];

/** Returns the text to print. */
export async function runSessions(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const parsed = parse(argv);
  if (parsed.values.help) return SESSIONS_HELP;
  const [verb = 'list'] = parsed.positionals;
  if (!isVerb(verb))
    throw new Fault(
      'config',
      `Unknown subcommand: parley sessions ${verb}. Use list, delete, prune, import, export or rekey.`,
    );
  const misplaced = findMisplacedArgument(verb, parsed);
  if (misplaced) throw new Fault('config', `parley sessions ${verb} does not take ${misplaced}\n\n${SESSIONS_HELP}`);
  const ports = createSystemPorts({});
  const storage = await openStorage(parsed, ports);
  try {
    return await runVerb(verb, parsed, { ports, storage, warn });
  } finally {
    await storage?.close();
  }
}

interface VerbContext {
  readonly ports: SystemPorts;
  readonly storage: OpenedStorage | undefined;
  warn(line: string): void;
}

async function runVerb(verb: Verb, parsed: ParsedArguments, context: VerbContext): Promise<string> {
  const { ports, storage, warn } = context;
  const names = parsed.positionals.slice(1);
  if (verb === 'import' || verb === 'export' || verb === 'rekey') return runDatabaseVerb(verb, parsed, context);
  if (verb === 'delete' && parsed.values.all) return deleteTenant(storage, parsed, warn);
  if (verb === 'prune' && storage) return pruneDatabase(storage, parsed, warn);
  const stores = await openStores(ports, storage, parsed);
  if (verb === 'list') return listSessions(stores, parsed);
  return verb === 'delete' ? deleteSessions(stores, names) : pruneSessions(stores, parsed, warn);
}

async function runDatabaseVerb(
  verb: 'import' | 'export' | 'rekey',
  { values, positionals: [, ...names] }: ParsedArguments,
  { ports, storage, warn }: VerbContext,
): Promise<string> {
  if (!storage) throw createNoDatabaseFault(`parley sessions ${verb}`);
  if (verb === 'rekey') {
    const { rekeyStoredSessions } = await import('./session-keys.ts');
    return rekeyStoredSessions(values, storage, warn);
  }
  const { exportSessions, importSessions } = await import('./session-transfer.ts');
  const copySessions = verb === 'import' ? importSessions : exportSessions;
  return copySessions({ ...values, names }, { ports, storage, warn });
}

function isVerb(verb: string): verb is Verb {
  return Object.hasOwn(VERBS, verb);
}

function parse(argv: readonly string[]) {
  return parseWithHelp(SESSIONS_HELP, () => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }));
}

function findMisplacedArgument(verb: Verb, { values, positionals: [, ...names] }: ParsedArguments): string | undefined {
  if (!VERBS_WITH_NAMES.includes(verb) && names.length > 0) return names[0];
  const taken: readonly string[] = VERBS[verb];
  const flag = Object.keys(values).find((name) => !taken.includes(name));
  return flag && `--${flag}`;
}

/** `--session-dir` names session files. */
async function openStorage({ values }: ParsedArguments, ports: SystemPorts): Promise<OpenedStorage | undefined> {
  const { store, tenant, 'session-dir': sessionDirectory } = values;
  if (sessionDirectory === undefined) return openConfiguredStorage({ store, tenant }, ports);
  if (store !== undefined || tenant !== undefined)
    throw new Fault('config', `--session-dir and --${store === undefined ? 'tenant' : 'store'} exclude each other.`);
  return undefined;
}

interface FolderStore {
  store: SessionStore;
  now: number;
}

/** Opens one store for each folder to search, or one for the database. */
async function openStores(
  { files, clock }: SystemPorts,
  storage: OpenedStorage | undefined,
  { values, positionals }: ParsedArguments,
): Promise<FolderStore[]> {
  const now = clock.now();
  // `delete` accepts ids from any session folder, and paths outside of them.
  const isDelete = positionals[0] === 'delete';
  if (storage) {
    const database = { store: storage.openStore(values.all || isDelete ? undefined : process.cwd()), now };
    // Paths are those of files, also if a database is configured.
    const hasPaths = isDelete && positionals.some((name) => /[/\\]|\.jsonl$/.test(name));
    return hasPaths ? [database, { store: openFolder(process.cwd()), now }] : [database];
  }
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const explicitDirectory = values['session-dir'];
  const currentFolder = getSessionDirectory(agentDirectory, process.cwd());
  const searchesAll = values.all || isDelete;
  const others = searchesAll && !explicitDirectory ? await listSessionDirectories(files, agentDirectory) : [];
  const folders = explicitDirectory ? [explicitDirectory] : [...new Set([currentFolder, ...others])];
  return folders.map((directory) => ({ store: openFolder(directory), now }));

  function openFolder(directory: string): SessionStore {
    return createJsonlStore({ files, clock, identity: createProcessIdentity(), directory });
  }
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
  const days = parseDays(values['older-than']);
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

function parseDays(olderThan: string | undefined): number {
  const days = Number(olderThan);
  if (Number.isFinite(days) && days > 0) return days;
  const got = olderThan === undefined ? '' : ` (got "${olderThan}")`;
  throw new Fault('config', `prune needs --older-than DAYS, for example --older-than 90${got}`);
}

async function pruneDatabase(
  { postgres }: OpenedStorage,
  { values }: ParsedArguments,
  warn: (line: string) => void,
): Promise<string> {
  const days = parseDays(values['older-than']);
  const { deleteOldSessions } = await import('../../store/postgres/delete-sessions.ts');
  const cwd = values.all ? undefined : process.cwd();
  const isDryRun = values['dry-run'];
  const { deleted, failed } = await deleteOldSessions(postgres, days, { cwd, isDryRun });
  for (const { message } of failed) warn(message);
  const done = deleted.map((path) => `${isDryRun ? 'Would delete' : 'Deleted'} ${path}\n`).join('');
  return done || `No session is older than ${days} days.\n`;
}

/** Of a database only: all session files can be deleted with their directory. */
async function deleteTenant(
  storage: OpenedStorage | undefined,
  { values, positionals: [, ...names] }: ParsedArguments,
  warn: (line: string) => void,
): Promise<string> {
  if (!storage || values.tenant === undefined)
    throw new Fault('config', 'delete --all deletes all sessions of a tenant in a database. Name it: --tenant NAME.');
  if (names.length > 0) throw new Fault('config', `delete takes --all or the names of sessions, not both: ${names[0]}`);
  const { postgres } = storage;
  if (!values.yes) {
    const { length } = await storage.index.list();
    const where = `tenant ${values.tenant} in ${postgres.database.label}`;
    throw new Fault('config', `This would delete all ${length} sessions of ${where}. Repeat it with --yes.`);
  }
  const { deleteAllSessions } = await import('../../store/postgres/delete-sessions.ts');
  const { deleted, failed } = await deleteAllSessions(postgres);
  for (const { message } of failed) warn(message);
  if (failed.length > 0) process.exitCode = 1;
  return `Deleted ${deleted.length} sessions of tenant ${values.tenant}.\n`;
}
