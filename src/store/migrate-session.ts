// Migrates a session file to version 3. Writes the new log and a backup of the old file first, and replaces the file by a
// rename when both are on disk.
import { toJson } from '../base/json.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';
import type { LogDamage } from '../contracts/session-store.ts';
import { SESSION_VERSION } from '../protocol/session-entry.ts';
import { removeIfExists, syncDirectory, writeFully } from '../support/file-operations.ts';
import { readTail } from './log-tail.ts';
import { CHUNK_BYTES, readChunk } from './raw-line.ts';
import { readLinesForward } from './read-lines-forward.ts';
import { type ParsedHeader, readHeader } from './session-header.ts';
import { getBackupPath, getParentDirectory } from './session-paths.ts';
import { createLineUpgrader } from './upgrade-line.ts';

/** Call only while holding the lock. Returns what could not be read; the backup still contains it. */
export async function migrateSession(files: Files, file: string): Promise<readonly LogDamage[]> {
  const old = await files.open(file, 'read');
  try {
    const found = await readHeader(old, file);
    const size = await old.size();
    const tail = await readTail(old, found.end, size);
    const damage: LogDamage[] = tail.damage ? [tail.damage] : [];
    const writeUpgraded = (target: OpenFile) => writeUpgradedLog(old, found, tail.validEnd, target, damage);
    const upgraded = await writeNewFile(files, `${file}.migrating`, writeUpgraded);
    const backup = await writeNewFile(files, `${file}.copying`, (target) => copyLog(old, size, target));
    await files.rename(backup, await findFreeBackupPath(files, file, found.version));
    await files.rename(upgraded, file);
    await syncDirectory(files, getParentDirectory(file));
    return damage;
  } finally {
    await old.close().catch(() => {});
  }
}

/** Removes the file when it fails. Removes leftovers of a crash first, which is safe while holding the lock. */
async function writeNewFile(files: Files, path: string, fill: (target: OpenFile) => Promise<void>): Promise<string> {
  await removeIfExists(files, path);
  const target = await files.open(path, 'create', { mode: 0o600 });
  try {
    await fill(target);
    await target.sync();
    await target.close();
    return path;
  } catch (error) {
    await target.close().catch(() => {});
    await removeIfExists(files, path).catch(() => {});
    throw error;
  }
}

async function writeUpgradedLog(
  old: OpenFile,
  found: ParsedHeader,
  end: number,
  target: OpenFile,
  damage: LogDamage[],
): Promise<void> {
  for await (const lines of upgradeLog(old, found, end, damage)) await writeFully(target, lines);
}

/** Yields the header line in the current version, then blocks of whole lines. Adds what could not be read to `damage`. */
export async function* upgradeLog(
  old: OpenFile,
  { header, version, end: from }: ParsedHeader,
  end: number,
  damage: LogDamage[],
): AsyncGenerator<Buffer> {
  const upgrade = createLineUpgrader(version);
  const { type, version: _old, ...rest } = header;
  yield Buffer.from(`${toJson({ type, version: SESSION_VERSION, ...rest })}\n`);
  for await (const batch of readLinesForward(old, from, end)) {
    const lines: (Buffer | string)[] = [];
    for (const line of batch) {
      const outcome = upgrade(line);
      if (outcome.line !== undefined) lines.push(outcome.line, '\n');
      if (outcome.problem !== undefined) damage.push({ offset: line.start, message: outcome.problem });
    }
    yield Buffer.concat(lines.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  }
}

async function copyLog(old: OpenFile, size: number, target: OpenFile): Promise<void> {
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    await writeFully(target, await readChunk(old, at, Math.min(CHUNK_BYTES, size - at)));
  }
}

async function findFreeBackupPath(files: Files, file: string, version: number): Promise<string> {
  for (let n = 1; ; n += 1) {
    const path = getBackupPath(file, version, n);
    if (!(await files.info(path, { follow: false }))) return path;
  }
}
