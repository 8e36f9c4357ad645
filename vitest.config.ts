// Configuration of the tests. The program is bundled once for the tests that start it.
import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SlowFilesFirst } from './test/support/slow-files-first.ts';

const MIN_FREE_BYTES = 4 * 2 ** 30;

/** A directory in memory, if the machine has one that is large enough. On a disk, half of the time of the tests is waiting for fdatasync. */
function createMemoryDirectory(parent = '/dev/shm'): string | undefined {
  try {
    accessSync(parent, constants.W_OK);
    const { bavail, bsize } = statfsSync(parent);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === parent);
    if (bavail * bsize < MIN_FREE_BYTES || !mount || mount.includes('noexec')) return undefined;
    const directory = mkdtempSync(join(parent, 'parley-tests-'));
    // If the tests run as root, the database server runs as another user, which must be able to pass through.
    chmodSync(directory, 0o711);
    return directory;
  } catch {
    return undefined;
  }
}

const directory = process.env.TMPDIR ? undefined : createMemoryDirectory();
process.once('exit', () => directory && rmSync(directory, { recursive: true, force: true }));

export default defineConfig({
  test: {
    environment: 'node',
    // Shells print a warning for a missing locale, and programs translate their messages.
    // On a cloud machine, no test may ask the metadata service for the credentials of that machine.
    env: {
      LC_ALL: '',
      LANG: 'C',
      AWS_EC2_METADATA_DISABLED: 'true',
      METADATA_SERVER_DETECTION: 'none',
      ...(directory ? { TMPDIR: directory } : {}),
    },
    include: ['test/**/*.test.ts'],
    // One file more than cores, because tests of processes often wait. Without it, vitest leaves one core idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowFilesFirst },
    globalSetup: ['test/support/build-program.ts', 'test/support/start-database.ts'],
    // Large limits for busy or slow machines. No test checks how long it takes.
    testTimeout: 300_000,
    hookTimeout: 900_000,
    // The default is one second.
    expect: { poll: { timeout: 60_000 } },
  },
});
