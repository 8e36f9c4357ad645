// Lines that are made to fit: nothing is wider than it may be, and nothing is lost.
import { array, assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { graphemes, widthOf } from '../../../src/terminal/text/cells.ts';
import {
  clipped,
  folded,
  type Line,
  line,
  lineWidth,
  prefixed,
  span,
  wrapped,
} from '../../../src/terminal/text/line.ts';

const words = array(
  oneof(
    string({ unit: 'grapheme' }),
    constantFrom(' ', '  ', '日本', '👩‍👩‍👧', 'e\u0301', '❤️', '🇩🇪', 'word', 'a-very-long-word'),
  ),
  { maxLength: 20 },
);
const lines = words.map((texts): Line => texts.map((text, at) => span(text, at % 2 ? { bold: true } : {})));
const widths = integer({ min: 2, max: 30 });
const textOf = (spans: Line) => spans.map(({ text }) => text).join('');
const letters = (text: string) => text.replaceAll(' ', '');

describe('widths', () => {
  test.each([
    ['abc', 3],
    ['日本語', 6],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['❤', 1],
    ['🇩🇪', 2],
    ['\u200b', 0],
    ['한글', 4],
    ['ﾊﾝ', 2],
    ['…›•│', 4],
  ])('%s takes %i cells', (text, width) => expect(widthOf(text)).toBe(width));

  test('the pieces of a text are the text', () => {
    assert(
      property(string({ unit: 'grapheme' }), (text) => {
        expect(
          graphemes(text)
            .map((one) => one.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});

describe('wrapping and folding', () => {
  test('no line is too wide, and no letter is lost', () => {
    assert(
      property(lines, widths, (spans, width) => {
        for (const cut of [wrapped(spans, width), folded(spans, width)]) {
          for (const one of cut) expect(lineWidth(one)).toBeLessThanOrEqual(width);
          expect(letters(cut.map(textOf).join(''))).toBe(letters(textOf(spans)));
        }
        expect(folded(spans, width).map(textOf).join('')).toBe(textOf(spans));
      }),
    );
  });

  test('looks stay with their letters', () => {
    const spans = [span('plain and '), span('bold words here', { bold: true })];
    const cut = wrapped(spans, 12);
    expect(cut.map(textOf)).toEqual(['plain and ', 'bold words ', 'here']);
    expect(cut[1]?.every(({ look }) => look.bold)).toBe(true);
  });

  test('words stay whole where they can', () => {
    expect(wrapped(line('one two three'), 8).map(textOf)).toEqual(['one two ', 'three']);
    expect(wrapped(line('abcdefghij kl'), 4).map(textOf)).toEqual(['abcd', 'efgh', 'ij ', 'kl']);
  });

  test('clipping says that something is missing', () => {
    assert(
      property(lines, widths, (spans, width) => {
        const cut = clipped(spans, width);
        expect(lineWidth(cut)).toBeLessThanOrEqual(width);
        if (lineWidth(spans) > width) expect(textOf(cut).endsWith('…')).toBe(true);
        else expect(cut).toEqual(spans);
      }),
    );
  });

  test('a prefix stands before the first line, blanks as wide before the others', () => {
    expect(prefixed(line('› '), [line('a'), line('b')]).map(textOf)).toEqual(['› a', '  b']);
  });
});
