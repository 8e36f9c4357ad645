// Bundles the program. Used by the build, and by the tests with another output directory.
// @ts-check
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { COMMON_APIS, writeCodeCache } from './code-cache.mjs';
import { COMMONJS_OPTIONS, HAS_SHORT_NAMES, toCommonJs } from './commonjs.mjs';
import { alias, omitUnusedImports, removeZodLocales } from './vendor.mjs';

/** Names of chunks by the file that contains them. @typedef {Readonly<Record<string, readonly string[]>>} Packs */

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Writes `outdir`/cli.js, which starts `outdir`/program.
 * @param {string} outdir
 * @returns {Promise<{ program: string, startBytes: number, totalBytes: number }>}
 */
export async function bundle(outdir) {
  const { program, texts } = await writeProgram(outdir, root, 'src/cli/main.ts');
  const promptChunks = await findPromptChunks(program);
  const serverChunks = await findServerChunks(program);
  await packChunks(program, texts, { 'prompt-chunks.js': promptChunks, 'server-chunks.js': serverChunks });
  await writeCodeCache(program, ['offline', ...COMMON_APIS], 'request');
  const totalBytes = [...texts.values()].reduce((sum, text) => sum + text.length, 0);
  return { program, startBytes: texts.get('start.js')?.length ?? 0, totalBytes };
}

/**
 * Writes the launcher and one file for each chunk of the program.
 * @param {string} outdir
 * @param {string} project The directory from which packages are resolved.
 * @param {string} entry Relative to `project`.
 * @returns {Promise<{ program: string, texts: Map<string, string> }>}
 */
export async function writeProgram(outdir, project, entry) {
  const texts = await toCommonJs(await buildModules(project, entry), 'cli.js');
  const program = join(resolve(outdir), 'cli.js');
  await mkdir(join(outdir, 'program'), { recursive: true });
  // The package.json of the project declares ES modules, so this directory needs its own.
  await writeFile(join(outdir, 'package.json'), '{"type":"commonjs"}\n');
  for (const [name, text] of texts) await writeFile(join(outdir, 'program', name), wrapInFunction(text));
  await writeThreads(join(outdir, 'program', 'threads'));
  await writeLauncher(program, {});
  return { program, texts };
}

/**
 * Writes the programs of worker threads, each in one file, because a thread has no launcher.
 * @param {string} outdir
 */
async function writeThreads(outdir) {
  await build({
    absWorkingDir: root,
    entryPoints: { page: 'src/app/system-ports/threads/page.ts' },
    outdir,
    bundle: true,
    ...COMMONJS_OPTIONS,
  });
}

/**
 * @param {string} program
 * @param {Packs} packs
 */
async function writeLauncher(program, packs) {
  const text = await readFile(join(root, 'scripts/launcher.cjs'), 'utf8');
  const entries = Object.entries(packs).map(([pack, names]) => {
    const chunks = names.map((name) => JSON.stringify(`./${name}`)).join(', ');
    return `${JSON.stringify(`./${pack}`)}: [${chunks}],`;
  });
  await writeFile(program, text.replace('/* packs */', entries.join('\n  ')));
  await chmod(program, 0o755);
}

/**
 * The chunks that a first prompt loads with any model API, and that a start with `get_state` only does not load.
 * @param {string} program
 */
async function findPromptChunks(program) {
  const idle = await writeCodeCache(program, []);
  const [first = '', ...others] = COMMON_APIS;
  let chunks = (await writeCodeCache(program, [first])).filter((name) => !idle.includes(name));
  for (const api of others) {
    const loaded = await writeCodeCache(program, [api]);
    chunks = chunks.filter((name) => loaded.includes(name));
  }
  return chunks;
}

/**
 * The chunks that the start of a server loads, and that a start with `get_state` only does not load.
 * @param {string} program
 */
async function findServerChunks(program) {
  const idle = await writeCodeCache(program, []);
  return (await writeCodeCache(program, [], 'start')).filter((name) => !idle.includes(name));
}

/**
 * @param {string} program
 * @param {ReadonlyMap<string, string>} texts
 * @param {Packs} packs
 */
async function packChunks(program, texts, packs) {
  const folder = join(dirname(program), 'program');
  for (const [pack, names] of Object.entries(packs)) {
    const entries = names.map((name) => `${JSON.stringify(`./${name}`)}:${wrapInFunction(texts.get(name) ?? '')}`);
    await writeFile(join(folder, pack), `(function(){return{${entries.join(',')}}})`);
    for (const name of names) await rm(join(folder, name), { force: true });
  }
  await writeLauncher(program, packs);
}

/**
 * The form that the launcher runs. It is done at build time, because otherwise each start would copy the whole text.
 * @param {string} text
 */
function wrapInFunction(text) {
  return `(function(exports,require,module){${text}\n})`;
}

/**
 * @param {string} project
 * @param {string} entry
 * @returns {Promise<Map<string, import('./commonjs.mjs').Module>>} The entry as ES modules, split at dynamic imports.
 */
async function buildModules(project, entry) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { outputFiles, metafile } = await build({
    absWorkingDir: project,
    entryPoints: { cli: entry },
    outdir: project,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    splitting: true,
    minifySyntax: true,
    minifyIdentifiers: HAS_SHORT_NAMES,
    minifyWhitespace: true,
    // The `main` file of some packages is UMD, whose inner `require` calls esbuild cannot resolve.
    mainFields: ['module', 'main'],
    // Both load files relative to their own path in node_modules, so they cannot be bundled.
    external: ['@vscode/ripgrep', 'jiti', 'postgres', '@dbos-inc/dbos-sdk'],
    alias,
    plugins: [removeZodLocales, omitUnusedImports],
    define: { __VERSION__: JSON.stringify(version) },
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return new Map(
    outputFiles.map(({ path, text }) => {
      const name = relative(project, path).split(sep).join('/');
      const { imports = [], entryPoint = '' } = metafile.outputs[name] ?? {};
      return [name, { text, imports, isCommonJs: metafile.inputs[entryPoint]?.format === 'cjs' }];
    }),
  );
}
