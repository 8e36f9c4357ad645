// The benchmark of the server with a few sessions: it measures everything. Its figures are not checked here.
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const bench = fileURLToPath(new URL('../../bench/server.mjs', import.meta.url));

/** The bundled program with a page beside it, which the tests do not build. */
function createProgram(): string {
  const directory = createTemporaryDirectory();
  symlinkSync(dirname(inject('program')), join(directory, 'bin'), 'junction');
  mkdirSync(join(directory, 'web'));
  writeFileSync(join(directory, 'web', 'index.html'), '<!doctype html>');
  return join(directory, 'bin', 'cli.js');
}

test('the benchmark of the server measures all figures', async () => {
  const sizes = { sessions: 4, prompted: 2, streams: 2, followers: 3, rate: 20, seconds: 1, rounds: 1 };
  const flags = Object.entries(sizes).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { stdout } = await promisify(execFile)(process.execPath, [bench, ...flags, '--program', createProgram()]);
  const rows = stdout.split('\n').filter((line) => /^\| .*\d/.test(line));
  expect(rows.length).toBe(16);
  for (const row of rows.filter((line) => !line.includes('soaks.md')))
    expect(row).toMatch(/\| (-?\d+\.\d+( MiB| ms)?(, )?)+ \|/);
  expect(stdout.match(/: (pass|FAIL)/g)).toHaveLength(4);
});
