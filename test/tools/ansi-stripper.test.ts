// Removes escape sequences and control characters, regardless of chunk boundaries.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnsiStripper } from '../../src/tools/ansi-stripper.ts';

function strip(...chunks: (string | Uint8Array)[]): string {
  const stripper = new AnsiStripper();
  const parts = chunks.map((chunk) => stripper.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  return Buffer.concat([...parts, stripper.end()]).toString('utf8');
}

test.each([
  ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
  ['cursor moves', 'a\x1b[2K\x1b[1Gb\x1b[?25l', 'ab'],
  ['a title, terminated by BEL', '\x1b]0;title\x07text', 'text'],
  ['a hyperlink, terminated by ST', '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
  ['device strings', '\x1bPq#0\x1b\\a\x1b_hidden\x1b\\b', 'ab'],
  ['character sets', '\x1b(Ba\x1b=b\x1b7c', 'abc'],
  ['U+0080 to U+009F are text', 'a\x85b\x9b31mred \x9dtitle\x9cend\x80', 'a\x85b\x9b31mred \x9dtitle\x9cend\x80'],
  ['an unterminated string ends at the end of its line', '\x1b]0;oops\nnext', '\nnext'],
  ['a malformed sequence removes no text', '\x1b[31\nx', '\nx'],
  ['ESC inside a string starts a new sequence', '\x1b]0;a\x1b[1mb', 'b'],
  ['an incomplete sequence at the end', 'a\x1b[3', 'a'],
  ['carriage returns', '10%\r20%\r\ndone\r\n', '10%20%\ndone\n'],
  ['control characters', 'a\0b\x07c\x08d\x7fef\tg\nh', 'abcdef\tg\nh'],
  ['annotation marks are text', 'a\ufff9b\ufffac\ufffbd', 'a\ufff9b\ufffac\ufffbd'],
  ['non-ASCII text', 'é€😀 \u2028\ufeff', 'é€😀 \u2028\ufeff'],
])('%s', (_, raw, expected) => {
  expect(strip(raw)).toBe(expected);
});

test('only bytes that are not UTF-8 become U+FFFD', () => {
  expect(strip(new Uint8Array([0x61, 0xff, 0x62]), new Uint8Array([0xe2, 0x82]))).toBe('a\ufffdb\ufffd');
});

test('the result does not depend on chunk boundaries', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\x1b[31m',
      '\x1b]0;t\x07',
      '\x1b]8;;u\x1b\\',
      '\x1b(B',
      '\x1b',
      '\x9b',
      '\r\n',
      '\n',
      '€',
      '😀',
      'é',
    ),
    fc.string({ maxLength: 5 }),
  );
  const bytes = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.from(pieces.join('')));
  fc.assert(
    fc.property(
      fc.oneof(bytes, fc.uint8Array({ maxLength: 40 })),
      fc.array(fc.nat(), { maxLength: 8 }),
      (all, cuts) => {
        const edges = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b), all.length];
        const chunks = edges.slice(1).map((end, i) => all.subarray(edges[i], end));
        expect(strip(...chunks)).toBe(strip(all));
        expect(strip(...[...all].map((byte) => new Uint8Array([byte])))).toBe(strip(all));
      },
    ),
    { numRuns: 1000 },
  );
});
