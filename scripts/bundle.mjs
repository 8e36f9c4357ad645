// Packs the program into as few files as start-up wants. Shared by the build and by the tests, which never touch dist/.
// @ts-check
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

const SHEBANG = '#!/usr/bin/env node\n';
// Bundled CommonJS asks for Node's own modules by `require`, which ES modules do not have.
const REQUIRE = `import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);\n`;

/**
 * Bundles src/cli/main.ts into `outdir`/cli.js and lazy chunks beside it.
 * @param {string} outdir
 * @returns {Promise<{ program: string, startBytes: number, totalBytes: number }>}
 */
export async function bundle(outdir) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { cli: 'src/cli/main.ts' },
    outdir: resolve(outdir),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    // Names stay readable in stack traces; the rest of the weight goes.
    minifySyntax: true,
    minifyWhitespace: true,
    // The `main` of some packages is UMD, whose inner requires no bundler can follow.
    mainFields: ['module', 'main'],
    // Finds its binary beside itself in node_modules, so it must stay there.
    external: ['@vscode/ripgrep'],
    define: { __VERSION__: JSON.stringify(version) },
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const program = join(resolve(outdir), 'cli.js');
  for (const file of outputFiles) {
    const needsRequire = /\btypeof require\b/.test(file.text);
    await mkdir(dirname(file.path), { recursive: true });
    await writeFile(file.path, (file.path === program ? SHEBANG : '') + (needsRequire ? REQUIRE : '') + file.text);
  }
  await chmod(program, 0o755);
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [resolve(root, path), output]));
  return { program, startBytes: startBytes(outputs, program), totalBytes: sum([...outputs.values()]) };
}

/**
 * What Node reads before the first line of the program runs: the entry and everything it imports statically.
 * @param {Map<string, import('esbuild').Metafile['outputs'][string]>} outputs
 * @param {string} entry
 */
function startBytes(outputs, entry) {
  const seen = new Set([entry]);
  for (const path of seen) {
    for (const { path: to, kind, external } of outputs.get(path)?.imports ?? []) {
      if (kind === 'import-statement' && !external) seen.add(resolve(root, to));
    }
  }
  return sum([...seen].flatMap((path) => outputs.get(path) ?? []));
}

/** @param {{ bytes: number }[]} parts */
function sum(parts) {
  return parts.reduce((total, { bytes }) => total + bytes, 0);
}
