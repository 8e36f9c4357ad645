// The grep tool: matching lines, context and limits.
import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { grep } from '../../src/tools/grep.ts';
import { MAX_LINE_BYTES } from '../../src/tools/ripgrep.ts';
import { createCountingPorts, createToolFixture, expectFault, getText } from './tool-fixture.ts';

function createProject() {
  const fixture = createToolFixture();
  fixture.writeFiles({
    '.gitignore': 'ignored.txt\n',
    '.git/config': 'needle',
    '.hidden': 'a needle\n',
    'ignored.txt': 'needle\n',
    'src/a.ts': 'one\ntwo needle\nthree\nfour Needle\r\n',
    'src/b.js': 'needle (x)\n',
  });
  return fixture;
}

describe('matches', () => {
  test('have file and line number and are sorted by path', async () => {
    expect(await grep.run({ pattern: 'needle' }, createProject())).toEqual({
      content: [{ type: 'text', text: '.hidden:1: a needle\nsrc/a.ts:2: two needle\nsrc/b.js:1: needle (x)' }],
    });
  });

  test.each([
    [
      'ignoring case',
      { pattern: 'NEEDLE', path: 'src/a.ts', ignoreCase: true },
      'a.ts:2: two needle\na.ts:4: four Needle',
    ],
    ['in one folder', { pattern: 'needle', path: 'src' }, 'a.ts:2: two needle\nb.js:1: needle (x)'],
    ['in files that match a glob', { pattern: 'needle', glob: '*.js' }, 'src/b.js:1: needle (x)'],
    ['in files that do not match a glob', { pattern: 'needle', path: 'src', glob: '!*.js' }, 'a.ts:2: two needle'],
    ['of a literal pattern', { pattern: '(x)', literal: true }, 'src/b.js:1: needle (x)'],
    ['of a regular expression', { pattern: '^(one|three)$' }, 'src/a.ts:1: one\nsrc/a.ts:3: three'],
    ['of a pattern that looks like an option', { pattern: '--version' }, 'No matches found'],
    ['with context', { pattern: 'two', context: 1 }, 'src/a.ts-1- one\nsrc/a.ts:2: two needle\nsrc/a.ts-3- three'],
    ['without context for values below one', { pattern: 'two', context: -1 }, 'src/a.ts:2: two needle'],
    ['that do not exist', { pattern: 'nothing like it' }, 'No matches found'],
    ['in .git, if it is the path argument', { pattern: 'needle', path: '.git' }, 'config:1: needle'],
    [
      'in an ignored file, if it is the path argument',
      { pattern: 'needle', path: 'ignored.txt' },
      'ignored.txt:1: needle',
    ],
  ])('%s', async (_, args, text) => {
    expect(getText(await grep.run(args, createProject()))).toBe(text);
  });

  test('in text that is not UTF-8', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ f: Buffer.from('caf\xe9 needle\n', 'latin1') });
    expect(getText(await grep.run({ pattern: 'needle' }, fixture))).toBe('f:1: caf\ufffd needle');
  });
});

describe('limits', () => {
  const createMatches = (count: number) => Array.from({ length: count }, (_, i) => `needle ${i + 1}\n`).join('');

  test('100 matches by default', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ f: createMatches(150) });
    const result = await grep.run({ pattern: 'needle' }, fixture);
    const text = getText(result);
    expect(text.startsWith('f:1: needle 1\n')).toBe(true);
    expect(
      text.endsWith('f:100: needle 100\n\n[100 matches limit reached. Use limit=200 for more, or refine pattern]'),
    ).toBe(true);
    expect(result.details).toEqual({ matchLimitReached: 100 });
    expect(await grep.run({ pattern: 'needle', limit: 200 }, fixture)).not.toHaveProperty('details');
  });

  test('the last match has its context lines', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ f: 'a\nneedle\nb\nc\nd\nneedle\n', g: 'needle\nx\n' });
    expect(getText(await grep.run({ pattern: 'needle', limit: 1, context: 2 }, fixture))).toBe(
      'f-1- a\nf:2: needle\nf-3- b\nf-4- c\n\n[1 matches limit reached. Use limit=2 for more, or refine pattern]',
    );
    expect(getText(await grep.run({ pattern: 'needle', limit: 2, context: 9 }, fixture))).toMatch(
      /^f-1- a\n[^g]*\nf:6: needle\n\n\[/,
    );
  });

  test('ripgrep is stopped when the limit is reached', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ a: 'needle\n', b: '' });
    // Too large to be searched within the time limit of the test.
    truncateSync(fixture.path('b'), 20 * 1024 ** 3);
    const { ports, counts } = createCountingPorts();
    expect(getText(await grep.run({ pattern: 'needle', limit: 1 }, { ...fixture, ports }))).toMatch(/^a:1: needle\n/);
    expect(counts).toEqual({ spawned: 1, killed: 1 });
  });

  test('long lines are truncated between characters', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ f: `needle${'x'.repeat(493)}😀${'y'.repeat(50)}\n`, g: `needle${'x'.repeat(494)}\n` });
    expect(await grep.run({ pattern: 'needle' }, fixture)).toEqual({
      content: [
        {
          type: 'text',
          text: `f:1: needle${'x'.repeat(493)}... [truncated]\ng:1: needle${'x'.repeat(494)}\n\n[Some lines truncated to 500 chars. Use read tool to see full lines]`,
        },
      ],
      details: { linesTruncated: true },
    });
  });

  test('50 KiB, with all notices in one pair of brackets', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ f: `needle${'x'.repeat(600)}\n`.repeat(200) });
    const result = await grep.run({ pattern: 'needle', limit: 150 }, fixture);
    expect(getText(result)).toMatch(
      /\n\n\[150 matches limit reached\. Use limit=300 for more, or refine pattern\. 50\.0KB limit reached\. Some lines truncated to 500 chars\. Use read tool to see full lines\]$/,
    );
    expect(result.details).toMatchObject({
      truncation: { truncatedBy: 'bytes', totalLines: 150, outputLines: 98 },
      matchLimitReached: 150,
      linesTruncated: true,
    });
  });

  test('a line over 8 MB is skipped with a notice', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ f: `needle${'x'.repeat(MAX_LINE_BYTES)}\n`, g: 'needle\n' });
    expect(getText(await grep.run({ pattern: 'needle' }, fixture))).toBe(
      'g:1: needle\n\n[1 matching lines over 8.0MB left out]',
    );
  });
});

describe('errors', () => {
  test.each([
    ['an invalid regular expression', { pattern: '(' }, /^rg: regex parse error:.*unclosed group/s],
    ['an invalid glob', { pattern: 'x', glob: '{' }, /glob/],
    ['a missing path', { pattern: 'x', path: 'nope' }, /^Path not found: \/.*\/nope$/],
    ['a FIFO', { pattern: 'x', path: 'pipe' }, /^Cannot search pipe: it is a FIFO$/],
    ['a device', { pattern: 'x', path: '/dev/zero' }, /^Cannot search \/dev\/zero: it is a device$/],
    ['5 GB of zeros', { pattern: 'x', path: 'sparse' }, /^Cannot search sparse: it is a binary file \(5\.0GB\)$/],
  ])('%s', async (_, args, message) => {
    const fixture = createProject();
    fixture.writeFiles({ sparse: '' });
    truncateSync(fixture.path('sparse'), 5 * 1024 ** 3);
    execFileSync('mkfifo', [fixture.path('pipe')]);
    expect((await expectFault(grep, args, fixture)).message).toMatch(message);
  });

  test('FIFOs, devices and large binary files in the tree are skipped', async () => {
    const fixture = createProject();
    fixture.writeFiles({ sparse: '' });
    truncateSync(fixture.path('sparse'), 5 * 1024 ** 3);
    execFileSync('mkfifo', [fixture.path('pipe')]);
    symlinkSync('/dev/zero', fixture.path('zero'));
    expect(getText(await grep.run({ pattern: 'two' }, fixture))).toBe('src/a.ts:2: two needle');
  });

  test('an aborted search ends with an error', async () => {
    const fixture = createProject();
    const running = expectFault(grep, { pattern: 'x' }, fixture);
    fixture.abort();
    expect((await running).message).toBe('Operation aborted');
  });
});
