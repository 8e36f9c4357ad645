// The grep tool: matching lines as a model reads them, in bounds.
import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { grep } from '../../src/tools/grep.ts';
import { LONGEST_LINE } from '../../src/tools/ripgrep.ts';
import { countingPorts, refusal, surroundings, textOf } from './surroundings.ts';

function project() {
  const here = surroundings();
  here.put({
    '.gitignore': 'ignored.txt\n',
    '.git/config': 'needle',
    '.hidden': 'a needle\n',
    'ignored.txt': 'needle\n',
    'src/a.ts': 'one\ntwo needle\nthree\nfour Needle\r\n',
    'src/b.js': 'needle (x)\n',
  });
  return here;
}

describe('matches', () => {
  test('are given with file and line, sorted by path', async () => {
    expect(await grep.run({ pattern: 'needle' }, project())).toEqual({
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
    ['in files of a kind', { pattern: 'needle', glob: '*.js' }, 'src/b.js:1: needle (x)'],
    ['in other files', { pattern: 'needle', path: 'src', glob: '!*.js' }, 'a.ts:2: two needle'],
    ['word for word', { pattern: '(x)', literal: true }, 'src/b.js:1: needle (x)'],
    ['as an expression', { pattern: '^(one|three)$' }, 'src/a.ts:1: one\nsrc/a.ts:3: three'],
    ['of a pattern like an option', { pattern: '--version' }, 'No matches found'],
    ['with context', { pattern: 'two', context: 1 }, 'src/a.ts-1- one\nsrc/a.ts:2: two needle\nsrc/a.ts-3- three'],
    ['with no context below one', { pattern: 'two', context: -1 }, 'src/a.ts:2: two needle'],
    ['that are not there', { pattern: 'nothing like it' }, 'No matches found'],
    ['in .git, on purpose', { pattern: 'needle', path: '.git' }, 'config:1: needle'],
    ['in an ignored file, on purpose', { pattern: 'needle', path: 'ignored.txt' }, 'ignored.txt:1: needle'],
  ])('%s', async (_, args, text) => {
    expect(textOf(await grep.run(args, project()))).toBe(text);
  });

  test('in text that is not UTF-8', async () => {
    const here = surroundings();
    here.put({ f: Buffer.from('caf\xe9 needle\n', 'latin1') });
    expect(textOf(await grep.run({ pattern: 'needle' }, here))).toBe('f:1: caf\ufffd needle');
  });
});

describe('limits', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `needle ${i + 1}\n`).join('');

  test('100 matches unless told otherwise', async () => {
    const here = surroundings();
    here.put({ f: many(150) });
    const result = await grep.run({ pattern: 'needle' }, here);
    const text = textOf(result);
    expect(text.startsWith('f:1: needle 1\n')).toBe(true);
    expect(
      text.endsWith('f:100: needle 100\n\n[100 matches limit reached. Use limit=200 for more, or refine pattern]'),
    ).toBe(true);
    expect(result.details).toEqual({ matchLimitReached: 100 });
    expect(await grep.run({ pattern: 'needle', limit: 200 }, here)).not.toHaveProperty('details');
  });

  test('the last match still gets its context', async () => {
    const here = surroundings();
    here.put({ f: 'a\nneedle\nb\nc\nd\nneedle\n', g: 'needle\nx\n' });
    expect(textOf(await grep.run({ pattern: 'needle', limit: 1, context: 2 }, here))).toBe(
      'f-1- a\nf:2: needle\nf-3- b\nf-4- c\n\n[1 matches limit reached. Use limit=2 for more, or refine pattern]',
    );
    expect(textOf(await grep.run({ pattern: 'needle', limit: 2, context: 9 }, here))).toMatch(
      /^f-1- a\n[^g]*\nf:6: needle\n\n\[/,
    );
  });

  test('the search is stopped when the limit is reached', async () => {
    const here = surroundings();
    here.put({ a: 'needle\n', b: '' });
    // More than a search in a test's time, if it were read.
    truncateSync(here.path('b'), 20 * 1024 ** 3);
    const { ports, counts } = countingPorts();
    expect(textOf(await grep.run({ pattern: 'needle', limit: 1 }, { ...here, ports }))).toMatch(/^a:1: needle\n/);
    expect(counts).toEqual({ spawned: 1, killed: 1 });
  });

  test('long lines are cut, never through a character', async () => {
    const here = surroundings();
    here.put({ f: `needle${'x'.repeat(493)}😀${'y'.repeat(50)}\n`, g: `needle${'x'.repeat(494)}\n` });
    expect(await grep.run({ pattern: 'needle' }, here)).toEqual({
      content: [
        {
          type: 'text',
          text: `f:1: needle${'x'.repeat(493)}... [truncated]\ng:1: needle${'x'.repeat(494)}\n\n[Some lines truncated to 500 chars. Use read tool to see full lines]`,
        },
      ],
      details: { linesTruncated: true },
    });
  });

  test('50 KiB, with every other remark in the same bracket', async () => {
    const here = surroundings();
    here.put({ f: `needle${'x'.repeat(600)}\n`.repeat(200) });
    const result = await grep.run({ pattern: 'needle', limit: 150 }, here);
    expect(textOf(result)).toMatch(
      /\n\n\[150 matches limit reached\. Use limit=300 for more, or refine pattern\. 50\.0KB limit reached\. Some lines truncated to 500 chars\. Use read tool to see full lines\]$/,
    );
    expect(result.details).toMatchObject({
      truncation: { truncatedBy: 'bytes', totalLines: 150, outputLines: 98 },
      matchLimitReached: 150,
      linesTruncated: true,
    });
  });

  test('a line too long to hold is left out, in words', async () => {
    const here = surroundings();
    here.put({ f: `needle${'x'.repeat(LONGEST_LINE)}\n`, g: 'needle\n' });
    expect(textOf(await grep.run({ pattern: 'needle' }, here))).toBe(
      'g:1: needle\n\n[1 matching lines over 8.0MB left out]',
    );
  });
});

describe('refusals', () => {
  test.each([
    ['a broken expression', { pattern: '(' }, /^rg: regex parse error:.*unclosed group/s],
    ['a broken glob', { pattern: 'x', glob: '{' }, /glob/],
    ['nothing', { pattern: 'x', path: 'nope' }, /^Path not found: \/.*\/nope$/],
    ['a FIFO', { pattern: 'x', path: 'pipe' }, /^Cannot search pipe: it is a FIFO$/],
    ['a device', { pattern: 'x', path: '/dev/zero' }, /^Cannot search \/dev\/zero: it is a device$/],
    ['5 GB of zeros', { pattern: 'x', path: 'sparse' }, /^Cannot search sparse: it is a binary file \(5\.0GB\)$/],
  ])('%s', async (_, args, message) => {
    const here = project();
    here.put({ sparse: '' });
    truncateSync(here.path('sparse'), 5 * 1024 ** 3);
    execFileSync('mkfifo', [here.path('pipe')]);
    expect((await refusal(grep, args, here)).message).toMatch(message);
  });

  test('FIFOs, devices and gigabytes of zeros in the tree are passed over', async () => {
    const here = project();
    here.put({ sparse: '' });
    truncateSync(here.path('sparse'), 5 * 1024 ** 3);
    execFileSync('mkfifo', [here.path('pipe')]);
    symlinkSync('/dev/zero', here.path('zero'));
    expect(textOf(await grep.run({ pattern: 'two' }, here))).toBe('src/a.ts:2: two needle');
  });

  test('an aborted search ends', async () => {
    const here = project();
    const running = refusal(grep, { pattern: 'x' }, here);
    here.abort();
    expect((await running).message).toBe('Operation aborted');
  });
});
