// Opens a session for continuing: checks the header, takes the lock, migrates old formats and reads the path.
import { Fault, getErrorMessage } from '../base/fault.ts';
import type { Clock, Files, FileVersion, OpenFile } from '../contracts/ports.ts';
import type { LogDamage, ResumedSession } from '../contracts/session-store.ts';
import { SESSION_VERSION } from '../protocol/session-entry.ts';
import { resumeBlockFile } from './block-file.ts';
import { readDigest } from './digest-file.ts';
import { createJsonlLog } from './jsonl-log.ts';
import { type LogTail, readTail } from './log-tail.ts';
import { migrateSession } from './migrate-session.ts';
import { readFromDigest, readLog } from './read-log.ts';
import { getTitle, type ParsedHeader, readHeader, resolveSessionPath } from './session-header.ts';
import type { Lock, SessionLocks } from './session-lock.ts';

interface ResumeOptions {
  readonly files: Files;
  readonly clock: Clock;
  readonly locks: SessionLocks;
  readonly digestMinBytes?: number | undefined;
}

export async function resumeSession(options: ResumeOptions, path: string): Promise<ResumedSession> {
  const { files, locks } = options;
  try {
    const file = await resolveSessionPath(files, path);
    // Before the lock, so that no lock file is created next to a file that is not a session.
    await readHeaderOnly(files, file);
    const lock = await locks.acquire(file);
    try {
      return await resumeLocked(options, file, lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot open session file ${path}: ${getErrorMessage(cause)}`, { cause });
  }
}

/** Reads the header and closes the file. */
async function readHeaderOnly(files: Files, file: string): Promise<ParsedHeader> {
  const reader = await files.open(file, 'read');
  try {
    return await readHeader(reader, file);
  } finally {
    await reader.close().catch(() => {});
  }
}

async function resumeLocked(options: ResumeOptions, file: string, lock: Lock): Promise<ResumedSession> {
  const { files } = options;
  const { version, header } = await readHeaderOnly(files, file);
  if (header.movedFrom !== undefined)
    await (await import('./move-session.ts')).completeMove(files, file, header.movedFrom);
  const migrationDamage = version < SESSION_VERSION ? await migrateSession(files, file) : [];
  const target = await files.open(file, 'append', { mode: 0o600 });
  try {
    return await openResumedLog(options, { file, target, lock }, migrationDamage);
  } catch (error) {
    await target.close().catch(() => {});
    throw error;
  }
}

async function openResumedLog(
  { files, clock, digestMinBytes }: ResumeOptions,
  { file, target, lock }: { file: string; target: OpenFile; lock: Lock },
  migrationDamage: readonly LogDamage[],
): Promise<ResumedSession> {
  const { header, end: from } = await readHeader(target, file);
  const knownVersion = await target.version();
  const tail = await readTail(target, from, knownVersion.size);
  const logRange = { file, target, from, end: tail.validEnd };
  const digestRecord = isComplete(tail, knownVersion) ? await readDigest(files, file, knownVersion) : undefined;
  const damage = [...migrationDamage, ...(tail.damage ? [tail.damage] : [])];
  const contents = digestRecord
    ? readFromDigest(logRange, digestRecord)
    : await readLog(files, logRange, { damage, title: getTitle(header) });
  const blockFile = resumeBlockFile(files, file, { target, lock, tail, knownVersion });
  const isIntact = () => contents.damage.length === 0 && !contents.hasImages;
  return {
    header,
    log: createJsonlLog({ files, clock, file, target: blockFile, digestMinBytes, isIntact }),
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

function isComplete({ validEnd, lacksFinalNewline }: LogTail, { size }: FileVersion): boolean {
  return validEnd === size && !lacksFinalNewline;
}
