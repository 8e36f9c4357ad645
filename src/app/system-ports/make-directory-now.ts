// The same as make-directory.ts for the user's own directory, which every start looks at without a trip to another thread.
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../../base/fault.ts';

export function makeDirectoryNow(path: string, options?: { mode?: number | undefined }): void {
  try {
    mkdirSync(path, options);
  } catch (refusal) {
    const above = dirname(path);
    if (systemCode(refusal) === 'ENOENT' && above !== path) {
      makeDirectoryNow(above, options);
      try {
        mkdirSync(path, options);
      } catch (again) {
        expectDirectory(statSync(path, { throwIfNoEntry: false }), again);
      }
    } else expectDirectory(statSync(path, { throwIfNoEntry: false }), refusal);
  }
}

/** Another process may have made it meanwhile. */
export function expectDirectory(found: { isDirectory(): boolean } | undefined, refusal: unknown): void {
  if (!found?.isDirectory()) throw refusal;
}
