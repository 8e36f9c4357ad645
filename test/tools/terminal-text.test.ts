// Output of programs becomes plain text, however its bytes are cut.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TerminalText } from '../../src/tools/terminal-text.ts';

function plain(...chunks: (string | Uint8Array)[]): string {
  const text = new TerminalText();
  const parts = chunks.map((chunk) => text.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  return Buffer.concat([...parts, text.end()]).toString('utf8');
}

test.each([
  ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
  ['cursor moves', 'a\x1b[2K\x1b[1Gb\x1b[?25l', 'ab'],
  ['a title, closed by BEL', '\x1b]0;title\x07text', 'text'],
  ['a hyperlink, closed by ST', '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
  ['device strings', '\x1bPq#0\x1b\\a\x1b_hidden\x1b\\b', 'ab'],
  ['character sets', '\x1b(Ba\x1b=b\x1b7c', 'abc'],
  [
    'U+0080 to U+009F, which are text',
    'a\x85b\x9b31mred \x9dtitle\x9cend\x80',
    'a\x85b\x9b31mred \x9dtitle\x9cend\x80',
  ],
  ['a string that nobody closed eats its line only', '\x1b]0;oops\nnext', '\nnext'],
  ['a broken sequence eats no text', '\x1b[31\nx', '\nx'],
  ['an escape inside a string begins a new sequence', '\x1b]0;a\x1b[1mb', 'b'],
  ['half a sequence at the end', 'a\x1b[3', 'a'],
  ['carriage returns', '10%\r20%\r\ndone\r\n', '10%20%\ndone\n'],
  ['control characters', 'a\0b\x07c\x08d\x7fef\tg\nh', 'abcdef\tg\nh'],
  ['annotation marks, which are text', 'a\ufff9b\ufffac\ufffbd', 'a\ufff9b\ufffac\ufffbd'],
  ['letters of every kind', 'é€😀 \u2028\ufeff', 'é€😀 \u2028\ufeff'],
])('%s', (_, raw, expected) => {
  expect(plain(raw)).toBe(expected);
});

test('bytes that are no UTF-8 become U+FFFD, only those', () => {
  expect(plain(new Uint8Array([0x61, 0xff, 0x62]), new Uint8Array([0xe2, 0x82]))).toBe('a\ufffdb\ufffd');
});

test('any cutting of any bytes gives the same text', () => {
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
        expect(plain(...chunks)).toBe(plain(all));
        expect(plain(...[...all].map((byte) => new Uint8Array([byte])))).toBe(plain(all));
      },
    ),
    { numRuns: 1000 },
  );
});
