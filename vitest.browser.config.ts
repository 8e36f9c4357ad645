// Tests in a real browser. They run separately, because they need chromium.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/browser/*.browser.ts'],
    globalSetup: ['test/support/build-program.ts', 'test/support/build-page.ts'],
    // One browser at a time, because each starts several processes.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 900_000,
    // The default is one second.
    expect: { poll: { timeout: 60_000 } },
  },
});
