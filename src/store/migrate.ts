// The store's translation of old files: the whole log in version 3, beside a whole copy of what it was. The file itself is
// only ever replaced, in one step, when both are on the disk.
import { toJson } from '../base/json.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';
import type { LogDamage } from '../contracts/store.ts';
import { SESSION_VERSION } from '../protocol/entry.ts';
import { removeIfThere, syncFolder, writeWhole } from './disk.ts';
import { type HeaderFound, headerOf } from './header.ts';
import { piece, STEP } from './line.ts';
import { linesForward } from './lines-forward.ts';
import { backupFile, folderOf } from './places.ts';
import { tailOf } from './tail.ts';
import { createUpgrade } from './upgrade.ts';

/** To be called by the holder of the lock. Tells what of the old file could not be read; the copy still has it. */
export async function migrate(files: Files, file: string): Promise<readonly LogDamage[]> {
  const old = await files.open(file, 'read');
  try {
    const found = await headerOf(old, file);
    const size = await old.size();
    const tail = await tailOf(old, found.end, size);
    const damage: LogDamage[] = tail.damage ? [tail.damage] : [];
    const translation = (target: OpenFile) => translate(old, found, tail.good, target, damage);
    const fresh = await writeFile(files, `${file}.migrating`, translation);
    const copy = await writeFile(files, `${file}.copying`, (target) => copyOf(old, size, target));
    await files.rename(copy, await freeBackup(files, file, found.version));
    await files.rename(fresh, file);
    await syncFolder(files, folderOf(file));
    return damage;
  } finally {
    await old.close().catch(() => {});
  }
}

/** Leaves nothing behind when it fails. What an earlier crash left goes first: only the holder of the lock writes here. */
async function writeFile(files: Files, path: string, fill: (target: OpenFile) => Promise<void>): Promise<string> {
  await removeIfThere(files, path);
  const target = await files.open(path, 'create', { mode: 0o600 });
  try {
    await fill(target);
    await target.sync();
    await target.close();
    return path;
  } catch (error) {
    await target.close().catch(() => {});
    await removeIfThere(files, path).catch(() => {});
    throw error;
  }
}

async function translate(
  old: OpenFile,
  { header, version: oldVersion, end }: HeaderFound,
  size: number,
  target: OpenFile,
  damage: LogDamage[],
): Promise<void> {
  const upgrade = createUpgrade(oldVersion);
  const { type, version: _old, ...rest } = header;
  await writeWhole(target, Buffer.from(`${toJson({ type, version: SESSION_VERSION, ...rest })}\n`));
  for await (const batch of linesForward(old, end, size)) {
    const lines: (Buffer | string)[] = [];
    for (const line of batch) {
      const outcome = upgrade(line);
      if (outcome.line !== undefined) lines.push(outcome.line, '\n');
      if (outcome.problem !== undefined) damage.push({ offset: line.start, message: outcome.problem });
    }
    await writeWhole(target, Buffer.concat(lines.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));
  }
}

async function copyOf(old: OpenFile, size: number, target: OpenFile): Promise<void> {
  for (let at = 0; at < size; at += STEP) {
    await writeWhole(target, await piece(old, at, Math.min(STEP, size - at)));
  }
}

async function freeBackup(files: Files, file: string, version: number): Promise<string> {
  for (let n = 1; ; n += 1) {
    const path = backupFile(file, version, n);
    if (!(await files.info(path, { follow: false }))) return path;
  }
}
