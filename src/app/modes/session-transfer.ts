// `parley sessions import` and `export`: copies sessions between files and a database. The sessions that are copied are not changed.
import { resolve } from 'node:path';
import { Fault, getErrorMessage, getFaultReason } from '../../base/index.ts';
import { resolveAgentDirectory } from '../../settings/index.ts';
import { createJsonlStore, listSessionDirectories } from '../../store/index.ts';
import { listSessionFiles } from '../../store/list-sessions.ts';
import { exportSession } from '../../store/postgres/export-session.ts';
import { importSession } from '../../store/postgres/import-session.ts';
import { parseReference } from '../../store/postgres/session-reference.ts';
import { createSessionLocks } from '../../store/session-lock.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import type { OpenedStorage } from '../session-storage.ts';
import type { createSystemPorts } from '../system-ports/index.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { findSession } from './find-session.ts';
import { formatByteSize } from './format-table.ts';

export interface TransferRequest {
  /** Paths and ids. */
  readonly names: readonly string[];
  readonly all?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly replace?: boolean | undefined;
  readonly to?: string | undefined;
  readonly 'dry-run'?: boolean | undefined;
}

export interface TransferContext {
  readonly ports: ReturnType<typeof createSystemPorts>;
  readonly storage: OpenedStorage;
  warn(line: string): void;
}

/** What was done with one session. `outcome` is also `failed`. */
interface Transferred {
  readonly outcome: string;
  readonly id?: string;
  readonly path: string;
  readonly bytes?: number;
  readonly files?: number;
  readonly notes?: readonly string[];
  readonly error?: string;
}

/** With fewer sessions, the result is the progress. */
const MIN_REPORTED = 20;
const REPORT_MS = 2000;

/** Returns the text to print. */
export async function importSessions(request: TransferRequest, context: TransferContext): Promise<string> {
  const { ports, storage } = context;
  const paths = await listImportedFiles(request, ports);
  const locks = createSessionLocks({ ...ports, identity: createProcessIdentity() });
  const options = { shouldReplace: request.replace ?? false, isDryRun: request['dry-run'] ?? false };
  return transferAll(paths, request, context, 'Imported', async (path) => {
    const { reference, ...imported } = await importSession(storage.postgres, locks, path, options);
    return { ...imported, path };
  });
}

/** Returns the text to print. */
export async function exportSessions(request: TransferRequest, context: TransferContext): Promise<string> {
  const { ports, storage } = context;
  const ids = await listExportedIds(request, storage);
  const locks = createSessionLocks({ ...ports, identity: createProcessIdentity() });
  const directory =
    request.to === undefined ? resolveAgentDirectory(process.env, homeDirectory()) : resolve(request.to);
  const options = { directory, isDryRun: request['dry-run'] ?? false };
  return transferAll(ids, request, context, 'Exported', (id) => exportSession(storage.postgres, locks, id, options));
}

async function transferAll(
  names: readonly string[],
  { json, 'dry-run': isDryRun }: TransferRequest,
  { ports, warn }: TransferContext,
  done: string,
  transfer: (name: string) => Promise<Transferred>,
): Promise<string> {
  let text = '';
  let reportedMs = ports.clock.now();
  for (const [at, name] of names.entries()) {
    const result = await transfer(name).catch((thrown: unknown): Transferred => {
      // Nothing else can be copied without the database.
      if (!(thrown instanceof Fault) || isDatabaseProblem(thrown)) throw thrown;
      return { outcome: 'failed', path: name, error: getErrorMessage(thrown) };
    });
    if (result.error !== undefined) process.exitCode = 1;
    text += json ? `${JSON.stringify(result)}\n` : formatResult(result, isDryRun === true);
    if (names.length < MIN_REPORTED || ports.clock.now() - reportedMs < REPORT_MS) continue;
    reportedMs = ports.clock.now();
    warn(`${done} ${at + 1} of ${names.length} sessions`);
  }
  return text || (json ? '' : 'There are no sessions to copy.\n');
}

function isDatabaseProblem(fault: Fault): boolean {
  return getFaultReason(fault) === 'database' && !/^(2[23]|P0)/.test(getCode(fault.details));
}

/** Codes that begin with 22 or 23 are about the values of one session. */
function getCode(details: unknown): string {
  return String((details as { code?: unknown } | undefined)?.code ?? '');
}

const OUTCOMES: Readonly<Record<string, readonly [done: string, wouldDo: string]>> = {
  imported: ['Imported', 'Would import'],
  replaced: ['Replaced', 'Would replace'],
  exported: ['Exported', 'Would export'],
  exists: ['Skipped, because it exists:', 'Would skip, because it exists:'],
  failed: ['Failed:', 'Failed:'],
};

function formatResult({ outcome, path, bytes = 0, notes = [], error }: Transferred, isDryRun: boolean): string {
  const verb = OUTCOMES[outcome]?.[isDryRun ? 1 : 0] ?? outcome;
  const size = bytes > 0 && !isDryRun && outcome !== 'exists' ? ` (${formatByteSize(bytes)})` : '';
  const lines = [`${verb} ${path}${size}`, ...notes.map((note) => `  ${note}`), ...(error ? [`  ${error}`] : [])];
  return lines.map((line) => `${line}\n`).join('');
}

/** All names are looked up first, so that a wrong one copies nothing. */
async function listImportedFiles(
  { names, all }: TransferRequest,
  { files, clock }: TransferContext['ports'],
): Promise<readonly string[]> {
  checkNames(names, all, 'import', 'by path or by the beginning of the id');
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  if (all) return listFilesBelow(files, agentDirectory);
  const identity = createProcessIdentity();
  const folders = await listSessionDirectories(files, agentDirectory);
  const stores = (folders.length > 0 ? folders : [agentDirectory]).map((directory) =>
    createJsonlStore({ files, clock, identity, directory }),
  );
  const found: string[] = [];
  for (const name of names) {
    const info = await files.info(resolve(name));
    const inDirectory = info?.kind === 'directory' ? await listFilesBelow(files, resolve(name)) : undefined;
    if (inDirectory?.length === 0) throw new Fault('not_found', `There are no session files in ${name}.`);
    found.push(...(inDirectory ?? [(await findSession(stores, name)).path]));
  }
  return [...new Set(found)];
}

/** Of a folder of sessions, or of a directory like that of the user, which has such folders in `sessions`. */
async function listFilesBelow(files: TransferContext['ports']['files'], directory: string): Promise<string[]> {
  const folders = [directory, ...(await listSessionDirectories(files, directory))];
  const isFolder = async (path: string) => (await files.info(path))?.kind === 'directory';
  const existing = await Promise.all(folders.map(isFolder));
  const lists = await Promise.all(
    folders.filter((_, at) => existing[at]).map((folder) => listSessionFiles(files, folder)),
  );
  return lists.flat().map(({ path }) => path);
}

async function listExportedIds(
  { names, all }: TransferRequest,
  { openStore, index }: OpenedStorage,
): Promise<readonly string[]> {
  checkNames(names, all, 'export', 'by the beginning of the id');
  if (all) return (await index.list()).map(({ id }) => id);
  const store = openStore();
  const ids: string[] = [];
  for (const name of names) {
    const path = await store.locate(name);
    ids.push(parseReference(path) ?? path);
  }
  return [...new Set(ids)];
}

function checkNames(names: readonly string[], all: boolean | undefined, verb: string, how: string): void {
  if (all && names.length > 0)
    throw new Fault('config', `${verb} takes --all or the names of sessions, not both: ${names[0]}`);
  if (!all && names.length === 0)
    throw new Fault('config', `Name the sessions to ${verb}, ${how}, or use --all for all of them.`);
}
