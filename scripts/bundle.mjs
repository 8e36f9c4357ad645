// Packs the program into as few files as start-up wants. Shared by the build and by the tests, which never touch dist/.
// @ts-check
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { toCommonJs } from './commonjs.mjs';
import { COMMON_WIRES, rehearse } from './rehearsal.mjs';
import { zodInEnglish } from './vendor.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Makes the program: `outdir`/cli.js, which starts `outdir`/program.
 * @param {string} outdir
 * @returns {Promise<{ program: string, startBytes: number, totalBytes: number }>}
 */
export async function bundle(outdir) {
  const { program, texts } = await writeProgram(outdir, root, 'src/cli/main.ts');
  await packTogether(program, texts, await neededByPrompts(program));
  await rehearse(program, ['offline', ...COMMON_WIRES]);
  const totalBytes = [...texts.values()].reduce((sum, text) => sum + text.length, 0);
  return { program, startBytes: texts.get('start.js')?.length ?? 0, totalBytes };
}

/**
 * Writes the launcher and one file for each part of the program.
 * @param {string} outdir
 * @param {string} project The folder from which packages are looked up.
 * @param {string} entry Relative to it.
 * @returns {Promise<{ program: string, texts: Map<string, string> }>}
 */
export async function writeProgram(outdir, project, entry) {
  const texts = await toCommonJs(await modules(project, entry), 'cli.js');
  const program = join(resolve(outdir), 'cli.js');
  await mkdir(join(outdir, 'program'), { recursive: true });
  // The package's own files are ES modules, unless a folder says otherwise.
  await writeFile(join(outdir, 'package.json'), '{"type":"commonjs"}\n');
  for (const [name, text] of texts) await writeFile(join(outdir, 'program', name), asFunction(text));
  await writeThreads(join(outdir, 'program', 'threads'));
  await writeLauncher(program, []);
  return { program, texts };
}

/**
 * Programs of worker threads. Each is whole in one file, because a thread has no launcher.
 * @param {string} outdir
 */
async function writeThreads(outdir) {
  await build({
    absWorkingDir: root,
    entryPoints: { page: 'src/app/system-ports/threads/page.ts' },
    outdir,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'silent',
  });
}

/**
 * @param {string} program
 * @param {readonly string[]} together
 */
async function writeLauncher(program, together) {
  const text = await readFile(join(root, 'scripts/launcher.cjs'), 'utf8');
  const names = together.map((name) => JSON.stringify(`./${name}`)).join(', ');
  await writeFile(program, text.replace('/* together */ []', `[${names}]`));
  await chmod(program, 0o755);
}

/**
 * What a first prompt loads over any wire, and a start that is only asked for its state does not.
 * @param {string} program
 */
async function neededByPrompts(program) {
  const idle = await rehearse(program, []);
  const [first = '', ...others] = COMMON_WIRES;
  let needed = (await rehearse(program, [first])).filter((name) => !idle.includes(name));
  for (const wire of others) {
    const also = await rehearse(program, [wire]);
    needed = needed.filter((name) => also.includes(name));
  }
  return needed;
}

/**
 * @param {string} program
 * @param {ReadonlyMap<string, string>} texts
 * @param {readonly string[]} names
 */
async function packTogether(program, texts, names) {
  const folder = join(dirname(program), 'program');
  const entries = names.map((name) => `${JSON.stringify(`./${name}`)}:${asFunction(texts.get(name) ?? '')}`);
  await writeFile(join(folder, 'together.js'), `(function(){return{${entries.join(',')}}})`);
  for (const name of names) await rm(join(folder, name));
  await writeLauncher(program, names);
}

/**
 * As the launcher takes it. Done here, because a start would copy the whole text for it.
 * @param {string} text
 */
function asFunction(text) {
  return `(function(exports,require,module){${text}\n})`;
}

/**
 * @param {string} project
 * @param {string} entry
 * @returns {Promise<Map<string, import('./commonjs.mjs').Module>>} The entry as ES modules, split where it loads lazily.
 */
async function modules(project, entry) {
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
    // Names stay readable in stack traces; the rest of the weight goes.
    minifySyntax: true,
    minifyWhitespace: true,
    // The `main` of some packages is UMD, whose inner requires no bundler can follow.
    mainFields: ['module', 'main'],
    // Both find their other half beside themselves in node_modules, so they must stay there.
    external: ['@vscode/ripgrep', 'jiti'],
    plugins: [zodInEnglish],
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
