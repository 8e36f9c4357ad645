// The find tool: files by name, as git sees them.
import { symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { find } from '../../src/tools/find.ts';
import { countingPorts, refusal, surroundings, textOf } from './surroundings.ts';

function project() {
  const here = surroundings();
  here.put({
    '.gitignore': '*.log\nbuild/\n',
    '.git/config': '',
    '.hidden/deep.ts': '',
    'build/out.ts': '',
    'b.ts': '',
    'a.log': '',
    'src/index.ts': '',
    'src/lib/index.ts': '',
    'src/lib/.gitignore': 'private.ts\n',
    'src/lib/private.ts': '',
    'src/sub/.git/HEAD': '',
  });
  return here;
}

test('hidden files are there, ignored ones and .git are not', async () => {
  expect(await find.run({ pattern: '*' }, project())).toEqual({
    content: [
      {
        type: 'text',
        text: ['.gitignore', '.hidden/deep.ts', 'b.ts', 'src/index.ts', 'src/lib/.gitignore', 'src/lib/index.ts'].join(
          '\n',
        ),
      },
    ],
  });
});

test('a pattern does not bring ignored files back', async () => {
  expect(textOf(await find.run({ pattern: '*.log' }, project()))).toBe('No files found matching pattern');
});

test('patterns with a slash begin at the folder that is searched; results are relative to it', async () => {
  const here = project();
  expect(textOf(await find.run({ pattern: 'src/*.ts' }, here))).toBe('src/index.ts');
  expect(textOf(await find.run({ pattern: 'index.ts', path: 'src' }, here))).toBe('index.ts\nlib/index.ts');
  expect(textOf(await find.run({ pattern: 'lib/*.ts', path: 'src' }, here))).toBe('lib/index.ts');
});

test('ignored folders and .git may be searched on purpose', async () => {
  const here = project();
  expect(textOf(await find.run({ pattern: '*.ts', path: 'build' }, here))).toBe('out.ts');
  expect(textOf(await find.run({ pattern: '*', path: '.git' }, here))).toBe('config');
});

test('a link to a folder is followed when it is named', async () => {
  const here = project();
  symlinkSync('src', here.path('link'));
  expect(textOf(await find.run({ pattern: '*.ts', path: 'link/lib' }, here))).toBe('index.ts');
});

test('the limit is said together with the way to more', async () => {
  const here = project();
  expect(await find.run({ pattern: '*.ts', limit: 2 }, here)).toEqual({
    content: [
      {
        type: 'text',
        text: '.hidden/deep.ts\nb.ts\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]',
      },
    ],
    details: { resultLimitReached: 2 },
  });
  expect(await find.run({ pattern: '*.ts', limit: 4 }, here)).not.toHaveProperty('details');
});

test('.gitignore counts outside of repositories too', async () => {
  const here = surroundings();
  here.put({ '.gitignore': 'a\n', a: '', b: '' });
  expect(textOf(await find.run({ pattern: '?' }, here))).toBe('b');
});

test('the walk is stopped when there are more than the limit', async () => {
  const here = project();
  const { ports, counts } = countingPorts();
  await find.run({ pattern: '*.ts', limit: 2 }, { ...here, ports });
  expect(counts).toEqual({ spawned: 1, killed: 1 });
  await find.run({ pattern: '*.ts' }, { ...here, ports });
  expect(counts).toEqual({ spawned: 2, killed: 1 });
});

test('50 KiB is a limit of its own', async () => {
  const here = surroundings();
  for (let i = 0; i < 300; i += 1) here.put({ [`${String(i).padStart(3, '0')}${'x'.repeat(200)}`]: '' });
  const result = await find.run({ pattern: '*' }, here);
  expect(textOf(result).endsWith('\n\n[50.0KB limit reached]')).toBe(true);
  expect(result.details).toMatchObject({ truncation: { totalLines: 300, outputLines: 250 } });
});

test('what is no folder is refused', async () => {
  const here = project();
  expect((await refusal(find, { pattern: '*', path: 'nope' }, here)).message).toBe(
    `Path not found: ${here.path('nope')}`,
  );
  expect((await refusal(find, { pattern: '*', path: 'b.ts' }, here)).message).toBe(
    `Not a directory: ${here.path('b.ts')}`,
  );
});

test('an aborted search ends', async () => {
  const here = project();
  const running = refusal(find, { pattern: '*' }, here);
  here.abort();
  expect((await running).message).toBe('Operation aborted');
});
