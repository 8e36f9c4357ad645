// Finds out whether the last run on a path has ended. Reads at most one message that is not parsed yet.
import type { LazyPathEntry } from '../../contracts/index.ts';
import { isRunOpenAfter } from '../../protocol/run-progress.ts';
import { isDigest, isUnread } from './context-path.ts';

export function isRunOpen(path: readonly LazyPathEntry[]): boolean {
  for (let index = path.length - 1; index >= 0; index--) {
    const isOpen = isOpenAfter(path[index] as LazyPathEntry);
    if (isOpen !== undefined) return isOpen;
  }
  return false;
}

function isOpenAfter(entry: LazyPathEntry): boolean | undefined {
  if (isDigest(entry)) return entry.isInterrupted ?? false;
  if (!isUnread(entry)) return isRunOpenAfter(entry);
  if (entry.role === 'user') return true;
  const message = entry.role === 'assistant' ? entry.read() : undefined;
  return message && isRunOpenAfter(message);
}
