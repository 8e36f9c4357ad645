// The logs of a database, and the files of their sessions, as files that can only be read, for the code that reads session files.
import type { FileInfo, Files, OpenFile } from '../../contracts/ports.ts';
import { openLogReader } from './log-reader.ts';
import { parseReference } from './session-reference.ts';
import type { RowContext } from './session-rows.ts';
import { readStoredBytes } from './stored-directory.ts';

/** The directory of images that oh-my-pi stores outside of the log. See `getBlobsDirectory`. */
const BLOBS = 'blobs';

/** A log, or a file or directory of its session. */
interface StoredPath {
  readonly sessionId: string;
  /** Absent for the log. */
  readonly name?: string;
}

interface LogRow {
  readonly id: string;
  readonly size: number;
  readonly modifiedMs: number;
}

const FIND_LOG = `select id, length(header) + end_position as size, modified_ms as "modifiedMs" from parley.sessions
  where tenant = $1 and id = any($2) order by length(id) desc limit 1`;
const FIND_FILE = `select sum(size)::bigint as size, max(modified_ms) as "modifiedMs" from parley.files
  where tenant = $1 and session = $2 and name = $3 having count(*) > 0`;
const FIND_DIRECTORY = 'select from parley.files where tenant = $1 and session = $2 and starts_with(name, $3) limit 1';

/** `REFERENCE/NAME` is a file of the session. Other paths than references to sessions are those of the local files. */
export function createLogFiles(context: RowContext & { readonly files: Files }): Files {
  const { files, tenant } = context;
  return {
    ...files,
    async info(path, options) {
      const reference = parseReference(path);
      return reference === undefined ? files.info(path, options) : readInfo(context, reference);
    },
    realPath: async (path) => (parseReference(path) === undefined ? files.realPath(path) : path),
    async read(path, range) {
      const reference = parseReference(path);
      if (reference === undefined) return files.read(path, range);
      const { start = 0, length = Number.POSITIVE_INFINITY } = range ?? {};
      const bytes = await readWhole(context, path, reference);
      return bytes.subarray(start, start + length);
    },
    async open(path, purpose, options) {
      const reference = parseReference(path);
      if (reference === undefined) return files.open(path, purpose, options);
      const found = await findPath(context, reference);
      if (found?.name === undefined) return openLogReader(context, { tenant, id: found?.sessionId ?? reference });
      return createBytesReader(await readWhole(context, path, reference));
    },
  };
}

async function readInfo(context: RowContext, reference: string): Promise<FileInfo | undefined> {
  const found = await findPath(context, reference);
  if (!found) return undefined;
  if (found.name === undefined) return { kind: 'file', size: found.size, modifiedMs: found.modifiedMs, mode: 0o600 };
  const { database, tenant } = context;
  const { sessionId, name, modifiedMs } = found;
  return database.tenantTransaction(tenant, async (connection): Promise<FileInfo | undefined> => {
    const [file] = await connection.query<Omit<LogRow, 'id'>>(FIND_FILE, [tenant, sessionId, name]);
    if (file) return { kind: 'file', size: file.size, modifiedMs: file.modifiedMs, mode: 0o600 };
    const [first] = await connection.query(FIND_DIRECTORY, [tenant, sessionId, `${name}/`]);
    return first && { kind: 'directory', size: 0, modifiedMs, mode: 0o700 };
  });
}

/** Ids of sessions can contain slashes. The longest id counts. */
async function findPath(
  { database, tenant }: RowContext,
  reference: string,
): Promise<(StoredPath & Omit<LogRow, 'id'>) | undefined> {
  const ids = [reference];
  for (let at = reference.lastIndexOf('/'); at > 0; at = reference.lastIndexOf('/', at - 1))
    ids.push(reference.slice(0, at));
  const [row] = await database.tenantTransaction(tenant, (connection) =>
    connection.query<LogRow>(FIND_LOG, [tenant, ids]),
  );
  if (!row) return undefined;
  const { id: sessionId, ...facts } = row;
  if (sessionId === reference) return { sessionId, ...facts };
  const name = reference.slice(sessionId.length + 1);
  // Names that begin with a slash are not in the directory of the open session.
  const isBlob = name === BLOBS || name.startsWith(`${BLOBS}/`);
  return { sessionId, name: isBlob ? `/${name}` : name, ...facts };
}

async function readWhole(context: RowContext, path: string, reference: string): Promise<Buffer> {
  const found = await findPath(context, reference);
  const bytes = found?.name === undefined ? undefined : await readStoredBytes(context, found.sessionId, found.name);
  if (!bytes) throw Object.assign(new Error(`ENOENT: no such file: ${path}`), { code: 'ENOENT' });
  return bytes;
}

function createBytesReader(bytes: Buffer): OpenFile {
  const size = bytes.length;
  return {
    size: async () => size,
    version: async () => ({ size, versionTag: String(size), changedMs: 0 }),
    read: async (position, length) => bytes.subarray(position, position + length),
    readSync: (position, length) => bytes.subarray(position, position + length),
    append: async () => rejectChange(),
    sync: async () => {},
    truncate: async () => rejectChange(),
    restrictToOwner: async () => {},
    close: async () => {},
  };
}

function rejectChange(): never {
  throw new Error('a file of a session in a database can only be read');
}
