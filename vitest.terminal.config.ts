// How the tests at a terminal run: apart from the others, because they need tmux.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/terminal/**/*.tmux.ts'],
    globalSetup: ['test/support/build-program.ts'],
    // A person does one thing at a time, and every terminal brings processes of its own.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
});
