// Configuration of the tests. The program is bundled once for the tests that start it.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    // Shells print a warning for a missing locale, and programs translate their messages.
    // On a cloud machine, no test may ask the metadata service for the credentials of that machine.
    env: { LC_ALL: '', LANG: 'C', AWS_EC2_METADATA_DISABLED: 'true', METADATA_SERVER_DETECTION: 'none' },
    include: ['test/**/*.test.ts'],
    // One file per core. Without it, vitest leaves one core idle.
    maxWorkers: '100%',
    globalSetup: ['test/support/build-program.ts'],
    // Large limits for busy or slow machines. No test checks how long it takes.
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
});
