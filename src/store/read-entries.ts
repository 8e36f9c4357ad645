// The store's whole history: every entry of a log, in order. Costs what the history costs; resuming never comes here.
import { Fault, messageOf } from '../base/fault.ts';
import type { Files } from '../contracts/ports.ts';
import type { SessionEntry } from '../protocol/entry.ts';
import { readLine } from './entry-line.ts';
import { withImages } from './images.ts';
import { linesForward } from './lines-forward.ts';

/** Reads up to `end`, where the last entry that is safe ends. What cannot be read is passed over. */
export async function readEntries(files: Files, path: string, end: number): Promise<readonly SessionEntry[]> {
  if (end === 0) return [];
  try {
    const file = await files.open(path, 'read');
    try {
      const entries: SessionEntry[] = [];
      for await (const batch of linesForward(file, 0, end)) {
        for (const line of batch) {
          const { entry } = readLine(line);
          if (entry) entries.push(entry);
        }
      }
      return await withImages(files, path, entries);
    } finally {
      await file.close().catch(() => {});
    }
  } catch (cause) {
    throw new Fault('storage', `Cannot read session file ${path}: ${messageOf(cause)}`, { cause });
  }
}
