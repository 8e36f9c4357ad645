// The files of the running program. If they are in a writable directory, a command could change what runs outside the sandbox.
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { findPackageDirectory } from '../../support/package-directory.ts';

/** The code, parts of which are loaded later, the runtime, and the program that tools start outside the sandbox. */
export function listProgramPaths(): readonly string[] {
  return [join(findPackageDirectory(), 'dist'), process.execPath, rgPath];
}
