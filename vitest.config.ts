// How the tests run: Node, files beside what they test in name, the program bundled once for those that start it.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build-program.ts'],
    // For machines that are busy or slow. What must be quick says so itself, with a deadline of its own.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
