// Creates a temporary directory that is removed when the test ends.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Calls the function when what it removes or ends is not needed any more. */
export type OnEnd = (end: () => void | Promise<void>) => void;

export function createTemporaryDirectory(onEnd: OnEnd = onTestFinished): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'parley-test-')));
  onEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
