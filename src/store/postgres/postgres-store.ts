// A session store in PostgreSQL. The lines of a log are the same as in a session file; each is a row.
import { Fault, getErrorMessage } from '../../base/fault.ts';
import { toJson } from '../../base/json.ts';
import type { Database } from '../../contracts/database.ts';
import type { Clock, Files, IdGenerator } from '../../contracts/ports.ts';
import type { ProcessIdentity } from '../../contracts/process-identity.ts';
import type { RunListener } from '../../contracts/run-workflows.ts';
import type { ResumedSession, SessionLog, SessionStore } from '../../contracts/session-store.ts';
import { SESSION_VERSION, type SessionHeader } from '../../protocol/session-entry.ts';
import { createJsonlLog } from '../jsonl-log.ts';
import { readTail } from '../log-tail.ts';
import { readLog } from '../read-log.ts';
import { readSession } from '../read-session.ts';
import { getTitle, readHeader } from '../session-header.ts';
import { formatIdForFileName } from '../session-paths.ts';
import type { ContentCipher } from './content-cipher.ts';
import type { SessionKey } from './entry-rows.ts';
import { createLogFiles } from './log-files.ts';
import { createLogReader } from './log-reader.ts';
import { decodeDetails, summarizeHeader } from './session-details.ts';
import { SessionHolder, type TakenSession } from './session-holder.ts';
import { formatReference } from './session-reference.ts';
import { findLatest, findSession, listSessions, locateSession, removeSession } from './session-rows.ts';
import { type NewSession, type OpenedSession, SessionWriter } from './session-writer.ts';
import { StoredDirectory } from './stored-directory.ts';

/** What all stores of a process share. */
export interface PostgresStorage {
  readonly database: Database;
  readonly cipher: ContentCipher;
  readonly holder: SessionHolder;
  readonly tenant: string;
  readonly files: Files;
  readonly clock: Clock;
  /** Local directories of open sessions are created here. */
  readonly filesDirectory: string;
  /** How long an append waits for a database that cannot be reached. */
  readonly retryMs: number;
  /** Set by a process that continues the runs of others. */
  runListener?: RunListener | undefined;
}

export interface PostgresStorageOptions extends Omit<PostgresStorage, 'holder' | 'filesDirectory'> {
  /** Each process has its own directory in it, because a process that was suspended may write to its files later. */
  readonly filesParent: string;
  readonly ids: Pick<IdGenerator, 'uuid'>;
  readonly identity: ProcessIdentity;
  /** After this time without renewal, other processes can take the sessions of this one. */
  readonly leaseMs: number;
}

/** A log is written in whole lines that were read before, so no digest is needed. */
const NO_DIGEST = Number.POSITIVE_INFINITY;

export function createPostgresStorage(options: PostgresStorageOptions): PostgresStorage {
  const { ids, identity, leaseMs, filesParent, ...shared } = options;
  const { database, clock } = options;
  const onLost = (tenant: string, sessionId: string) => storage.runListener?.onLost({ tenant, sessionId });
  const holder = new SessionHolder({ database, clock, ids, identity, leaseMs, onLost });
  const storage: PostgresStorage = { ...shared, holder, filesDirectory: `${filesParent}/${holder.id}` };
  return storage;
}

/** `cwd` is the working directory whose newest session `findLatest` returns, and whose sessions `list` returns; all if absent. */
export function createPostgresStore(storage: PostgresStorage, cwd?: string): SessionStore {
  const { tenant } = storage;
  const logFiles = createLogFiles(storage);
  return {
    create(header, file, directory) {
      if (file !== undefined || directory !== undefined) throw createNoFilesFault(file ?? directory ?? '');
      const key = { tenant, id: header.id };
      return openLog(storage, key, createNewSession(header));
    },
    resume: async (reference) => resumeSession(storage, logFiles, await locateSession(storage, reference)),
    read: (reference) => readSession(logFiles, reference),
    locate: async (reference) => formatReference(await locateSession(storage, reference)),
    find: (id) => findSession(storage, id, cwd),
    findLatest: async (directory) => findLatest(storage, directory ?? cwd),
    list: () => listSessions(storage, cwd),
    remove: async (reference) => removeSession(storage, await locateSession(storage, reference)),
  };
}

function createNoFilesFault(path: string): Fault {
  return new Fault('refused', `Sessions are stored in a database, so none can be created in ${path}.`);
}

function createNewSession(header: SessionHeader): NewSession {
  const createdMs = Date.parse(header.timestamp) || 0;
  return {
    header: Buffer.from(`${toJson(header)}\n`),
    ...{ cwd: header.cwd, createdMs, summary: summarizeHeader(header) },
  };
}

async function resumeSession(storage: PostgresStorage, logFiles: Files, id: string): Promise<ResumedSession> {
  const { holder, cipher, tenant } = storage;
  const key = { tenant, id };
  const taken = await holder.take(tenant, id);
  try {
    const { token, endPosition: end, messages, cost, interrupted } = taken;
    const details = decodeDetails(cipher, key, { bytes: taken.details, keyId: taken.detailsKey });
    const summary = { messages, cost, interrupted, details };
    const resumed = await readResumed(storage, logFiles, key, taken, { token, end, summary });
    if (taken.isRunOfNode) storage.runListener?.onTaken({ tenant, sessionId: id });
    return resumed;
  } catch (cause) {
    await holder.release(tenant, id, taken.token);
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot open session ${formatReference(id)}: ${getErrorMessage(cause)}`, { cause });
  }
}

async function readResumed(
  storage: PostgresStorage,
  logFiles: Files,
  key: SessionKey,
  head: TakenSession,
  opened: Omit<OpenedSession, 'headerLength'>,
): Promise<ResumedSession> {
  const reference = formatReference(key.id);
  const target = createLogReader(storage, key, head);
  const { header, version, end: from } = await readHeader(target, reference);
  if (version !== SESSION_VERSION)
    throw new Fault('refused', `Session ${reference} has the old format ${version}. Export it, and import it again.`);
  const size = await target.size();
  const tail = await readTail(target, from, size);
  const range = { file: reference, target, from, end: tail.validEnd };
  const damage = tail.damage ? [tail.damage] : [];
  // The name is stored with the session, so no lines are searched for it.
  const findEarlierName = async () => opened.summary.details.name;
  const contents = await readLog(logFiles, range, { damage, title: getTitle(header), findEarlierName });
  // An incomplete line of an imported log is kept. Readers skip it.
  const lacksFinalNewline = tail.lacksFinalNewline || tail.validEnd < size;
  return {
    header,
    log: openLog(storage, key, { ...opened, headerLength: from, lacksFinalNewline }),
    lazyPath: contents.lazyPath,
    leafId: contents.leafId,
    name: contents.name,
    get path() {
      return contents.path;
    },
    get damage() {
      return contents.damage;
    },
  };
}

function openLog(storage: PostgresStorage, session: SessionKey, state: NewSession | OpenedSession): SessionLog {
  const { database, cipher, files, clock, holder, filesDirectory, retryMs } = storage;
  const directory: StoredDirectory = new StoredDirectory({
    ...{ database, cipher, files, clock, session },
    path: `${filesDirectory}/${formatIdForFileName(session.id)}`,
    isNew: 'header' in state,
    getToken: () => writer.token,
  });
  const writer: SessionWriter = new SessionWriter(
    {
      database,
      cipher,
      clock,
      holder,
      session,
      retryMs,
      saveFiles: () => directory.save(),
      getRunListener: () => storage.runListener,
    },
    state,
  );
  const reference = formatReference(session.id);
  const logFiles = createLogFiles(storage);
  const log = createJsonlLog({
    ...{ files: logFiles, clock, file: reference, target: writer, directory, digestMinBytes: NO_DIGEST },
  });
  let closing: Promise<void> | undefined;
  return {
    ...log,
    canBeTakenOver: true,
    close() {
      closing ??= directory
        .save()
        .catch(() => {})
        .then(() => log.close())
        .then(() => directory.removeLocal());
      return closing;
    },
  };
}
