// Runs the examples in a separate process and directory: those of the SDK compiled against the sources, the editor with the built program.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createTemporaryDirectory } from './support/temporary-directory.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const examples = readdirSync(join(root, 'examples/sdk')).filter((name) => name.endsWith('.ts'));

let compiled = '';

beforeAll(async () => {
  compiled = await mkdtemp(join(tmpdir(), 'parley-examples-'));
  await symlink(join(root, 'node_modules'), join(compiled, 'node_modules'), 'junction');
  await build({
    absWorkingDir: root,
    entryPoints: examples.map((name) => `examples/sdk/${name}`),
    outdir: join(compiled, 'out'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    alias: { 'parley-agent': join(root, 'src/app/sdk.ts') },
    packages: 'external',
    logLevel: 'silent',
  });
});

afterAll(() => rm(compiled, { recursive: true, force: true }));

/** The expected output of each example. */
const OUTPUT: Record<string, RegExp> = {
  'subscribe.ts': /\n\[ls\]\nThis directory holds 0 folders and 1 file.*shopping\.txt/s,
  'custom-model.ts': /^megaphone: HELLO FROM THE SDK \n$/,
  'custom-tool.ts': /^user → assistant → toolResult → assistant\nIt says "Helsinki: 8 °C"\.\n$/,
  'memory-store.ts': /^1 log, user and assistant stored, file: none\n$/,
};

test('every example has an expected output', () => {
  expect(Object.keys(OUTPUT).sort()).toEqual(examples.sort());
});

test.each(examples)('%s', async (name) => {
  const [home, cwd] = [createTemporaryDirectory(), createTemporaryDirectory()];
  writeFileSync(join(cwd, 'shopping.txt'), 'milk\n');
  const { stdout, stderr } = await run(process.execPath, [join(compiled, 'out', name.replace(/\.ts$/, '.mjs'))], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, PARLEY_DIR: home },
  });
  expect(stderr).toBe('');
  expect(stdout).toMatch(OUTPUT[name] ?? /^$/);
  expect(readdirSync(home)).toEqual([]);
});

/** Runs the editor with what a user types. */
function runEditor(message: string, typed: string, cwd: string) {
  const home = createTemporaryDirectory();
  const process_ = run(process.execPath, [join(root, 'examples/acp-editor/editor.mjs'), message], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      PARLEY_DIR: home,
      AGENT_COMMAND: `${process.execPath} ${inject('program')} acp`,
    },
  });
  process_.child.stdin?.end(typed);
  return process_;
}

test('the editor shows a diff, asks for permission, and saves a buffer only on request', async () => {
  const cwd = createTemporaryDirectory();
  const path = join(cwd, 'shopping.txt');
  writeFileSync(path, 'milk\nbread\n');
  const request = 'replace `milk` with `oats` in `shopping.txt`';
  const unsaved = await runEditor(request, '1\nn\n', cwd);
  expect(unsaved.stderr).toBe('');
  expect(unsaved.stdout).toMatch(/\? .*shopping\.txt/);
  expect(unsaved.stdout).toContain('  - milk\n  + oats\n');
  expect(unsaved.stdout).toContain('[completed]');
  expect(unsaved.stdout).toMatch(/\[end_turn\]\nSave shopping\.txt\? y\/n > not saved\n$/);
  expect(readFileSync(path, 'utf8')).toBe('milk\nbread\n');
  await runEditor(request, '1\ny\n', cwd);
  expect(readFileSync(path, 'utf8')).toBe('oats\nbread\n');
});

test('the editor changes nothing when no permission is given', async () => {
  const cwd = createTemporaryDirectory();
  const { stdout } = await runEditor('create `b.txt` with the content `new`', '', cwd);
  expect(stdout).toContain('no answer');
  expect(readdirSync(cwd)).toEqual([]);
});
