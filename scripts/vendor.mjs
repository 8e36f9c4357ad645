// Packs what Parley leans on without asking anyone to install it, and keeps of the types only what a door of the package leads to.
// @ts-check
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

/**
 * zod speaks fifty languages, which are half of its weight; ours says only to programmers what is wrong with a value.
 * @type {import('esbuild').Plugin}
 */
export const zodInEnglish = {
  name: 'zod-in-english',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: `export { default as en } from './en.js';`,
    }));
  },
};

/**
 * Puts the packages themselves in the place of the modules that only open the door to them.
 * @param {string} folder
 */
export async function bundleVendors(folder) {
  const doors = (await readdir(folder)).filter((name) => name.endsWith('.js')).map((name) => join(folder, name));
  await build({
    entryPoints: doors,
    outdir: folder,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [zodInEnglish],
    logLevel: 'silent',
  });
}

/**
 * The other types name packages that are not installed with Parley.
 * @param {string} lib
 * @param {readonly string[]} doors
 */
export async function keepReachableTypes(lib, doors) {
  const reached = new Set(doors.map((door) => resolve(door)));
  for (const path of reached) {
    for (const [, to = ''] of (await readFile(path, 'utf8')).matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
      reached.add(resolve(dirname(path), to.replace(/\.[jt]s$/, '.d.ts')));
    }
  }
  for (const file of await readdir(lib, { recursive: true })) {
    const path = resolve(lib, file);
    if (file.endsWith('.d.ts') && !reached.has(path)) await rm(path);
  }
}
