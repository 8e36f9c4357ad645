// The diff of an edit: numbered lines, four lines of context, dots for skipped lines.
import { expect, test } from 'vitest';
import { createLineDiff } from '../../src/tools/edit-diff.ts';

const createLines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`);
const joinLines = (lines: readonly string[]) => `${lines.join('\n')}\n`;

test('a change in the middle has aligned line numbers', async () => {
  const before = createLines(20);
  const after = before.with(9, 'LINE 10');
  expect(await createLineDiff(joinLines(before), joinLines(after))).toEqual({
    diff: [
      '    ...',
      '  6 line 6',
      '  7 line 7',
      '  8 line 8',
      '  9 line 9',
      '-10 line 10',
      '+10 LINE 10',
      ' 11 line 11',
      ' 12 line 12',
      ' 13 line 13',
      ' 14 line 14',
      '    ...',
    ].join('\n'),
    firstChangedLine: 10,
  });
});

test('added lines have numbers of the new file, other lines numbers of the old file', async () => {
  const before = createLines(30);
  const after = [...before.slice(0, 2), 'new a', 'new b', ...before.slice(2, 24), ...before.slice(25)];
  const { diff, firstChangedLine } = await createLineDiff(joinLines(before), joinLines(after));
  expect(firstChangedLine).toBe(3);
  expect(diff.split('\n')).toEqual([
    '  1 line 1',
    '  2 line 2',
    '+ 3 new a',
    '+ 4 new b',
    '  3 line 3',
    '  4 line 4',
    '  5 line 5',
    '  6 line 6',
    '    ...',
    ' 21 line 21',
    ' 22 line 22',
    ' 23 line 23',
    ' 24 line 24',
    '-25 line 25',
    ' 26 line 26',
    ' 27 line 27',
    ' 28 line 28',
    ' 29 line 29',
    '    ...',
  ]);
});

test('a final newline that was added or removed is a changed line', async () => {
  expect(await createLineDiff('a\nb', 'a\nb\n')).toEqual({ diff: ' 1 a\n-2 b\n+2 b', firstChangedLine: 2 });
});

test('all lines removed', async () => {
  expect(await createLineDiff('a\nb\n', '')).toEqual({ diff: '-1 a\n-2 b', firstChangedLine: 1 });
});

test('a very large change is shown as one hunk', async () => {
  const before = ['same', ...createLines(3000), 'end'];
  const after = ['same', ...createLines(3000).map((line) => line.toUpperCase()), 'end'];
  const { diff, firstChangedLine } = await createLineDiff(joinLines(before), joinLines(after));
  const lines = diff.split('\n');
  expect(firstChangedLine).toBe(2);
  expect(lines).toHaveLength(6002);
  expect([lines[0], lines[1], lines[3000], lines[3001], lines[6001]]).toEqual([
    '    1 same',
    '-   2 line 1',
    '-3001 line 3000',
    '+   2 LINE 1',
    ' 3002 end',
  ]);
});
