// Reads all entries of a log in order. Takes time proportional to the whole log; resuming does not use it.
import { Fault, getErrorMessage } from '../base/fault.ts';
import type { Files } from '../contracts/ports.ts';
import type { SessionEntry } from '../protocol/session-entry.ts';
import { loadImages } from './blob-images.ts';
import { parseLine } from './entry-line.ts';
import { readLinesForward } from './read-lines-forward.ts';

/** Reads up to `end`, the end of the last entry on disk. Unreadable lines are skipped. */
export async function readEntries(files: Files, path: string, end: number): Promise<readonly SessionEntry[]> {
  if (end === 0) return [];
  try {
    const file = await files.open(path, 'read');
    try {
      const entries: SessionEntry[] = [];
      for await (const batch of readLinesForward(file, 0, end)) {
        for (const line of batch) {
          const { entry } = parseLine(line);
          if (entry) entries.push(entry);
        }
      }
      return await loadImages(files, path, entries);
    } finally {
      await file.close().catch(() => {});
    }
  } catch (cause) {
    throw new Fault('storage', `Cannot read session file ${path}: ${getErrorMessage(cause)}`, { cause });
  }
}
