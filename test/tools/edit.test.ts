// The edit tool replaces the requested text and leaves all other bytes unchanged.
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../src/tools/apply-edits.ts';
import { edit } from '../../src/tools/edit.ts';
import { createToolFixture, expectFault, getText } from './tool-fixture.ts';

async function runEdit(content: string, ...edits: [oldText: string, newText: string][]): Promise<string> {
  const fixture = createToolFixture();
  fixture.writeFiles({ f: content });
  await edit.run({ path: 'f', edits: edits.map(([oldText, newText]) => ({ oldText, newText })) }, fixture);
  return fixture.readText('f');
}

async function runFailingEdit(content: string, ...edits: [oldText: string, newText: string][]): Promise<string> {
  const fixture = createToolFixture();
  fixture.writeFiles({ f: content });
  const args = { path: 'f', edits: edits.map(([oldText, newText]) => ({ oldText, newText })) };
  const { message } = await expectFault(edit, args, fixture);
  expect(fixture.readText('f')).toBe(content);
  return message;
}

describe('forms of the arguments', () => {
  test('top-level oldText and newText', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ f: 'one\ntwo\nthree\n' });
    expect(await edit.run({ path: 'f', oldText: 'two', newText: '2' }, fixture)).toEqual({
      content: [{ type: 'text', text: 'Successfully replaced text in f.' }],
      details: { diff: ' 1 one\n-2 two\n+2 2\n 3 three', firstChangedLine: 2 },
    });
    expect(fixture.readText('f')).toBe('one\n2\nthree\n');
  });

  test('several edits are matched against the original, in any order', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ f: 'a b c' });
    const edits = [
      { oldText: 'c', newText: 'a' },
      { oldText: 'a', newText: 'c' },
    ];
    const result = await edit.run({ path: 'f', edits, oldText: 'b', newText: '-' }, fixture);
    expect(getText(result)).toBe('Successfully replaced 3 block(s) in f.');
    expect(fixture.readText('f')).toBe('c - a');
  });

  test('missing or incomplete arguments are rejected', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ f: 'x' });
    const message = 'edit of f needs edits, or oldText and newText';
    expect((await expectFault(edit, { path: 'f' }, fixture)).message).toBe(message);
    expect((await expectFault(edit, { path: 'f', edits: [] }, fixture)).message).toBe(message);
    expect((await expectFault(edit, { path: 'f', oldText: 'x' }, fixture)).message).toBe(
      'edit of f needs both oldText and newText',
    );
  });
});

describe('errors leave the file unchanged', () => {
  test.each([
    [
      'missing text',
      [['x', 'y']],
      'Could not find the exact text in f. The old text must match exactly including all whitespace and newlines.',
    ],
    [
      'ambiguous text',
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
      'missing text in one of several edits',
      [
        ['b', 'B'],
        ['x', 'y'],
      ],
      'Could not find edits[1] in f. The oldText must match exactly including all whitespace and newlines.',
    ],
    [
      'ambiguous text in one of several edits',
      [
        ['b', 'B'],
        ['a', 'y'],
      ],
      'Found 2 occurrences of edits[1] in f. Each oldText must be unique. Please provide more context to make it unique.',
    ],
    [
      'empty text in one of several edits',
      [
        ['b', 'B'],
        ['', 'y'],
      ],
      'edits[1].oldText must not be empty in f.',
    ],
    [
      'several edits without effect',
      [
        ['b', 'b'],
        ['c', 'c'],
      ],
      'No changes made to f. The replacements produced identical content.',
    ],
    [
      'overlapping edits',
      [
        ['b c', 'x'],
        ['a b', 'y'],
      ],
      'edits[1] and edits[0] overlap in f. Merge them into one edit or target disjoint regions.',
    ],
  ] as [string, [string, string][], string][])('%s', async (_, edits, message) => {
    expect(await runFailingEdit('a b c a', ...edits)).toBe(message);
  });

  test('overlapping occurrences are counted separately', async () => {
    expect(await runFailingEdit('aaa', ['aa', 'b'])).toMatch(/^Found 2 occurrences/);
  });

  test('adjacent edits do not overlap', async () => {
    expect(await runEdit('abcd', ['ab', '1'], ['cd', '2'])).toBe('12');
  });
});

describe('bytes outside of the replaced text', () => {
  test('CRLF is preserved, also in the new text', async () => {
    expect(await runEdit('a\r\nb\r\nc\r\n', ['a\nb', 'x\ny\nz'])).toBe('x\r\ny\r\nz\r\nc\r\n');
    expect(await runEdit('a\r\nb\r\n', ['a\r\nb', 'x\r\ny'])).toBe('x\r\ny\r\n');
    expect(await runEdit('a\r\nb\r\n', ['b', 'x\ny'])).toBe('a\r\nx\r\ny\r\n');
    expect(await runEdit('a\r\nb\r\n', ['\nb', '\nx'])).toBe('a\r\nx\r\n');
  });

  test('mixed line endings are preserved', async () => {
    expect(await runEdit('a\r\nb\nc\nd\r\n', ['b\nc', 'B\nC'])).toBe('a\r\nB\nC\nd\r\n');
    expect(await runEdit('a\nb\r\nc\r\n', ['b\nc', 'B\nC'])).toBe('a\nB\r\nC\r\n');
  });

  test('a single carriage return is not a line ending', async () => {
    expect(await runEdit('a\rb\nc\n', ['c', 'x\ny'])).toBe('a\rb\nx\ny\n');
  });

  test('the BOM is preserved and ignored by matching', async () => {
    expect(await runEdit('\ufeffone\ntwo\n', ['one\n', '1\n'])).toBe('\ufeff1\ntwo\n');
  });

  test('files that are not UTF-8 are rejected', async () => {
    const fixture = createToolFixture();
    const latin1 = Buffer.from('caf\xe9 one', 'latin1');
    fixture.writeFiles({ f: latin1 });
    expect((await expectFault(edit, { path: 'f', oldText: 'one', newText: 'two' }, fixture)).message).toBe(
      'Cannot edit f: it is not UTF-8 text. Use bash',
    );
    expect(readFileSync(fixture.path('f'))).toEqual(latin1);
  });

  test('mode, inode and symbolic link are preserved', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ target: 'one' });
    chmodSync(fixture.path('target'), 0o755);
    symlinkSync('target', fixture.path('link'));
    const { ino } = statSync(fixture.path('target'));
    await edit.run({ path: 'link', oldText: 'one', newText: 'two' }, fixture);
    const after = statSync(fixture.path('target'));
    expect([after.ino, after.mode & 0o777, fixture.readText('target')]).toEqual([ino, 0o755, 'two']);
    expect(lstatSync(fixture.path('link')).isSymbolicLink()).toBe(true);
  });
});

describe('normalized matching', () => {
  test.each([
    ['quotes', 'say(\u201chi\u201d, \u2018x\u2019)', `say("hi", 'x')`],
    ['dashes', 'a \u2013 b \u2014 c \u2212 d', 'a - b - c - d'],
    ['spaces', 'a\u00a0b\u3000c', 'a b c'],
    ['compatibility characters', '\ufb01ne \uff21\u2026', 'fine A...'],
    ['composed accents', 'cafe\u0301 now', 'caf\u00e9 now'],
    ['decomposed accents', 'caf\u00e9 now', 'cafe\u0301 now'],
    ['decomposed Hangul', '\u1112\u1161\u11ab!', '\ud55c!'],
    ['trailing blanks in the file', 'if (x) {  \n  y();\t\n}', 'if (x) {\n  y();\n}'],
    ['trailing blanks in the old text', 'if (x) {\n}', 'if (x) {   \n}  '],
    ['typographic characters in the old text', 'a - b "c"', 'a \u2014 b \u201cc\u201d'],
  ])('%s', async (_, inFile, oldText) => {
    const around = ['\u201cbefore\u201d  \u00e9\n', '\n\u2018after\u2019\u00a0 \n'];
    expect(await runEdit(around.join(inFile), [oldText, 'NEW'])).toBe(around.join('NEW'));
  });

  test('works with CRLF', async () => {
    expect(await runEdit('a  \r\n\u201cb\u201d\r\nc\r\n', ['a\n"b"', 'x\ny'])).toBe('x\r\ny\r\nc\r\n');
  });

  test('an exact match wins over a normalized one', async () => {
    expect(await runEdit(`'a' \u2018a\u2019`, [`'a'`, 'x'])).toBe('x \u2018a\u2019');
  });

  test('two normalized matches are ambiguous', async () => {
    expect(await runFailingEdit(`\u2018a\u2019 \u201ba\u2019`, [`'a'`, 'x'])).toMatch(/^Found 2 occurrences/);
  });

  test('a match never starts or ends inside a character of the file', async () => {
    expect(await runFailingEdit('\ufb01ne', ['ine', 'x'])).toMatch(/^Could not find/);
    expect(await runFailingEdit('so\ufb01', ['sof', 'x'])).toMatch(/^Could not find/);
  });

  test('trailing blanks of the old text are ignored only at the end of a line', async () => {
    expect(await runFailingEdit('\u2018a\u2019 returning', [`'a' return `, 'x'])).toMatch(/^Could not find/);
    expect(await runEdit('\u2018a\u2019 return\nb', [`'a' return `, 'x'])).toBe('x\nb');
  });

  test('old text that consists of blanks must match exactly', async () => {
    expect(await runFailingEdit('a\nb', ['   ', 'x'])).toMatch(/^Could not find/);
  });

  test('exact and normalized matches in one call', async () => {
    expect(await runEdit('\u201cone\u201d two three', ['two', '2'], ['"one"', '1'])).toBe('1 2 three');
  });
});

describe('files', () => {
  test.each([
    ['a missing file', 'missing', 'File not found: missing'],
    ['a folder', 'folder', 'Cannot edit folder: it is a directory'],
    ['a FIFO', 'pipe', 'Cannot edit pipe: it is a FIFO'],
    ['a device', '/dev/zero', 'Cannot edit /dev/zero: it is a device'],
    ['a huge file', 'sparse', 'Cannot edit sparse: it is larger than 16.0MB. Use bash'],
  ])('%s is rejected', async (_, path, message) => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'folder/x': '', sparse: '' });
    execFileSync('mkfifo', [fixture.path('pipe')]);
    truncateSync(fixture.path('sparse'), 5 * 1024 ** 3);
    expect((await expectFault(edit, { path, oldText: 'a', newText: 'b' }, fixture)).message).toBe(message);
  });

  test('an aborted call does not change the file', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ f: 'a' });
    fixture.abort();
    expect((await expectFault(edit, { path: 'f', oldText: 'a', newText: 'b' }, fixture)).message).toBe(
      'Operation aborted',
    );
    expect(fixture.readText('f')).toBe('a');
  });

  test('concurrent edits of one file are all applied', async () => {
    const fixture = createToolFixture();
    const words = Array.from({ length: 20 }, (_, i) => `<${i}>`);
    fixture.writeFiles({ f: words.join('\n') });
    symlinkSync('f', fixture.path('link'));
    await Promise.all(
      words.map((oldText, i) =>
        edit.run({ path: i % 2 ? 'link' : 'f', oldText, newText: oldText.toUpperCase().repeat(2) }, fixture),
      ),
    );
    expect(fixture.readText('f')).toBe(words.map((word) => word.repeat(2)).join('\n'));
  });
});

test('unique pieces can be replaced in any order', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', ' ', '\t', '\n', '\r\n', 'é', '“', '😀', '—'),
    maxLength: 60,
  });
  fc.assert(
    fc.property(
      text,
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 9 }), text), { maxLength: 4 }),
      (source, selections) => {
        // Split into characters, so that no piece starts inside one; CRLF counts as one.
        const characters = source.match(/\r\n|./gsu) ?? [];
        const pieces = selectPieces(characters, selections);
        fc.pre(pieces.length > 0 && pieces.every(({ old }) => countOccurrences(toLf(source), toLf(old)) === 1));
        const expected = replacePieces(characters, pieces);
        fc.pre(expected !== source);
        const edits = pieces.map(({ old, text: newText }) => ({ oldText: old, newText }));
        expect(applyEdits(source, edits.reverse(), 'f')).toBe(expected);
      },
    ),
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
function selectPieces(characters: readonly string[], selections: readonly [number, number, string][]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const [skip, length, text] of selections) {
    from += characters.length > 0 ? skip % characters.length : 0;
    const to = Math.min(from + length + 1, characters.length);
    if (from >= to) break;
    pieces.push({ from, to, old: characters.slice(from, to).join(''), text });
    from = to;
  }
  return pieces;
}

function replacePieces(characters: readonly string[], pieces: readonly Piece[]): string {
  const result = [...characters];
  for (const { from, to, old, text } of [...pieces].reverse()) {
    const sample = old.includes('\n') ? old : characters.join('');
    const newline = /\r?\n/.exec(sample)?.[0] ?? '\n';
    result.splice(from, to - from, toLf(text).replaceAll('\n', newline));
  }
  return result.join('');
}

function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function countOccurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}
