// Tests in a terminal. They run separately, because they need tmux.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/terminal/**/*.tmux.ts'],
    globalSetup: ['test/support/build-program.ts'],
    // One terminal at a time, because each starts several processes.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 900_000,
    // The default is one second.
    expect: { poll: { timeout: 60_000 } },
  },
});
