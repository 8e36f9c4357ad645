// The store's note beside a long log: what its last owner knew of exactly this version of it. Only saves work: it may be thrown
// away at any time, and whatever is not right about it counts as nothing. Must not know what a digest is good for.
import { fnv1a } from '../base/fnv.ts';
import { isRecord } from '../base/json.ts';
import type { Clock, Files, FileVersion } from '../contracts/ports.ts';
import type { Digest, Remembered } from '../contracts/store.ts';
import { removeIfThere, writeWhole } from './disk.ts';
import { readLine } from './entry-line.ts';
import type { BlockFile } from './jsonl-file.ts';
import { linesBackward } from './lines-backward.ts';
import { digestFile } from './places.ts';

const FORMAT = 1;
const LONGEST = 64 * 1024;
/** Longer than one tick of the clock by which a system dates changes: ten milliseconds where it is slow. */
const SETTLED_MS = 20;

interface Owned {
  readonly files: Files;
  readonly clock: Clock;
  readonly file: string;
  readonly target: BlockFile;
}

/** What was remembered of exactly this version of the log. */
export async function readDigest(files: Files, file: string, { mark }: FileVersion): Promise<Remembered | undefined> {
  try {
    const path = digestFile(file);
    const info = await files.info(path, { follow: false });
    // Reading a pipe would hold everything up.
    if (info?.kind !== 'file' || info.size > LONGEST) return undefined;
    return understood(Buffer.from(await files.read(path)).toString('utf8'), mark);
  } catch {
    return undefined;
  }
}

/** To be called by the holder of the lock. Never rejects: without the note the next one only takes longer. */
export async function writeDigest(owned: Owned, about: () => Promise<Remembered | undefined>): Promise<void> {
  try {
    const { files, file } = owned;
    const version = await settled(owned);
    if (!version || (await readDigest(files, file, version))) return;
    const known = await about();
    if (!known || (await lastId(files, file, version)) !== known.leafId) return;
    const text = JSON.stringify({ format: FORMAT, mark: version.mark, ...known });
    await write(files, digestFile(file), Buffer.from(`${check(text)} ${text}\n`));
  } catch {
    // See above.
  }
}

/** A log that changed just now could change again without anybody seeing it. */
async function settled({ target, clock }: Owned): Promise<FileVersion | undefined> {
  const version = await target.version();
  const age = version ? clock.now() - version.changedMs : -1;
  if (age >= SETTLED_MS) return version;
  // By this clock it will be changed in the future: nobody knows when that is.
  if (age < 0) return undefined;
  await clock.sleep(SETTLED_MS - age);
  const later = await target.version();
  return later?.mark === version?.mark ? later : undefined;
}

/** The entry that whoever opens the file now finds at its end; `undefined` when it is not this version. */
async function lastId(files: Files, file: string, { mark, size }: FileVersion): Promise<string | undefined> {
  const reader = await files.open(file, 'read');
  try {
    if ((await reader.version()).mark !== mark) return undefined;
    const [last] = (await linesBackward(reader, 0, size).next()) ?? [];
    return last && readLine(last).entry?.id;
  } finally {
    await reader.close().catch(() => {});
  }
}

/** A new file each time: a link of this name leads somewhere that is none of ours. */
async function write(files: Files, path: string, bytes: Uint8Array): Promise<void> {
  await removeIfThere(files, path);
  const file = await files.open(path, 'create', { mode: 0o600 });
  try {
    await writeWhole(file, bytes);
  } finally {
    await file.close();
  }
}

function understood(text: string, mark: string): Remembered | undefined {
  const at = text.indexOf(' ');
  const said = text.slice(at + 1, -1);
  if (!text.endsWith('\n') || text.slice(0, at) !== check(said)) return undefined;
  const value: unknown = JSON.parse(said);
  if (!isRecord(value) || value.format !== FORMAT || value.mark !== mark) return undefined;
  const { leafId, name, digest } = value;
  if (typeof leafId !== 'string' || !isDigest(digest)) return undefined;
  return { leafId, digest, ...(typeof name === 'string' ? { name } : {}) };
}

function isDigest(value: unknown): value is Digest {
  return isRecord(value) && value.type === 'digest' && Number.isSafeInteger(value.messages);
}

function check(text: string): string {
  return fnv1a(text).toString(16).padStart(8, '0');
}
