// Reads a session file with everything that belongs to it, for an import into a database.

import { getSystemErrorCode } from '../../base/fault.ts';
import type { Files, OpenFile } from '../../contracts/ports.ts';
import type { LogDamage } from '../../contracts/session-store.ts';
import { SESSION_VERSION, type SessionHeader } from '../../protocol/session-entry.ts';
import { getBlobsDirectory } from '../blob-images.ts';
import { readTail } from '../log-tail.ts';
import { upgradeLog } from '../migrate-session.ts';
import { readChunk } from '../raw-line.ts';
import { type ParsedHeader, readHeader } from '../session-header.ts';
import { getArtifactsDirectory, getFileName, getParentDirectory, isBackupOf } from '../session-paths.ts';
import { BACKUPS, BLOBS } from './hidden-files.ts';

export interface ImportSource {
  readonly file: string;
  readonly header: SessionHeader;
  /** The format of the file. Older ones are upgraded while they are read. */
  readonly version: number;
  /** Of the file. */
  readonly size: number;
  /** Changes when another program writes to the file. */
  readonly versionTag: string;
  readonly modifiedMs: number;
  /** The header line. */
  readonly headerLine: Buffer;
  /** What an upgrade has left out. Complete when the lines are read. */
  readonly damage: readonly LogDamage[];
  /** Everything after the header line. */
  readLines(): AsyncIterable<Buffer>;
  readVersionTag(): Promise<string>;
  close(): Promise<void>;
}

export interface SourceFile {
  /** In the database. */
  readonly name: string;
  readonly path: string;
  readonly modifiedMs: number;
}

const CHUNK_BYTES = 1024 * 1024;

/** Throws a Fault when the file is not a session. */
export async function openImportSource(files: Files, file: string): Promise<ImportSource> {
  const target = await files.open(file, 'read');
  try {
    const found = await readHeader(target, file);
    const { size, versionTag } = await target.version();
    const modifiedMs = Math.round((await files.info(file))?.modifiedMs ?? 0);
    const damage: LogDamage[] = [];
    const common = { file, header: found.header, version: found.version, size, versionTag, modifiedMs, damage };
    const opened = {
      readVersionTag: async () => (await target.version()).versionTag,
      close: () => target.close(),
    };
    if (found.version === SESSION_VERSION) {
      const headerLine = await readChunk(target, 0, found.end);
      return { ...common, ...opened, headerLine, readLines: () => readChunks(target, found.end, size) };
    }
    const upgraded = await openUpgraded(target, found, size, damage);
    return { ...common, ...opened, ...upgraded };
  } catch (problem) {
    await target.close().catch(() => {});
    throw problem;
  }
}

async function openUpgraded(
  target: OpenFile,
  found: ParsedHeader,
  size: number,
  damage: LogDamage[],
): Promise<Pick<ImportSource, 'headerLine' | 'readLines'>> {
  const tail = await readTail(target, found.end, size);
  if (tail.damage) damage.push(tail.damage);
  const blocks = upgradeLog(target, found, tail.validEnd, damage);
  const first = await blocks.next();
  return { headerLine: first.value as Buffer, readLines: () => blocks };
}

async function* readChunks(file: OpenFile, from: number, end: number): AsyncGenerator<Buffer> {
  for (let at = from; at < end; at += CHUNK_BYTES) yield readChunk(file, at, Math.min(CHUNK_BYTES, end - at));
}

/** Artifacts, backups, and the images of `hashes` that exist. `others` are links and special files, which are not stored. */
export async function listSourceFiles(
  files: Files,
  file: string,
  hashes: ReadonlySet<string>,
): Promise<{ found: readonly SourceFile[]; others: readonly string[] }> {
  const found: SourceFile[] = [];
  const others: string[] = [];
  const add = async (name: string, path: string) => {
    const info = await files.info(path, { follow: false });
    if (info?.kind === 'file') found.push({ name, path, modifiedMs: Math.round(info.modifiedMs) });
    else if (info) others.push(path);
  };
  const walk = async (directory: string, prefix: string): Promise<void> => {
    for (const { name, kind } of await listOrEmpty(files, directory)) {
      if (kind === 'directory') await walk(`${directory}/${name}`, `${prefix}${name}/`);
      else await add(`${prefix}${name}`, `${directory}/${name}`);
    }
  };
  const artifacts = getArtifactsDirectory(file);
  if (artifacts !== undefined && (await files.info(artifacts, { follow: false }))?.kind === 'directory')
    await walk(artifacts, '');
  const folder = getParentDirectory(file);
  for (const { name } of await listOrEmpty(files, folder)) {
    const path = `${folder}/${name}`;
    if (isBackupOf(file, path)) await add(`${BACKUPS}${name.slice(getFileName(file).length + 1)}`, path);
  }
  for (const hash of hashes) await add(`${BLOBS}${hash}`, `${getBlobsDirectory(file)}/${hash}`);
  return { found, others };
}

async function listOrEmpty(files: Files, directory: string): ReturnType<Files['list']> {
  try {
    return await files.list(directory);
  } catch (thrown) {
    if (getSystemErrorCode(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}
