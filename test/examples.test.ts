// Runs the SDK examples, compiled against the sources, in a separate process and directory.
import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
