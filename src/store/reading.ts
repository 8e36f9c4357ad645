// The store's two readings of a log that goes on: the way back through it, or what was remembered of it and the way back
// when somebody asks. Must not know how the file was opened, or what is done with it next.
import { Fault, messageOf } from '../base/fault.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';
import type { EntryOnPath, LogDamage, Remembered, ResumedSession } from '../contracts/store.ts';
import type { SessionEntry } from '../protocol/entry.ts';
import { earlyDamage } from './early-damage.ts';
import { imagesFolder, mentionsImage, withImages, withoutImages } from './images.ts';
import { substitutesFor } from './lost-parents.ts';
import { findName } from './session-name.ts';
import { readAll } from './unread.ts';
import { type Way, walkBack, walkBackNow } from './walk-back.ts';

export interface Reading extends Pick<ResumedSession, 'sketch' | 'path' | 'leafId' | 'name' | 'damage'> {
  /** Whether pictures in it lie elsewhere: what they are then is not in the log. */
  readonly hasImages: boolean;
}

/** A log from the end of its header to the end of its last entry. */
interface Log {
  readonly file: string;
  readonly target: OpenFile;
  readonly from: number;
  readonly end: number;
}

export async function readLog(
  files: Files,
  log: Log,
  { damage, title }: { damage: readonly LogDamage[]; title: string | undefined },
): Promise<Reading> {
  const way = await wayBack(log);
  const early = await earlyDamage(log.target, log.from, way.seenFrom);
  const sketch = await withStoredImages(files, log.file, way.path);
  let path: readonly SessionEntry[] | undefined;
  return {
    sketch,
    get path() {
      path ??= withoutImages(readAll(sketch));
      return path;
    },
    leafId: sketch.at(-1)?.id ?? null,
    name: way.name ? way.name.name : ((await findName(log.target, log.from, way.seenFrom)) ?? title),
    get damage() {
      return [...damage, ...early, ...way.damage];
    },
    get hasImages() {
      return way.path.some(mentionsImage);
    },
  };
}

/** Only logs in which all was well are remembered. */
export function recall(log: Log, { leafId, name, digest }: Remembered): Reading {
  let way: Way | undefined;
  let path: readonly SessionEntry[] | undefined;
  return {
    sketch: [digest],
    get path() {
      way ??= knownWay(log, leafId);
      path ??= withoutImages(readAll(way.path));
      return path;
    },
    leafId,
    name,
    get damage() {
      return way?.damage ?? [];
    },
    hasImages: false,
  };
}

function knownWay(log: Log, leafId: string): Way {
  try {
    const way = walkBackNow(log.target, log);
    if (!way.lost && way.path.at(-1)?.id === leafId) return way;
  } catch (cause) {
    throw new Fault('storage', `Cannot read session file ${log.file}: ${messageOf(cause)}`, { cause });
  }
  throw new Fault('storage', `Session file ${log.file} was changed by another program. Open it again.`);
}

async function wayBack({ target, from, end }: Log): Promise<Way> {
  const way = await walkBack(target, { from, end });
  if (!way.lost) return way;
  return walkBack(target, { from, end, substitutes: await substitutesFor(target, from, end) });
}

/** Pictures that lie beside the sessions are fetched now: nobody waits for a disk later. */
async function withStoredImages(
  files: Files,
  file: string,
  path: readonly EntryOnPath[],
): Promise<readonly EntryOnPath[]> {
  if (!(await files.info(imagesFolder(file)))) return path;
  const read = path.flatMap((entry) =>
    entry.type === 'unread' && mentionsImage(entry) ? (entry.read() ?? []) : entry,
  );
  return withImages(files, file, read);
}
