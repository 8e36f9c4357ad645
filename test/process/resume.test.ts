// Going on with a session that is chosen from a list, on a real terminal and where there is none.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { newPlace, runProgram } from '../support/program.ts';
import { rolesBelow } from '../support/session-files.ts';

test('a person at a terminal is asked, on stderr, and the chosen session goes on', async () => {
  const place = newPlace();
  await runProgram(['-p', 'say `one`'], '', { place });
  const command = `${process.execPath} ${inject('program')} --resume -p 'say \`two\`'`;
  // The terminal of `script` echoes what is typed and shows both streams.
  const running = promisify(execFile)('script', ['-qec', command, '/dev/null'], {
    cwd: place.cwd,
    env: { PATH: process.env.PATH, HOME: place.home, PARLEY_DIR: place.home, TERM: 'dumb' },
  });
  running.child.stdin?.end('1\n');
  const { stdout } = await running;
  expect(stdout).toMatch(/id +used +messages +name\r\n1 +[0-9a-f]{8} +now +2 +say `one`/);
  expect(stdout).toContain('Number or id [1]: ');
  expect(stdout).toMatch(/\btwo\r\n/);
  expect(rolesBelow(place.home)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test.each([
  ['--mode', 'rpc'],
  ['-p', 'hello'],
])('without a terminal (%s %s) it says what to use instead', async (...args) => {
  const { code, stdout, stderr } = await runProgram([...args, '--resume']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Error: --resume asks which session .* --continue .* --session PATH\|ID/);
});
