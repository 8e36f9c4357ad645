// Builds the page of the server with vite. Used by the build, and by the tests with another output directory.
// @ts-check
import { fileURLToPath } from 'node:url';

const config = fileURLToPath(new URL('../web/vite.config.ts', import.meta.url));

/**
 * Writes `outDir`/index.html, `outDir`/docs.html, and their files with content hashes in `outDir`/assets.
 * @param {string} outDir
 */
export async function buildPage(outDir) {
  const { build } = await import('vite');
  await build({ configFile: config, build: { outDir, emptyOutDir: true } });
}
