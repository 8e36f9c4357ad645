// Runs the code blocks of the documents that are marked `run`. The `output` block after one is its expected output. Python blocks are
// run by the tests of the Python client. Other blocks are checked by page-blocks.ts.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, inject, test } from 'vitest';
import { checkBlock } from './support/page-blocks.ts';
import { newPlace, type Place } from './support/program.ts';
import { temporaryDirectory } from './support/temporary.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const ALL_PAGES = [
  ...['README.md', 'clients/python/README.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
];
const FENCE = /^```(\w*)( run)?\n(.*?)^```$/gms;

interface Block {
  readonly language: string;
  readonly code: string;
  readonly output: string[];
}

const fencesOf = (page: string) => [...readFileSync(join(root, page), 'utf8').matchAll(FENCE)];
/** Pages with blocks to run. */
const PAGES = ALL_PAGES.filter((page) => blocksOf(page).some(({ language }) => language !== 'python'));

function blocksOf(page: string): Block[] {
  const fences = fencesOf(page);
  return fences.flatMap(([, language = '', run, code = ''], i) => {
    const [, next, , output = ''] = fences[i + 1] ?? [];
    if (!run) return [];
    return [{ language, code, output: next === 'output' ? output.trimEnd().split('\n') : [] }];
  });
}

/** Puts the program on the path, and two directories above the compiled block, where the library looks for it. */
function install(place: Place) {
  const package_ = temporaryDirectory();
  mkdirSync(join(package_, 'lib/page'), { recursive: true });
  symlinkSync(inject('program'), join(package_, 'parley'));
  symlinkSync(inject('program'), join(package_, 'cli.js'));
  symlinkSync(join(root, 'node_modules'), join(package_, 'node_modules'), 'junction');
  const path = [package_, dirname(process.execPath), process.env.PATH].join(delimiter);
  return { folder: join(package_, 'lib/page'), env: { PATH: path, HOME: place.home, PARLEY_DIR: place.home } };
}

async function compileBlock(code: string, folder: string): Promise<string> {
  const outfile = join(folder, 'block.mjs');
  await build({
    stdin: { contents: code, loader: 'ts', resolveDir: root },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    alias: { 'parley-agent/client': join(root, 'src/client/index.ts'), 'parley-agent': join(root, 'src/app/sdk.ts') },
    packages: 'external',
    logLevel: 'silent',
  });
  return outfile;
}

/** The blocks of a page share a directory, as for a reader who follows the page. */
describe.each(PAGES)('%s', (page) => {
  const blocks = blocksOf(page).filter(({ language }) => language !== 'python');

  test('every block marked run succeeds', async () => {
    const place = newPlace();
    // The mode with which Parley creates the user directory.
    mkdirSync(join(place.home, 'user'), { mode: 0o700 });
    const { folder, env } = install({ ...place, home: join(place.home, 'user') });
    writeFileSync(join(place.cwd, 'README.md'), '# A project\n');
    for (const { language, code, output } of blocks) {
      const [command, args] =
        language === 'bash' ? ['bash', ['-euc', code]] : [process.execPath, [await compileBlock(code, folder)]];
      const ran = spawnSync(command, args, { cwd: place.cwd, env, encoding: 'utf8', timeout: 150_000 });
      expect({ code, status: ran.status, stderr: ran.stderr }).toEqual({ code, status: 0, stderr: expect.any(String) });
      for (const line of output) expect(ran.stdout).toContain(line);
    }
  });
});

test('these pages have blocks to run', () => {
  const names = ['embedding', 'extensions', 'getting-started', 'migrating', 'opal', 'security', 'troubleshooting'];
  expect(PAGES).toEqual(expect.arrayContaining(names.map((name) => `docs/${name}.md`)));
});

test.each(ALL_PAGES)('every other block of %s is checked', async (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  expect(text.match(/^```/gm)?.length ?? 0, 'a fence with an unknown form').toBe(2 * fencesOf(page).length);
  for (const [, language = '', run, code = ''] of fencesOf(page)) {
    if (!run && language !== 'output') await checkBlock(page, language, code);
  }
});
