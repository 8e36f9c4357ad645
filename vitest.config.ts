// Configuration of the tests. The program is bundled once for the tests that start it.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    // Shells print a warning for a missing locale, and programs translate their messages.
    env: { LC_ALL: '', LANG: 'C' },
    include: ['test/**/*.test.ts'],
    // One file per core. Without it, vitest leaves one core idle.
    maxWorkers: '100%',
    globalSetup: ['test/support/build-program.ts'],
    // Large limits for busy or slow machines. No test checks how long it takes.
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
});
