// Generates docs/protocol/*.md, docs/stability.md, docs/providers.md and schema/*.json from the declarations. The generator is bundled first, because Node 20
// cannot run TypeScript.
// @ts-check
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
// Inside node_modules, so that external packages are resolved.
const program = join(root, 'node_modules/.cache/parley-docs', `${process.pid}.mjs`);

try {
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/pages/index.ts'],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  /** @type {typeof import('./pages/index.ts')} */
  const { generate } = await import(pathToFileURL(program).href);
  for (const [path, text] of await generate(root)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
    console.error(path);
  }
} finally {
  await rm(program, { force: true });
}
