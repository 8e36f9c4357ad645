// Tests of the sandbox. They run separately, because they need bubblewrap.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/sandbox/**/*.bwrap.ts'],
    globalSetup: ['test/support/build-program.ts'],
    testTimeout: 300_000,
    hookTimeout: 900_000,
    // The default is one second.
    expect: { poll: { timeout: 60_000 } },
  },
});
