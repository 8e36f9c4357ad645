// Builds dist/: the bundled program, the library as ES modules with types, and the page of the server. `--if-stale` does nothing if dist/ is up to date.
// @ts-check
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const INPUTS = [
  'src',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/commonjs.mjs',
  'scripts/compile.cjs',
  'scripts/crc32.mjs',
  'scripts/launcher.cjs',
  'scripts/code-cache.mjs',
  'scripts/vendor.mjs',
  'scripts/api-streams.mjs',
  'scripts/page.mjs',
  'web',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

if (!process.argv.includes('--if-stale') || (await isStale())) await buildDist();

async function buildDist() {
  const [{ bundle }, { buildPage }] = await Promise.all([import('./bundle.mjs'), import('./page.mjs')]);
  await rm(dist, { recursive: true, force: true });
  const parts = await Promise.allSettled([bundle(dist), compileLibrary(), buildPage(join(dist, 'web'))]);
  const failed = parts.filter((part) => part.status === 'rejected');
  if (failed.length > 0) {
    // An incomplete dist/ would look up to date the next time.
    await rm(dist, { recursive: true, force: true });
    console.error(failed.map(({ reason }) => reason.message).join('\n'));
    process.exitCode = 1;
    return;
  }
  const [program] = parts;
  // stderr, because `npm pack --json` runs this script and writes its result to stdout.
  if (program.status === 'fulfilled') console.error(report(program.value));
}

/** @param {{ startBytes: number, totalBytes: number }} program */
function report({ startBytes, totalBytes }) {
  return `dist/cli.js: start chunk ${kB(startBytes)}, all chunks ${kB(totalBytes)}`;
}

async function compileLibrary() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root });
  } catch (thrown) {
    // tsc writes its errors to stdout.
    const { stdout } = /** @type {{ stdout?: string }} */ (thrown);
    throw new Error(`The library does not compile:\n${stdout ?? thrown}`);
  }
  const { bundleVendors, keepReachableTypes } = await import('./vendor.mjs');
  await writeLibraryPackage();
  await bundleVendors(join(dist, 'lib'));
  await keepReachableTypes(join(dist, 'lib'), await entryPointTypes());
}

async function entryPointTypes() {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return Object.values(exports).flatMap(({ types }) => (types ? [join(root, types)] : []));
}

/** dist/ is CommonJS, so the library needs its own package.json. The library reads its version by importing the package name. */
async function writeLibraryPackage() {
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const exports = { './package.json': './package.json' };
  await writeFile(join(dist, 'lib/package.json'), `${JSON.stringify({ name, version, type: 'module', exports })}\n`);
}

async function isStale() {
  const [builtAt, newest] = await Promise.all([modifiedAt(join(dist, 'cli.js')), newestIn(INPUTS)]);
  return newest > builtAt;
}

/**
 * @param {string[]} paths
 * @returns {Promise<number>}
 */
async function newestIn(paths) {
  const times = await Promise.all(
    paths.map(async (path) => {
      const full = join(root, path);
      const info = await stat(full);
      // The time of a directory changes when a file is added or removed.
      if (!info.isDirectory()) return info.mtimeMs;
      const inside = (await readdir(full)).map((name) => join(path, name));
      return Math.max(info.mtimeMs, await newestIn(inside));
    }),
  );
  return Math.max(0, ...times);
}

/** @param {string} path */
async function modifiedAt(path) {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}

/** @param {number} bytes */
function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
