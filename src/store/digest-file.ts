// Reads and writes the digest file of a long log: facts about one exact version of the log that save work when it is resumed.
// The file may be deleted at any time. An invalid digest is ignored.
import { fnv1a } from '../base/fnv1a.ts';
import { isRecord } from '../base/json.ts';
import type { Clock, Files, FileVersion } from '../contracts/ports.ts';
import type { Digest, DigestRecord } from '../contracts/session-store.ts';
import { removeIfExists, writeFully } from '../support/file-operations.ts';
import type { BlockFile } from './block-file.ts';
import { parseLine } from './entry-line.ts';
import { readLinesBackward } from './read-lines-backward.ts';
import { getDigestPath } from './session-paths.ts';

const FORMAT = 1;
const MAX_DIGEST_BYTES = 64 * 1024;
/** Longer than the resolution of file timestamps, which is 10 ms on slow systems. */
const STABLE_AFTER_MS = 20;

interface DigestFileOptions {
  readonly files: Files;
  readonly clock: Clock;
  readonly file: string;
  readonly target: BlockFile;
}

/** Returns the digest if it belongs to exactly this version of the log. */
export async function readDigest(
  files: Files,
  file: string,
  { versionTag }: FileVersion,
): Promise<DigestRecord | undefined> {
  try {
    const path = getDigestPath(file);
    const info = await files.info(path, { follow: false });
    // Reading a pipe would block.
    if (info?.kind !== 'file' || info.size > MAX_DIGEST_BYTES) return undefined;
    return parseDigest(Buffer.from(await files.read(path)).toString('utf8'), versionTag);
  } catch {
    return undefined;
  }
}

/** Call only while holding the lock. Never rejects: without a digest the next resume only takes longer. */
export async function writeDigest(
  options: DigestFileOptions,
  getRecord: () => Promise<DigestRecord | undefined>,
): Promise<void> {
  try {
    const { files, file } = options;
    const version = await waitForStableVersion(options);
    if (!version || (await readDigest(files, file, version))) return;
    const record = await getRecord();
    if (!record || (await readLastEntryId(files, file, version)) !== record.leafId) return;
    const text = JSON.stringify({ format: FORMAT, mark: version.versionTag, ...record });
    await replaceDigestFile(files, getDigestPath(file), Buffer.from(`${computeChecksum(text)} ${text}\n`));
  } catch {
    // A digest is optional, so errors are ignored.
  }
}

/** A log that changed within the timestamp resolution could change again without a new timestamp. */
async function waitForStableVersion({ target, clock }: DigestFileOptions): Promise<FileVersion | undefined> {
  const version = await target.version();
  const age = version ? clock.now() - version.changedMs : -1;
  if (age >= STABLE_AFTER_MS) return version;
  // The change time is in the future of this clock, so no wait time can be computed.
  if (age < 0) return undefined;
  await clock.sleep(STABLE_AFTER_MS - age);
  const later = await target.version();
  return later?.versionTag === version?.versionTag ? later : undefined;
}

/** Returns the id of the last entry, or `undefined` when the file is no longer this version. */
async function readLastEntryId(
  files: Files,
  file: string,
  { versionTag, size }: FileVersion,
): Promise<string | undefined> {
  const reader = await files.open(file, 'read');
  try {
    if ((await reader.version()).versionTag !== versionTag) return undefined;
    const [last] = (await readLinesBackward(reader, 0, size).next()) ?? [];
    return last && parseLine(last).entry?.id;
  } finally {
    await reader.close().catch(() => {});
  }
}

/** Always creates a new file, because an existing link could point to a file outside of the store. */
async function replaceDigestFile(files: Files, path: string, bytes: Uint8Array): Promise<void> {
  await removeIfExists(files, path);
  const file = await files.open(path, 'create', { mode: 0o600 });
  try {
    await writeFully(file, bytes);
  } finally {
    await file.close();
  }
}

function parseDigest(text: string, mark: string): DigestRecord | undefined {
  const at = text.indexOf(' ');
  const json = text.slice(at + 1, -1);
  if (!text.endsWith('\n') || text.slice(0, at) !== computeChecksum(json)) return undefined;
  const value: unknown = JSON.parse(json);
  if (!isRecord(value) || value.format !== FORMAT || value.mark !== mark) return undefined;
  const { leafId, name, digest } = value;
  if (typeof leafId !== 'string' || !isDigest(digest)) return undefined;
  return { leafId, digest, ...(typeof name === 'string' ? { name } : {}) };
}

function isDigest(value: unknown): value is Digest {
  return isRecord(value) && value.type === 'digest' && Number.isSafeInteger(value.messages);
}

function computeChecksum(text: string): string {
  return fnv1a(text).toString(16).padStart(8, '0');
}
