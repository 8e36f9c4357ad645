// How the tests with Bun run: apart from the others, because they need it. `BUN` names the program when it is not on the path.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/bun/**/*.bun.ts'],
    globalSetup: ['test/support/build-program.ts'],
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
});
