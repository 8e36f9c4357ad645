// How the tests in a real browser run: apart from the others, because they need chromium.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/browser/*.browser.ts'],
    globalSetup: ['test/support/build-program.ts'],
    // One browser at a time: it brings processes of its own.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
});
