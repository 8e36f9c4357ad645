import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createDirectories } from '../support/program.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

/** Writes for every script of the program whether V8 rejected its code cache. */
const SPY = `
const vm = require('node:vm');
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    if (options.filename.includes('program')) process.stderr.write(\`\${this.cachedDataRejected}\\n\`);
  }
};`;

function firstReply(program: string, ...flags: string[]) {
  const { home, cwd } = createDirectories();
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, program, '--mode', 'rpc'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, PARLEY_DIR: home },
    input: '{"id":"1","type":"get_state"}\n',
    encoding: 'utf8',
  });
  const frames = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { status, reply: frames.find(({ id }) => id === '1'), stderr };
}

test('the chunk that every start loads is small', () => {
  expect(statSync(join(dirname(inject('program')), 'program', 'start.js')).size).toBeLessThan(240_000);
});

test('V8 accepts the code cache of the build', () => {
  const spy = join(createTemporaryDirectory(), 'spy.cjs');
  writeFileSync(spy, SPY);
  const { status, stderr } = firstReply(inject('program'), '--require', spy);
  // One line for start.js, and one for each chunk that a start without a prompt loads.
  expect({ status, stderr }).toEqual({ status: 0, stderr: 'false\nfalse\n' });
});

test('the program runs without a code cache (another V8 version)', () => {
  const copy = join(createTemporaryDirectory(), 'dist');
  cpSync(dirname(inject('program')), copy, { recursive: true });
  const folder = readdirSync(join(copy, 'program')).find((name) => name.startsWith('compiled-'));
  rmSync(join(copy, 'program', folder!), { recursive: true });
  expect(firstReply(join(copy, 'cli.js'))).toMatchObject({ status: 0, reply: { success: true }, stderr: '' });
});

test('the program runs with flags that make V8 reject the code cache', () => {
  const outcome = firstReply(inject('program'), '--no-opt', '--max-lazy');
  expect(outcome).toMatchObject({ status: 0, reply: { success: true }, stderr: '' });
});

test('a link to the program starts it', () => {
  const link = join(createTemporaryDirectory(), 'parley');
  symlinkSync(inject('program'), link);
  expect(firstReply(link)).toMatchObject({ status: 0, reply: { success: true }, stderr: '' });
});

test('tools that import a package work with the code cache', async () => {
  const { home, cwd } = createDirectories();
  writeFileSync(join(cwd, 'haystack.txt'), 'a needle\n');
  const { stdout, stderr } = spawnSync(process.execPath, [inject('program'), '--no-session', 'grep for `needle`'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, PARLEY_DIR: home },
    encoding: 'utf8',
  });
  expect(stdout).toContain('haystack.txt');
  expect(stderr).not.toContain('Warning');
});
