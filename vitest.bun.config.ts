// Tests with Bun. They run separately, because they need Bun. Set `BUN` to its path if it is not on the PATH.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/bun/**/*.bun.ts'],
    globalSetup: ['test/support/build-program.ts', 'test/support/start-database.ts'],
    testTimeout: 300_000,
    hookTimeout: 900_000,
    // The default is one second.
    expect: { poll: { timeout: 60_000 } },
  },
});
