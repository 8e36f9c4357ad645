// Synchronous version of make-directory.ts, for the user's Parley directory. Faster at start than asynchronous calls.
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { getSystemErrorCode } from '../../base/fault.ts';

export function makeDirectorySync(path: string, options?: { mode?: number | undefined }): void {
  try {
    mkdirSync(path, options);
  } catch (error) {
    const parent = dirname(path);
    if (getSystemErrorCode(error) === 'ENOENT' && parent !== path) {
      makeDirectorySync(parent, options);
      try {
        mkdirSync(path, options);
      } catch (secondError) {
        throwUnlessDirectory(statSync(path, { throwIfNoEntry: false }), secondError);
      }
    } else throwUnlessDirectory(statSync(path, { throwIfNoEntry: false }), error);
  }
}

/** Another process may have created the directory in the meantime. */
export function throwUnlessDirectory(stats: { isDirectory(): boolean } | undefined, problem: unknown): void {
  if (!stats?.isDirectory()) throw problem;
}
