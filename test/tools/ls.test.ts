// The ls tool lists a directory in a deterministic order.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ls } from '../../src/tools/ls.ts';
import { createToolFixture, expectFault, getText } from './tool-fixture.ts';

test('names are sorted case-insensitively, folders and links to folders end with a slash', async () => {
  const fixture = createToolFixture();
  fixture.writeFiles({ 'b.txt': '', 'A.txt': '', 'a.txt': '', '.hidden': '', 'Zoo/x': '' });
  symlinkSync('Zoo', fixture.path('link-to-folder'));
  symlinkSync('nowhere', fixture.path('link-to-nothing'));
  execFileSync('mkfifo', [fixture.path('pipe')]);
  expect(await ls.run({}, fixture)).toEqual({
    content: [
      {
        type: 'text',
        text: ['.hidden', 'A.txt', 'a.txt', 'b.txt', 'link-to-folder/', 'link-to-nothing', 'pipe', 'Zoo/'].join('\n'),
      },
    ],
  });
});

test('an empty directory is reported', async () => {
  expect(getText(await ls.run({ path: '.' }, createToolFixture()))).toBe('(empty directory)');
});

test('a reached limit is reported with the limit to use instead', async () => {
  const fixture = createToolFixture();
  fixture.writeFiles({ a: '', b: '', c: '' });
  expect(await ls.run({ limit: 2 }, fixture)).toEqual({
    content: [{ type: 'text', text: 'a\nb\n\n[2 entries limit reached. Use limit=4 for more]' }],
    details: { entryLimitReached: 2 },
  });
  expect(await ls.run({ limit: 3 }, fixture)).toEqual({ content: [{ type: 'text', text: 'a\nb\nc' }] });
});

test('the default limit is 500', async () => {
  const fixture = createToolFixture();
  for (let i = 0; i < 501; i += 1) mkdirSync(fixture.path(`d${i}`));
  const text = getText(await ls.run({}, fixture));
  expect(text.split('\n')).toHaveLength(502);
  expect(text.endsWith('[500 entries limit reached. Use limit=1000 for more]')).toBe(true);
});

test('output is limited to 50 KiB', async () => {
  const fixture = createToolFixture();
  for (let i = 0; i < 300; i += 1) fixture.writeFiles({ [`${String(i).padStart(3, '0')}${'x'.repeat(200)}`]: '' });
  const result = await ls.run({}, fixture);
  expect(getText(result).endsWith('\n\n[50.0KB limit reached]')).toBe(true);
  expect(result.details).toMatchObject({
    truncation: { truncated: true, truncatedBy: 'bytes', totalLines: 300, outputLines: 250, maxBytes: 51200 },
  });
});

test('a path that is not a directory is rejected with its absolute path', async () => {
  const fixture = createToolFixture();
  fixture.writeFiles({ file: '' });
  expect((await expectFault(ls, { path: 'nope' }, fixture)).message).toBe(`Path not found: ${fixture.path('nope')}`);
  expect((await expectFault(ls, { path: 'file' }, fixture)).message).toBe(`Not a directory: ${fixture.path('file')}`);
});
