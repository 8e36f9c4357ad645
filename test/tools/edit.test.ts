// The edit tool replaces what it was told and keeps every other byte.
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edit } from '../../src/tools/edit.ts';
import { applyEdits } from '../../src/tools/edit-match.ts';
import { refusal, surroundings, textOf } from './surroundings.ts';

async function edited(content: string, ...edits: [oldText: string, newText: string][]): Promise<string> {
  const here = surroundings();
  here.put({ f: content });
  await edit.run({ path: 'f', edits: edits.map(([oldText, newText]) => ({ oldText, newText })) }, here);
  return here.text('f');
}

async function refused(content: string, ...edits: [oldText: string, newText: string][]): Promise<string> {
  const here = surroundings();
  here.put({ f: content });
  const args = { path: 'f', edits: edits.map(([oldText, newText]) => ({ oldText, newText })) };
  const { message } = await refusal(edit, args, here);
  expect(here.text('f')).toBe(content);
  return message;
}

describe('both forms', () => {
  test('oldText and newText beside the path', async () => {
    const here = surroundings();
    here.put({ f: 'one\ntwo\nthree\n' });
    expect(await edit.run({ path: 'f', oldText: 'two', newText: '2' }, here)).toEqual({
      content: [{ type: 'text', text: 'Successfully replaced text in f.' }],
      details: { diff: ' 1 one\n-2 two\n+2 2\n 3 three', firstChangedLine: 2 },
    });
    expect(here.text('f')).toBe('one\n2\nthree\n');
  });

  test('several edits are matched against the original, in any order', async () => {
    const here = surroundings();
    here.put({ f: 'a b c' });
    const edits = [
      { oldText: 'c', newText: 'a' },
      { oldText: 'a', newText: 'c' },
    ];
    const result = await edit.run({ path: 'f', edits, oldText: 'b', newText: '-' }, here);
    expect(textOf(result)).toBe('Successfully replaced 3 block(s) in f.');
    expect(here.text('f')).toBe('c - a');
  });

  test('neither form, or half of one, is refused', async () => {
    const here = surroundings();
    here.put({ f: 'x' });
    const nothing = 'edit of f needs edits, or oldText and newText';
    expect((await refusal(edit, { path: 'f' }, here)).message).toBe(nothing);
    expect((await refusal(edit, { path: 'f', edits: [] }, here)).message).toBe(nothing);
    expect((await refusal(edit, { path: 'f', oldText: 'x' }, here)).message).toBe(
      'edit of f needs both oldText and newText',
    );
  });
});

describe('refusals, which change nothing', () => {
  test.each([
    [
      'text that is not there',
      [['x', 'y']],
      'Could not find the exact text in f. The old text must match exactly including all whitespace and newlines.',
    ],
    [
      'text that is there twice',
      [['a', 'y']],
      'Found 2 occurrences of the text in f. The text must be unique. Please provide more context to make it unique.',
    ],
    [
      'no change',
      [['b', 'b']],
      'No changes made to f. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.',
    ],
    ['empty text', [['', 'y']], 'oldText must not be empty in f.'],
    [
      'one of several that is not there',
      [
        ['b', 'B'],
        ['x', 'y'],
      ],
      'Could not find edits[1] in f. The oldText must match exactly including all whitespace and newlines.',
    ],
    [
      'one of several that is there twice',
      [
        ['b', 'B'],
        ['a', 'y'],
      ],
      'Found 2 occurrences of edits[1] in f. Each oldText must be unique. Please provide more context to make it unique.',
    ],
    [
      'one of several that is empty',
      [
        ['b', 'B'],
        ['', 'y'],
      ],
      'edits[1].oldText must not be empty in f.',
    ],
    [
      'several without effect',
      [
        ['b', 'b'],
        ['c', 'c'],
      ],
      'No changes made to f. The replacements produced identical content.',
    ],
    [
      'overlapping ones',
      [
        ['b c', 'x'],
        ['a b', 'y'],
      ],
      'edits[1] and edits[0] overlap in f. Merge them into one edit or target disjoint regions.',
    ],
  ] as [string, [string, string][], string][])('%s', async (_, edits, message) => {
    expect(await refused('a b c a', ...edits)).toBe(message);
  });

  test('occurrences that overlap one another are two', async () => {
    expect(await refused('aaa', ['aa', 'b'])).toMatch(/^Found 2 occurrences/);
  });

  test('neighbours do not overlap', async () => {
    expect(await edited('abcd', ['ab', '1'], ['cd', '2'])).toBe('12');
  });
});

describe('bytes that were not replaced', () => {
  test('CRLF stays, also in what is new', async () => {
    expect(await edited('a\r\nb\r\nc\r\n', ['a\nb', 'x\ny\nz'])).toBe('x\r\ny\r\nz\r\nc\r\n');
    expect(await edited('a\r\nb\r\n', ['a\r\nb', 'x\r\ny'])).toBe('x\r\ny\r\n');
    expect(await edited('a\r\nb\r\n', ['b', 'x\ny'])).toBe('a\r\nx\r\ny\r\n');
    expect(await edited('a\r\nb\r\n', ['\nb', '\nx'])).toBe('a\r\nx\r\n');
  });

  test('a file with both line ends keeps both', async () => {
    expect(await edited('a\r\nb\nc\nd\r\n', ['b\nc', 'B\nC'])).toBe('a\r\nB\nC\nd\r\n');
    expect(await edited('a\nb\r\nc\r\n', ['b\nc', 'B\nC'])).toBe('a\nB\r\nC\r\n');
  });

  test('a lone carriage return is a letter like any other', async () => {
    expect(await edited('a\rb\nc\n', ['c', 'x\ny'])).toBe('a\rb\nx\ny\n');
  });

  test('the BOM stays and is not in the way', async () => {
    expect(await edited('\ufeffone\ntwo\n', ['one\n', '1\n'])).toBe('\ufeff1\ntwo\n');
  });

  test('text that is not UTF-8 is refused rather than spoilt', async () => {
    const here = surroundings();
    const latin1 = Buffer.from('caf\xe9 one', 'latin1');
    here.put({ f: latin1 });
    expect((await refusal(edit, { path: 'f', oldText: 'one', newText: 'two' }, here)).message).toBe(
      'Cannot edit f: it is not UTF-8 text. Use bash',
    );
    expect(readFileSync(here.path('f'))).toEqual(latin1);
  });

  test('mode, inode and link stay', async () => {
    const here = surroundings();
    here.put({ target: 'one' });
    chmodSync(here.path('target'), 0o755);
    symlinkSync('target', here.path('link'));
    const { ino } = statSync(here.path('target'));
    await edit.run({ path: 'link', oldText: 'one', newText: 'two' }, here);
    const after = statSync(here.path('target'));
    expect([after.ino, after.mode & 0o777, here.text('target')]).toEqual([ino, 0o755, 'two']);
    expect(lstatSync(here.path('link')).isSymbolicLink()).toBe(true);
  });
});

describe('forgiving match', () => {
  test.each([
    ['quotes', 'say(\u201chi\u201d, \u2018x\u2019)', `say("hi", 'x')`],
    ['dashes', 'a \u2013 b \u2014 c \u2212 d', 'a - b - c - d'],
    ['spaces', 'a\u00a0b\u3000c', 'a b c'],
    ['compatible letters', '\ufb01ne \uff21\u2026', 'fine A...'],
    ['composed accents', 'cafe\u0301 now', 'caf\u00e9 now'],
    ['decomposed accents', 'caf\u00e9 now', 'cafe\u0301 now'],
    ['Hangul in parts', '\u1112\u1161\u11ab!', '\ud55c!'],
    ['blanks at line ends of the file', 'if (x) {  \n  y();\t\n}', 'if (x) {\n  y();\n}'],
    ['blanks at line ends of the old text', 'if (x) {\n}', 'if (x) {   \n}  '],
    ['the other direction', 'a - b "c"', 'a \u2014 b \u201cc\u201d'],
  ])('%s', async (_, inFile, oldText) => {
    const around = ['\u201ckept\u201d  \u00e9\n', '\n\u2018also kept\u2019\u00a0 \n'];
    expect(await edited(around.join(inFile), [oldText, 'NEW'])).toBe(around.join('NEW'));
  });

  test('works with CRLF', async () => {
    expect(await edited('a  \r\n\u201cb\u201d\r\nc\r\n', ['a\n"b"', 'x\ny'])).toBe('x\r\ny\r\nc\r\n');
  });

  test('an exact place wins over a similar one', async () => {
    expect(await edited(`'a' \u2018a\u2019`, [`'a'`, 'x'])).toBe('x \u2018a\u2019');
  });

  test('two similar places are too many', async () => {
    expect(await refused(`\u2018a\u2019 \u201ba\u2019`, [`'a'`, 'x'])).toMatch(/^Found 2 occurrences/);
  });

  test('it never begins or ends inside a character of the file', async () => {
    expect(await refused('\ufb01ne', ['ine', 'x'])).toMatch(/^Could not find/);
    expect(await refused('so\ufb01', ['sof', 'x'])).toMatch(/^Could not find/);
  });

  test('blanks at the end of the old text are forgiven only at the end of a line', async () => {
    expect(await refused('\u2018a\u2019 returning', [`'a' return `, 'x'])).toMatch(/^Could not find/);
    expect(await edited('\u2018a\u2019 return\nb', [`'a' return `, 'x'])).toBe('x\nb');
  });

  test('old text of nothing but blanks is not found everywhere', async () => {
    expect(await refused('a\nb', ['   ', 'x'])).toMatch(/^Could not find/);
  });

  test('a mix of exact and forgiving edits', async () => {
    expect(await edited('\u201cone\u201d two three', ['two', '2'], ['"one"', '1'])).toBe('1 2 three');
  });
});

describe('places', () => {
  test.each([
    ['nothing', 'missing', 'File not found: missing'],
    ['a folder', 'folder', 'Cannot edit folder: it is a directory'],
    ['a FIFO', 'pipe', 'Cannot edit pipe: it is a FIFO'],
    ['a device', '/dev/zero', 'Cannot edit /dev/zero: it is a device'],
    ['a huge file', 'sparse', 'Cannot edit sparse: it is larger than 16.0MB. Use bash'],
  ])('%s is refused', async (_, path, message) => {
    const here = surroundings();
    here.put({ 'folder/x': '', sparse: '' });
    execFileSync('mkfifo', [here.path('pipe')]);
    truncateSync(here.path('sparse'), 5 * 1024 ** 3);
    expect((await refusal(edit, { path, oldText: 'a', newText: 'b' }, here)).message).toBe(message);
  });

  test('an aborted call changes nothing', async () => {
    const here = surroundings();
    here.put({ f: 'a' });
    here.abort();
    expect((await refusal(edit, { path: 'f', oldText: 'a', newText: 'b' }, here)).message).toBe('Operation aborted');
    expect(here.text('f')).toBe('a');
  });

  test('edits of one file from many calls are all there', async () => {
    const here = surroundings();
    const words = Array.from({ length: 20 }, (_, i) => `<${i}>`);
    here.put({ f: words.join('\n') });
    symlinkSync('f', here.path('link'));
    await Promise.all(
      words.map((oldText, i) =>
        edit.run({ path: i % 2 ? 'link' : 'f', oldText, newText: oldText.toUpperCase().repeat(2) }, here),
      ),
    );
    expect(here.text('f')).toBe(words.map((word) => word.repeat(2)).join('\n'));
  });
});

test('any unique pieces of any text, replaced in any order, give what replacing them by hand gives', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', ' ', '\t', '\n', '\r\n', 'é', '“', '😀', '—'),
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 9 }), text), { maxLength: 4 }), (source, cuts) => {
      // Characters, so that no cut goes through one; CRLF counts as one.
      const letters = source.match(/\r\n|./gsu) ?? [];
      const pieces = placed(letters, cuts);
      fc.pre(pieces.length > 0 && pieces.every(({ old }) => occurrences(unix(source), unix(old)) === 1));
      const expected = byHand(letters, pieces);
      fc.pre(expected !== source);
      const edits = pieces.map(({ old, text: newText }) => ({ oldText: old, newText }));
      expect(applyEdits(source, edits.reverse(), 'f')).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});

interface Piece {
  from: number;
  to: number;
  old: string;
  text: string;
}

/** Disjoint pieces of the text, in order. */
function placed(letters: readonly string[], cuts: readonly [number, number, string][]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const [skip, length, text] of cuts) {
    from += letters.length > 0 ? skip % letters.length : 0;
    const to = Math.min(from + length + 1, letters.length);
    if (from >= to) break;
    pieces.push({ from, to, old: letters.slice(from, to).join(''), text });
    from = to;
  }
  return pieces;
}

function byHand(letters: readonly string[], pieces: readonly Piece[]): string {
  const result = [...letters];
  for (const { from, to, old, text } of [...pieces].reverse()) {
    const model = old.includes('\n') ? old : letters.join('');
    const newline = /\r?\n/.exec(model)?.[0] ?? '\n';
    result.splice(from, to - from, unix(text).replaceAll('\n', newline));
  }
  return result.join('');
}

function unix(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}
