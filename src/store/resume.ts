// The store's way into a conversation that goes on: check, lock, look at both ends, walk back. Writes nothing itself.
import { Fault, messageOf } from '../base/fault.ts';
import type { Clock, Files, FileVersion, OpenFile } from '../contracts/ports.ts';
import type { LogDamage, ResumedSession } from '../contracts/store.ts';
import { SESSION_VERSION } from '../protocol/entry.ts';
import { readDigest } from './digest-file.ts';
import { type HeaderFound, headerOf, sessionPath, titleIn } from './header.ts';
import { resumedBlockFile } from './jsonl-file.ts';
import { createJsonlLog } from './jsonl-log.ts';
import type { Lock, Locks } from './lock.ts';
import { migrate } from './migrate.ts';
import { readLog, recall } from './reading.ts';
import { type Tail, tailOf } from './tail.ts';

interface ResumeRoom {
  readonly files: Files;
  readonly clock: Clock;
  readonly locks: Locks;
  readonly longBytes?: number | undefined;
}

export async function resumeSession(room: ResumeRoom, path: string): Promise<ResumedSession> {
  const { files, locks } = room;
  try {
    const file = await sessionPath(files, path);
    // Before the lock, so that nothing is ever written beside a file that is not a session.
    await look(files, file);
    const lock = await locks.take(file);
    try {
      return await resumeLocked(room, file, lock);
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

async function resumeLocked(room: ResumeRoom, file: string, lock: Lock): Promise<ResumedSession> {
  const { files } = room;
  const { version } = await look(files, file);
  const lost = version < SESSION_VERSION ? await migrate(files, file) : [];
  const target = await files.open(file, 'append', { mode: 0o600 });
  try {
    return await readBack(room, { file, target, lock }, lost);
  } catch (error) {
    await target.close().catch(() => {});
    throw error;
  }
}

async function readBack(
  { files, clock, longBytes }: ResumeRoom,
  { file, target, lock }: { file: string; target: OpenFile; lock: Lock },
  lost: readonly LogDamage[],
): Promise<ResumedSession> {
  const { header, end: from } = await headerOf(target, file);
  const seen = await target.version();
  const tail = await tailOf(target, from, seen.size);
  const whole = { file, target, from, end: tail.good };
  const known = isWhole(tail, seen) ? await readDigest(files, file, seen) : undefined;
  const damage = [...lost, ...(tail.damage ? [tail.damage] : [])];
  const reading = known ? recall(whole, known) : await readLog(files, whole, { damage, title: titleIn(header) });
  const block = resumedBlockFile(files, file, { target, lock, tail, seen });
  const isSound = () => reading.damage.length === 0 && !reading.hasImages;
  return {
    header,
    log: createJsonlLog({ files, clock, file, target: block, longBytes, isSound }),
    sketch: reading.sketch,
    leafId: reading.leafId,
    name: reading.name,
    get path() {
      return reading.path;
    },
    get damage() {
      return reading.damage;
    },
  };
}

function isWhole({ good, unterminated }: Tail, { size }: FileVersion): boolean {
  return good === size && !unterminated;
}
