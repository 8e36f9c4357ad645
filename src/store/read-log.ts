// Reads a log that is resumed: back from its end, or from its digest. With a digest, the path is read when it is first used.

import { Fault, getErrorMessage } from '../base/fault.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';
import type { DigestRecord, LogDamage, PathEntry, ResumedSession } from '../contracts/session-store.ts';
import type { SessionEntry } from '../protocol/session-entry.ts';
import { getBlobsDirectory, hasImageReference, loadImages, replaceMissingImages } from './blob-images.ts';
import { parseHead, parseLine } from './entry-line.ts';
import { findLineEnds, isBlankLine, readChunk } from './raw-line.ts';
import { type PathResult, readPath, readPathSync } from './read-path.ts';
import { findName } from './session-name.ts';
import { findSubstituteParents } from './substitute-parents.ts';
import { readAllEntries } from './unread-line.ts';

export interface LogContents extends Pick<ResumedSession, 'lazyPath' | 'path' | 'leafId' | 'name' | 'damage'> {
  /** Whether images are stored outside of the log. Their content is then not part of the log. */
  readonly hasImages: boolean;
}

/** The entries of a log: from the end of the header to the end of the last entry. */
interface LogRange {
  readonly file: string;
  readonly target: OpenFile;
  readonly from: number;
  readonly end: number;
}

export async function readLog(
  files: Files,
  log: LogRange,
  {
    damage,
    title,
    findEarlierName = (end) => findName(log.target, log.from, end),
  }: {
    damage: readonly LogDamage[];
    title: string | undefined;
    /** Finds the name that the lines before `end` give. */
    findEarlierName?: (end: number) => Promise<string | undefined>;
  },
): Promise<LogContents> {
  const pathResult = await readPathRepaired(log);
  const earlyDamage = await findEarlyDamage(log.target, log.from, pathResult.scannedFrom);
  const lazyPath = await loadStoredImages(files, log.file, pathResult.path);
  let path: readonly SessionEntry[] | undefined;
  return {
    lazyPath,
    get path() {
      path ??= replaceMissingImages(readAllEntries(lazyPath));
      return path;
    },
    leafId: lazyPath.at(-1)?.id ?? null,
    name: pathResult.name ? pathResult.name.name : ((await findEarlierName(pathResult.scannedFrom)) ?? title),
    get damage() {
      return [...damage, ...earlyDamage, ...pathResult.damage];
    },
    get hasImages() {
      return pathResult.path.some(hasImageReference);
    },
  };
}

/** A digest is written only for logs without damage. */
export function readFromDigest(log: LogRange, { leafId, name, digest }: DigestRecord): LogContents {
  let pathResult: PathResult | undefined;
  let path: readonly SessionEntry[] | undefined;
  return {
    lazyPath: [digest],
    get path() {
      pathResult ??= readKnownPathSync(log, leafId);
      path ??= replaceMissingImages(readAllEntries(pathResult.path));
      return path;
    },
    leafId,
    name,
    get damage() {
      return pathResult?.damage ?? [];
    },
    hasImages: false,
  };
}

function readKnownPathSync(log: LogRange, leafId: string): PathResult {
  try {
    const pathResult = readPathSync(log.target, log);
    if (!pathResult.isBroken && pathResult.path.at(-1)?.id === leafId) return pathResult;
  } catch (cause) {
    throw new Fault('storage', `Cannot read session file ${log.file}: ${getErrorMessage(cause)}`, { cause });
  }
  throw new Fault('storage', `Session file ${log.file} was changed by another program. Open it again.`);
}

async function readPathRepaired({ target, from, end }: LogRange): Promise<PathResult> {
  const pathResult = await readPath(target, { from, end });
  if (!pathResult.isBroken) return pathResult;
  return readPath(target, { from, end, substitutes: await findSubstituteParents(target, from, end) });
}

/** Loads the stored images now, because the path is later read synchronously. */
async function loadStoredImages(files: Files, file: string, path: readonly PathEntry[]): Promise<readonly PathEntry[]> {
  if (!(await files.info(getBlobsDirectory(file)))) return path;
  const read = path.flatMap((entry) =>
    entry.type === 'unread' && hasImageReference(entry) ? (entry.read() ?? []) : entry,
  );
  return loadImages(files, file, read);
}

/** Limits the cost: reading all lines would take as long as reading the whole history. */
const WINDOW_BYTES = 4096;
const OPENING_BRACE = 0x7b;

/** Returns the unreadable lines from `from` up to `limit`. The lines after `limit` have been read already. */
async function findEarlyDamage(file: OpenFile, from: number, limit: number): Promise<LogDamage[]> {
  if (limit <= from) return [];
  const bytes = await readChunk(file, from, Math.min(WINDOW_BYTES, limit - from));
  const damage: LogDamage[] = [];
  let start = 0;
  for (const end of findLineEnds(bytes)) {
    const message = findLineProblem(bytes.subarray(start, end), from + start);
    if (message !== undefined) damage.push({ offset: from + start, message });
    start = end + 1;
  }
  // Only the beginning of a line that ends beyond the window is known. Entries are objects.
  const isTruncated = start < bytes.length;
  if (isTruncated && bytes[start] !== OPENING_BRACE)
    damage.push({ offset: from + start, message: 'a line is not an entry' });
  return damage;
}

function findLineProblem(bytes: Buffer, start: number): string | undefined {
  if (isBlankLine(bytes)) return undefined;
  const line = { start, length: bytes.length, bytes };
  return parseHead(line) ? undefined : parseLine(line).problem;
}
