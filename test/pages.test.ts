// Runs the code blocks of the documents that are marked `run`. The `output` block after one is its expected output. Python blocks are
// run by the tests of the Python client. Other blocks are checked by page-blocks.ts.
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, inject, test } from 'vitest';
import { checkBlock, checkInlineCommands } from './support/page-blocks.ts';
import { ALL_PAGES, blocksOf, fencesOf, readPage } from './support/pages.ts';
import { createDirectories, type ProgramDirectories } from './support/program.ts';
import { createTemporaryDirectory } from './support/temporary-directory.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Pages with blocks to run. */
const PAGES = ALL_PAGES.filter((page) => blocksOf(page).some(({ language }) => language !== 'python'));

/** Puts the program on the path, and two directories above the compiled block, where the library looks for it. */
function install(programDirectories: ProgramDirectories) {
  const package_ = createTemporaryDirectory();
  mkdirSync(join(package_, 'lib/page'), { recursive: true });
  symlinkSync(inject('program'), join(package_, 'parley'));
  symlinkSync(inject('program'), join(package_, 'cli.js'));
  symlinkSync(join(root, 'node_modules'), join(package_, 'node_modules'), 'junction');
  const path = [package_, dirname(process.execPath), process.env.PATH].join(delimiter);
  return {
    folder: join(package_, 'lib/page'),
    env: { PATH: path, HOME: programDirectories.home, PARLEY_DIR: programDirectories.home },
  };
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
    alias: {
      'parley-agent/client': join(root, 'src/client/index.ts'),
      'parley-agent/testing': join(root, 'src/testing/index.ts'),
      'parley-agent': join(root, 'src/app/sdk.ts'),
    },
    packages: 'external',
    logLevel: 'silent',
  });
  return outfile;
}

/** The blocks of a page share a directory, as for a reader who follows the page. */
describe.each(PAGES)('%s', (page) => {
  const blocks = blocksOf(page).filter(({ language }) => language !== 'python');

  test('every block marked run succeeds', async () => {
    const directories = createDirectories();
    // The mode with which Parley creates the user directory.
    mkdirSync(join(directories.home, 'user'), { mode: 0o700 });
    const { folder, env } = install({ ...directories, home: join(directories.home, 'user') });
    writeFileSync(join(directories.cwd, 'README.md'), '# A project\n');
    for (const { language, code, output } of blocks) {
      const [command, args] =
        language === 'bash' ? ['bash', ['-euc', code]] : [process.execPath, [await compileBlock(code, folder)]];
      const ran = spawnSync(command, args, { cwd: directories.cwd, env, encoding: 'utf8', timeout: 150_000 });
      expect({ code, status: ran.status, stderr: ran.stderr }).toEqual({ code, status: 0, stderr: expect.any(String) });
      for (const line of output) expect(ran.stdout).toContain(line);
    }
  });
});

test('these pages have blocks to run', () => {
  const names = [
    'command-line',
    'embedding',
    'extensions',
    'getting-started',
    'mcp-server',
    'migrating',
    'opal',
    'security',
    'testing',
    'troubleshooting',
  ];
  expect(PAGES).toEqual(expect.arrayContaining(names.map((name) => `docs/${name}.md`)));
});

test.each(ALL_PAGES)('every other block of %s is checked', async (page) => {
  const text = readPage(page);
  expect(text.match(/^```/gm)?.length ?? 0, 'a fence with an unknown form').toBe(2 * fencesOf(page).length);
  for (const [, language = '', run, code = ''] of fencesOf(page)) {
    if (!run && language !== 'output') await checkBlock(page, language, code);
  }
  await checkInlineCommands(text);
});
