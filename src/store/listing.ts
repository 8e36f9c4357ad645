// The store's list: which sessions lie in a folder, newest first. Other files are nobody's business here.
import { systemCode } from '../base/fault.ts';
import type { Files } from '../contracts/ports.ts';
import type { SessionSummary } from '../contracts/store.ts';
import { findHeader } from './header.ts';
import { artifactsFolder, isSessionFileName } from './places.ts';
import { summarise } from './summary.ts';
import { openSummaryCache } from './summary-cache.ts';

export interface FoundFile {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
  readonly hasArtifacts: boolean;
}

const AT_ONCE = 8;

/** What may be sessions by their names, the one that was written to last first. */
export async function foundFiles(files: Files, directory: string): Promise<FoundFile[]> {
  const listed = await listOrNothing(files, directory);
  const folders = new Set(listed.filter(({ kind }) => kind === 'directory').map(({ name }) => name));
  const candidates = listed.filter(({ name, kind }) => isSessionFileName(name) && kind !== 'directory');
  const found = await eachOf(candidates, async ({ name }) => {
    const info = await files.info(`${directory}/${name}`).catch(() => undefined);
    if (info?.kind !== 'file') return [];
    const { size, modifiedMs } = info;
    return [{ path: `${directory}/${name}`, size, modifiedMs, hasArtifacts: folders.has(artifactsFolder(name) ?? '') }];
  });
  return found.flat().sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? 1 : -1));
}

export async function summaries(files: Files, directory: string): Promise<SessionSummary[]> {
  const found = await foundFiles(files, directory);
  const cache = await openSummaryCache(files, directory);
  const summarised = await eachOf(found, async (file) => {
    const { path, size, modifiedMs, hasArtifacts } = file;
    // A file that cannot be read must not hide the others.
    const count = () => summarise(files, file);
    const summary = await cache.summaryOf(file, count).catch(() => undefined);
    if (!summary) return [];
    const artifacts = hasArtifacts ? await bytesBelow(files, artifactsFolder(path) as string) : 0;
    return [{ path, ...summary, modifiedMs, bytes: size + artifacts }];
  });
  await cache.save();
  return summarised.flat();
}

/** The first that is a session: a broken file is passed over. */
export async function newestSession(files: Files, directory: string): Promise<string | undefined> {
  for (const { path } of await foundFiles(files, directory)) {
    if ((await idOf(files, path)) !== undefined) return path;
  }
  return undefined;
}

export async function idOf(files: Files, path: string): Promise<string | undefined> {
  const file = await files.open(path, 'read').catch(() => undefined);
  if (!file) return undefined;
  try {
    return (await findHeader(file))?.header.id;
  } catch {
    return undefined;
  } finally {
    await file.close().catch(() => {});
  }
}

async function bytesBelow(files: Files, directory: string): Promise<number> {
  const listed = await listOrNothing(files, directory).catch(() => []);
  const sizes = await eachOf(listed, async ({ name, kind }) => {
    const path = `${directory}/${name}`;
    if (kind === 'directory') return bytesBelow(files, path);
    return (await files.info(path, { follow: false }).catch(() => undefined))?.size ?? 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function listOrNothing(files: Files, directory: string): ReturnType<Files['list']> {
  try {
    return await files.list(directory);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** A few at a time: enough to keep the disk busy, few enough to hold a thousand in little memory. */
export async function eachOf<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next;
      next += 1;
      results[at] = await act(items[at] as T);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
