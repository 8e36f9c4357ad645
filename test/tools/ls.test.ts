// The ls tool lists one directory in the same order everywhere.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ls } from '../../src/tools/ls.ts';
import { refusal, surroundings, textOf } from './surroundings.ts';

test('names are sorted without regard to case, folders end with a slash, links count as what they lead to', async () => {
  const here = surroundings();
  here.put({ 'b.txt': '', 'A.txt': '', 'a.txt': '', '.hidden': '', 'Zoo/x': '' });
  symlinkSync('Zoo', here.path('link-to-folder'));
  symlinkSync('nowhere', here.path('link-to-nothing'));
  execFileSync('mkfifo', [here.path('pipe')]);
  expect(await ls.run({}, here)).toEqual({
    content: [
      {
        type: 'text',
        text: ['.hidden', 'A.txt', 'a.txt', 'b.txt', 'link-to-folder/', 'link-to-nothing', 'pipe', 'Zoo/'].join('\n'),
      },
    ],
  });
});

test('an empty directory says so', async () => {
  expect(textOf(await ls.run({ path: '.' }, surroundings()))).toBe('(empty directory)');
});

test('the limit is said together with the way to more', async () => {
  const here = surroundings();
  here.put({ a: '', b: '', c: '' });
  expect(await ls.run({ limit: 2 }, here)).toEqual({
    content: [{ type: 'text', text: 'a\nb\n\n[2 entries limit reached. Use limit=4 for more]' }],
    details: { entryLimitReached: 2 },
  });
  expect(await ls.run({ limit: 3 }, here)).toEqual({ content: [{ type: 'text', text: 'a\nb\nc' }] });
});

test('500 is the limit when none is given', async () => {
  const here = surroundings();
  for (let i = 0; i < 501; i += 1) mkdirSync(here.path(`d${i}`));
  const text = textOf(await ls.run({}, here));
  expect(text.split('\n')).toHaveLength(502);
  expect(text.endsWith('[500 entries limit reached. Use limit=1000 for more]')).toBe(true);
});

test('50 KiB is a limit of its own', async () => {
  const here = surroundings();
  for (let i = 0; i < 300; i += 1) here.put({ [`${String(i).padStart(3, '0')}${'x'.repeat(200)}`]: '' });
  const result = await ls.run({}, here);
  expect(textOf(result).endsWith('\n\n[50.0KB limit reached]')).toBe(true);
  expect(result.details).toMatchObject({
    truncation: { truncated: true, truncatedBy: 'bytes', totalLines: 300, outputLines: 250, maxBytes: 51200 },
  });
});

test('what is no directory is refused by its whole path', async () => {
  const here = surroundings();
  here.put({ file: '' });
  expect((await refusal(ls, { path: 'nope' }, here)).message).toBe(`Path not found: ${here.path('nope')}`);
  expect((await refusal(ls, { path: 'file' }, here)).message).toBe(`Not a directory: ${here.path('file')}`);
});
