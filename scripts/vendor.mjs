// Bundles packages into the library that are not installed with Parley, and removes types that no entry point of the package uses.
// @ts-check
import { readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

/**
 * Removes all locales of zod except English. They are half of its size, and Parley shows its messages only to developers.
 * @type {import('esbuild').Plugin}
 */
export const removeZodLocales = {
  name: 'remove-zod-locales',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: `export { default as en } from './en.js';`,
    }));
  },
};

/** The build of yaml for Node is CommonJS, from which unused code cannot be removed. Its ES modules are the ones for browsers. */
export const alias = {
  yaml: join(dirname(createRequire(import.meta.url).resolve('yaml/package.json')), 'browser/index.js'),
};

/**
 * Does not bundle what packages import lazily in cases that never occur here: another `fetch` and a proxy for google-auth-library,
 * browsers and event streams for the credential clients of the AWS SDK, signed client assertions of the MCP client, and the id of the
 * machine, which is never part of a trace.
 * @type {import('esbuild').Plugin}
 */
export const omitUnusedImports = {
  name: 'omit-unused-imports',
  setup({ onResolve }) {
    onResolve(
      { filter: /^(node-fetch|https-proxy-agent|bowser|jose|@smithy\/core\/event-streams|\.\/getMachineId-\w+\.js)$/ },
      ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : undefined),
    );
  },
};

/**
 * Replaces the modules in `vendor` folders, which re-export packages, by bundles of these packages.
 * @param {string} lib
 */
export async function bundleVendors(lib) {
  const entryPoints = (await readdir(lib, { recursive: true }))
    .filter((name) => basename(dirname(name)) === 'vendor' && name.endsWith('.js'))
    .map((name) => join(lib, name));
  await build({
    entryPoints,
    outdir: lib,
    outbase: lib,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true,
    alias,
    plugins: [removeZodLocales, omitUnusedImports],
    logLevel: 'silent',
  });
}

/**
 * The removed types import packages that are not installed with Parley.
 * @param {string} lib
 * @param {readonly string[]} entryPoints
 */
export async function keepReachableTypes(lib, entryPoints) {
  const reached = new Set(entryPoints.map((path) => resolve(path)));
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
