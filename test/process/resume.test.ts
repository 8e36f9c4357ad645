// `--resume` in a real terminal and without a terminal.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { createDirectories, runProgram } from '../support/program.ts';
import { readRoles } from '../support/session-files.ts';

test('in a terminal the user selects a session from a list on stderr, and it is resumed', async () => {
  const directories = createDirectories();
  await runProgram(['-p', 'say `one`'], '', { directories });
  const command = `${process.execPath} ${inject('program')} --resume -p 'say \`two\`'`;
  // The terminal of `script` echoes the input and shows both streams.
  const running = promisify(execFile)('script', ['-qec', command, '/dev/null'], {
    cwd: directories.cwd,
    env: { PATH: process.env.PATH, HOME: directories.home, PARLEY_DIR: directories.home, TERM: 'dumb' },
  });
  running.child.stdin?.end('1\n');
  const { stdout } = await running;
  expect(stdout).toMatch(/id +used +messages +name\r\n1 +[0-9a-f]{8} +now +2 +say `one`/);
  expect(stdout).toContain('Number or id [1]: ');
  expect(stdout).toMatch(/\btwo\r\n/);
  expect(readRoles(directories.home)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test.each([
  ['--mode', 'rpc'],
  ['-p', 'hello'],
])('without a terminal (%s %s) the error names the alternatives', async (...args) => {
  const { code, stdout, stderr } = await runProgram([...args, '--resume']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Error: --resume needs a terminal .* --continue .* --session PATH\|ID/);
});
