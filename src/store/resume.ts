// The store's way into a conversation that goes on: check, lock, look at both ends, walk back. Writes nothing itself.
import { Fault, messageOf } from '../base/fault.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';
import type { LogDamage, ResumedSession, SketchedEntry } from '../contracts/store.ts';
import { SESSION_VERSION, type SessionEntry } from '../protocol/entry.ts';
import { type HeaderFound, headerOf, sessionPath, titleIn } from './header.ts';
import { imagesFolder, withImages, withoutImages } from './images.ts';
import { resumedBlockFile } from './jsonl-file.ts';
import { createJsonlLog } from './jsonl-log.ts';
import type { Lock, Locks } from './lock.ts';
import { substitutesFor } from './lost-parents.ts';
import { migrate } from './migrate.ts';
import { findName } from './session-name.ts';
import { type Tail, tailOf } from './tail.ts';
import { readAll } from './unread.ts';
import { type Way, walkBack } from './walk-back.ts';

export async function resumeSession(files: Files, locks: Locks, path: string): Promise<ResumedSession> {
  try {
    const file = await sessionPath(files, path);
    // Before the lock, so that nothing is ever written beside a file that is not a session.
    await look(files, file);
    const lock = await locks.take(file);
    try {
      return await resumeLocked(files, file, lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot open session file ${path}: ${messageOf(cause)}`, { cause });
  }
}

/** The header of a file that is left alone otherwise. */
async function look(files: Files, file: string): Promise<HeaderFound> {
  const reader = await files.open(file, 'read');
  try {
    return await headerOf(reader, file);
  } finally {
    await reader.close().catch(() => {});
  }
}

async function resumeLocked(files: Files, file: string, lock: Lock): Promise<ResumedSession> {
  const { version } = await look(files, file);
  const lost = version < SESSION_VERSION ? await migrate(files, file) : [];
  const target = await files.open(file, 'append', { mode: 0o600 });
  try {
    return await readBack(files, file, { target, lock }, lost);
  } catch (error) {
    await target.close().catch(() => {});
    throw error;
  }
}

async function readBack(
  files: Files,
  file: string,
  { target, lock }: { target: OpenFile; lock: Lock },
  lost: readonly LogDamage[],
): Promise<ResumedSession> {
  const { header, end: from } = await headerOf(target, file);
  const size = await target.size();
  const tail = await tailOf(target, from, size);
  const way = await wayBack(target, from, tail);
  const sketch = await withStoredImages(files, file, way.path);
  const damage = [...lost, ...(tail.damage ? [tail.damage] : [])];
  let path: readonly SessionEntry[] | undefined;
  return {
    header,
    log: createJsonlLog({ files, file, target: resumedBlockFile(files, file, { target, lock, tail, size }) }),
    sketch,
    get path() {
      path ??= withoutImages(readAll(sketch));
      return path;
    },
    leafId: sketch.at(-1)?.id ?? null,
    name: way.name ? way.name.name : ((await findName(target, from, way.seenFrom)) ?? titleIn(header)),
    get damage() {
      return [...damage, ...way.damage];
    },
  };
}

/** Pictures that lie beside the sessions are fetched now: nobody waits for a disk later. */
async function withStoredImages(
  files: Files,
  file: string,
  sketch: readonly SketchedEntry[],
): Promise<readonly SketchedEntry[]> {
  if (!(await files.info(imagesFolder(file)))) return sketch;
  return withImages(files, file, readAll(sketch));
}

async function wayBack(file: OpenFile, from: number, { good: end }: Tail): Promise<Way> {
  const way = await walkBack(file, { from, end });
  if (!way.lost) return way;
  return walkBack(file, { from, end, substitutes: await substitutesFor(file, from, end) });
}
