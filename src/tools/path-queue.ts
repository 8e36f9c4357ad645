// First floor, tools: changes to one file happen one after another. Knows nothing of what the changes are.
import type { Files } from '../contracts/index.ts';

/** Per file system, because two simulated ones may use the same names. */
const queues = new WeakMap<Files, Map<string, Promise<unknown>>>();

/** Runs `change` when every earlier change to the same real path is done, whether it worked or not. */
export async function inTurn<T>(files: Files, realPath: string, change: () => Promise<T>): Promise<T> {
  const tails = queues.get(files) ?? new Map<string, Promise<unknown>>();
  queues.set(files, tails);
  const mine = (tails.get(realPath) ?? Promise.resolve()).then(change, change);
  tails.set(realPath, mine);
  try {
    return await mine;
  } finally {
    if (tails.get(realPath) === mine) tails.delete(realPath);
  }
}
