// Packs the program into as few files as start-up wants. Shared by the build and by the tests, which never touch dist/.
// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { toCommonJs } from './commonjs.mjs';
import { zodInEnglish } from './vendor.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the program is made to do at build time, so that V8 compiles what most starts and first prompts need. */
const REHEARSAL = [
  { type: 'get_state' },
  { type: 'prompt', message: 'run `true`' },
  { type: 'prompt', message: 'hello', streamingBehavior: 'followUp' },
];

/**
 * Makes the program: `outdir`/cli.js, which starts `outdir`/program.
 * @param {string} outdir
 * @returns {Promise<{ program: string, startBytes: number, totalBytes: number }>}
 */
export async function bundle(outdir) {
  const texts = await toCommonJs(await modules(), 'cli.js');
  const program = join(resolve(outdir), 'cli.js');
  await mkdir(join(outdir, 'program'), { recursive: true });
  await copyFile(join(root, 'scripts/launcher.cjs'), program);
  await chmod(program, 0o755);
  // The package's own files are ES modules, unless a folder says otherwise.
  await writeFile(join(outdir, 'package.json'), '{"type":"commonjs"}\n');
  for (const [name, text] of texts) await writeFile(join(outdir, 'program', name), asFunction(text));
  await compile(program);
  const totalBytes = [...texts.values()].reduce((sum, text) => sum + text.length, 0);
  return { program, startBytes: texts.get('start.js')?.length ?? 0, totalBytes };
}

/**
 * As the launcher takes it. Done here, because a start would copy the whole text for it.
 * @param {string} text
 */
function asFunction(text) {
  return `(function(exports,require,module){${text}\n})`;
}

/** @returns {Promise<Map<string, import('./commonjs.mjs').Module>>} src/cli/main.ts as ES modules, split where it loads lazily. */
async function modules() {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { cli: 'src/cli/main.ts' },
    outdir: root,
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
      const name = relative(root, path).split(sep).join('/');
      return [name, { text, imports: metafile.outputs[name]?.imports ?? [] }];
    }),
  );
}

/** @param {string} program */
async function compile(program) {
  const child = spawn(process.execPath, [join(root, 'scripts/compile.cjs'), program], {
    // Neither the user's settings nor flags for Node: V8 takes the code back only under the flags it had.
    env: { PATH: process.env.PATH, PARLEY_DIR: join(program, 'nowhere') },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(REHEARSAL.map((call) => `${JSON.stringify(call)}\n`).join(''));
  await once(child, 'exit');
}
