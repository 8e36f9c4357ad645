// Creates a temporary directory that is removed when the test ends.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function createTemporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'parley-test-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
