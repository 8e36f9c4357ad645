// Serializes changes to the same file.
import type { Files } from '../contracts/index.ts';

/** Per file system, because two in-memory file systems may use the same paths. Sessions of one process share their `agentPorts`. */
const queues = new WeakMap<Files, Map<string, Promise<unknown>>>();

/** Runs `change` after all earlier changes to the same real path have settled. */
export async function withFileMutationQueue<T>(files: Files, realPath: string, change: () => Promise<T>): Promise<T> {
  const tails = queues.get(files) ?? new Map<string, Promise<unknown>>();
  queues.set(files, tails);
  const current = (tails.get(realPath) ?? Promise.resolve()).then(change, change);
  tails.set(realPath, current);
  try {
    return await current;
  } finally {
    if (tails.get(realPath) === current) tails.delete(realPath);
  }
}
