// The find tool: finds files by glob and respects .gitignore.
import { symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { find } from '../../src/tools/find.ts';
import { createCountingPorts, createToolFixture, expectFault, getText } from './tool-fixture.ts';

function createProject() {
  const fixture = createToolFixture();
  fixture.writeFiles({
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
  return fixture;
}

test('includes hidden files, but not ignored files and .git', async () => {
  expect(await find.run({ pattern: '*' }, createProject())).toEqual({
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

test('a pattern does not override .gitignore', async () => {
  expect(getText(await find.run({ pattern: '*.log' }, createProject()))).toBe('No files found matching pattern');
});

test('patterns with a slash and results are relative to the searched folder', async () => {
  const fixture = createProject();
  expect(getText(await find.run({ pattern: 'src/*.ts' }, fixture))).toBe('src/index.ts');
  expect(getText(await find.run({ pattern: 'index.ts', path: 'src' }, fixture))).toBe('index.ts\nlib/index.ts');
  expect(getText(await find.run({ pattern: 'lib/*.ts', path: 'src' }, fixture))).toBe('lib/index.ts');
});

test('ignored folders and .git can be searched explicitly', async () => {
  const fixture = createProject();
  expect(getText(await find.run({ pattern: '*.ts', path: 'build' }, fixture))).toBe('out.ts');
  expect(getText(await find.run({ pattern: '*', path: '.git' }, fixture))).toBe('config');
});

test('a link to a folder is followed when it is the path argument', async () => {
  const fixture = createProject();
  symlinkSync('src', fixture.path('link'));
  expect(getText(await find.run({ pattern: '*.ts', path: 'link/lib' }, fixture))).toBe('index.ts');
});

test('a reached limit is reported with the limit to use instead', async () => {
  const fixture = createProject();
  expect(await find.run({ pattern: '*.ts', limit: 2 }, fixture)).toEqual({
    content: [
      {
        type: 'text',
        text: '.hidden/deep.ts\nb.ts\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]',
      },
    ],
    details: { resultLimitReached: 2 },
  });
  expect(await find.run({ pattern: '*.ts', limit: 4 }, fixture)).not.toHaveProperty('details');
});

test('.gitignore is respected outside of repositories', async () => {
  const fixture = createToolFixture();
  fixture.writeFiles({ '.gitignore': 'a\n', a: '', b: '' });
  expect(getText(await find.run({ pattern: '?' }, fixture))).toBe('b');
});

test('ripgrep is stopped when the limit is exceeded', async () => {
  const fixture = createProject();
  const { ports, counts } = createCountingPorts();
  await find.run({ pattern: '*.ts', limit: 2 }, { ...fixture, ports });
  expect(counts).toEqual({ spawned: 1, killed: 1 });
  await find.run({ pattern: '*.ts' }, { ...fixture, ports });
  expect(counts).toEqual({ spawned: 2, killed: 1 });
});

test('output is limited to 50 KiB', async () => {
  const fixture = createToolFixture();
  for (let i = 0; i < 300; i += 1) fixture.writeFiles({ [`${String(i).padStart(3, '0')}${'x'.repeat(200)}`]: '' });
  const result = await find.run({ pattern: '*' }, fixture);
  expect(getText(result).endsWith('\n\n[50.0KB limit reached]')).toBe(true);
  expect(result.details).toMatchObject({ truncation: { totalLines: 300, outputLines: 250 } });
});

test('a path that is not a folder is rejected', async () => {
  const fixture = createProject();
  expect((await expectFault(find, { pattern: '*', path: 'nope' }, fixture)).message).toBe(
    `Path not found: ${fixture.path('nope')}`,
  );
  expect((await expectFault(find, { pattern: '*', path: 'b.ts' }, fixture)).message).toBe(
    `Not a directory: ${fixture.path('b.ts')}`,
  );
});

test('an aborted search ends with an error', async () => {
  const fixture = createProject();
  const running = expectFault(find, { pattern: '*' }, fixture);
  fixture.abort();
  expect((await running).message).toBe('Operation aborted');
});
