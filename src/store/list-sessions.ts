// Lists the sessions of a directory, newest first. Other files are ignored.
import { getSystemErrorCode } from '../base/fault.ts';
import type { Files } from '../contracts/ports.ts';
import type { SessionSummary } from '../contracts/session-store.ts';
import type { SessionHeader } from '../protocol/session-entry.ts';
import { isLogInterrupted } from './is-log-interrupted.ts';
import { tryReadHeader } from './session-header.ts';
import { getArtifactsDirectory, isSessionFileName } from './session-paths.ts';
import { summarizeSession } from './summarize-session.ts';
import { loadSummaryCache, type SummaryCache } from './summary-cache.ts';

export interface SessionFile {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
  readonly hasArtifacts: boolean;
}

const CONCURRENCY = 8;

/** Files that have the name of a session, the most recently modified first. `isWanted` selects them by their names. */
export async function listSessionFiles(
  files: Files,
  directory: string,
  isWanted: (name: string) => boolean = isSessionFileName,
): Promise<SessionFile[]> {
  const listed = await listDirectoryOrEmpty(files, directory);
  const folders = new Set(listed.filter(({ kind }) => kind === 'directory').map(({ name }) => name));
  const candidates = listed.filter(
    ({ name, kind }) => kind !== 'directory' && isSessionFileName(name) && isWanted(name),
  );
  const found = await mapConcurrently(candidates, async ({ name }) => {
    const info = await files.info(`${directory}/${name}`).catch(() => undefined);
    if (info?.kind !== 'file') return [];
    const { size, modifiedMs } = info;
    return [
      { path: `${directory}/${name}`, size, modifiedMs, hasArtifacts: folders.has(getArtifactsDirectory(name) ?? '') },
    ];
  });
  return found.flat().sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? 1 : -1));
}

export async function listSummaries(files: Files, directory: string): Promise<SessionSummary[]> {
  const found = await listSessionFiles(files, directory);
  const cache = await loadSummaryCache(files, directory);
  const summaries = await mapConcurrently(found, async (file) => {
    const { path, size, modifiedMs } = file;
    // A file that cannot be read must not hide the other sessions.
    const summary = await cache.getSummary(file, createSummaryReader(files, file)).catch(() => undefined);
    if (!summary) return [];
    return [{ path, ...summary, modifiedMs, bytes: size + (await measureArtifacts(files, file)) }];
  });
  await cache.save();
  return summaries.flat();
}

export function createSummaryReader(files: Files, file: SessionFile): Parameters<SummaryCache['getSummary']>[1] {
  return {
    summarize: () => summarizeSession(files, file),
    async isInterrupted() {
      const opened = await files.open(file.path, 'read');
      try {
        return await isLogInterrupted(opened, file.size);
      } finally {
        await opened.close().catch(() => {});
      }
    },
  };
}

/** Returns the first file with a valid header. Broken files are skipped. */
export async function findLatestSession(files: Files, directory: string): Promise<string | undefined> {
  for (const { path } of await listSessionFiles(files, directory)) {
    if ((await readSessionId(files, path)) !== undefined) return path;
  }
  return undefined;
}

export async function readSessionId(files: Files, path: string): Promise<string | undefined> {
  return (await readSessionHeader(files, path))?.id;
}

export async function readSessionDirectory(files: Files, path: string): Promise<string | undefined> {
  return (await readSessionHeader(files, path))?.cwd;
}

export async function readSessionHeader(files: Files, path: string): Promise<SessionHeader | undefined> {
  const file = await files.open(path, 'read').catch(() => undefined);
  if (!file) return undefined;
  try {
    return (await tryReadHeader(file))?.header;
  } catch {
    return undefined;
  } finally {
    await file.close().catch(() => {});
  }
}

export async function measureArtifacts(files: Files, { path, hasArtifacts }: SessionFile): Promise<number> {
  return hasArtifacts ? measureDirectory(files, getArtifactsDirectory(path) as string) : 0;
}

async function measureDirectory(files: Files, directory: string): Promise<number> {
  const listed = await listDirectoryOrEmpty(files, directory).catch(() => []);
  const sizes = await mapConcurrently(listed, async ({ name, kind }) => {
    const path = `${directory}/${name}`;
    if (kind === 'directory') return measureDirectory(files, path);
    return (await files.info(path, { follow: false }).catch(() => undefined))?.size ?? 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function listDirectoryOrEmpty(files: Files, directory: string): ReturnType<Files['list']> {
  try {
    return await files.list(directory);
  } catch (error) {
    if (getSystemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Limited concurrency: enough to keep the disk busy without opening thousands of files at once. */
export async function mapConcurrently<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next;
      next += 1;
      results[at] = await run(items[at] as T);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}
