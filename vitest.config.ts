// How the tests run: Node, files beside what they test in name, the program bundled once for those that start it.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    // Shells complain of a locale that the machine does not have, and programs speak the user's language.
    env: { LC_ALL: '', LANG: 'C' },
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build-program.ts'],
    // For machines that are busy or slow. No test is judged by how long it takes.
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
});
