// Measuring, wrapping and truncating lines.
import { array, assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  hardWrapLine,
  type Line,
  line,
  measureLine,
  prefixLines,
  span,
  truncateLine,
  wrapLine,
} from '../../../src/terminal/text/line.ts';
import { findPrefixLength, measureWidth, splitGraphemes } from '../../../src/terminal/text/text-width.ts';

const words = array(
  oneof(
    string({ unit: 'grapheme' }),
    constantFrom(' ', '  ', '日本', '👩‍👩‍👧', 'e\u0301', '❤️', '🇩🇪', 'word', 'a-very-long-word'),
  ),
  { maxLength: 20 },
);
const lines = words.map((texts): Line => texts.map((text, at) => span(text, at % 2 ? { bold: true } : {})));
const widths = integer({ min: 2, max: 30 });
const getText = (spans: Line) => spans.map(({ text }) => text).join('');
const removeBlanks = (text: string) => text.replaceAll(' ', '');

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
    ['#️⃣', 2],
    ['👍🏽', 2],
    ['👁‍🗨', 2],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', 2],
    ['🇩', 1],
    ['🇦🇧', 2],
    ['⌚', 2],
    ['© ™', 3],
    ['ｶﾞ', 2],
    ['Ａ￥', 4],
    ['䷀☰', 4],
    ['🈂🀄', 4],
    ['\u1112\u1161\u11ab', 2],
    ['\u115f\u1160\u3164', 0],
    ['สวัสดี', 4],
    ['ลำ', 2],
    ['नि', 2],
    ['தமிழ்', 4],
    ['a\u00adb', 2],
    ['\ud83d', 1],
  ])('%s takes %i cells', (text, width) => expect(measureWidth(text)).toBe(width));

  test('more different graphemes than the cache holds', () => {
    const text = String.fromCodePoint(...Array.from({ length: 5000 }, (_, i) => 0x4e00 + i));
    expect([measureWidth(text), measureWidth(text)]).toEqual([10_000, 10_000]);
  });

  test('graphemes are those of Intl.Segmenter, also where it is not used', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    // Marks that belong to the character before (U+0301, U+200D, U+FE0F) or after (U+0600), and line ends.
    const parts = constantFrom(
      'a',
      'bc',
      ' ',
      '#',
      '…',
      '\u0301',
      '\u0600',
      '\u200d',
      '\ufe0f',
      '👩',
      '🇩',
      '\r',
      '\n',
      '日',
    );
    assert(
      property(array(parts, { maxLength: 12 }), (texts) => {
        const text = texts.join('');
        const expected = Array.from(segmenter.segment(text), ({ segment }) => segment);
        const graphemes = splitGraphemes(text);
        expect(graphemes.map((grapheme) => grapheme.text)).toEqual(expected);
        expect(measureWidth(text)).toBe(graphemes.reduce((sum, { width }) => sum + width, 0));
        for (let limit = 0; limit <= 6; limit++) {
          const prefix = text.slice(0, findPrefixLength(text, limit));
          expect(measureWidth(prefix)).toBeLessThanOrEqual(limit);
          const next = graphemes[splitGraphemes(prefix).length];
          expect(measureWidth(prefix) + (next?.width ?? 7)).toBeGreaterThan(limit);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('Intl.Segmenter gets only the parts of a text that need it', () => {
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    onTestFinished(() => segment.mockRestore());
    expect(measureWidth(`${'some words '.repeat(1000)}…`)).toBe(11_001);
    expect(segment.mock.calls).toEqual([[' …']]);
  });

  test('the joined graphemes of a text are the text', () => {
    assert(
      property(string({ unit: 'grapheme' }), (text) => {
        expect(
          splitGraphemes(text)
            .map((grapheme) => grapheme.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});

describe('wrapping and truncating', () => {
  test('no line is too wide, and no character is lost', () => {
    assert(
      property(lines, widths, (spans, width) => {
        for (const result of [wrapLine(spans, width), hardWrapLine(spans, width)]) {
          for (const wrapped of result) expect(measureLine(wrapped)).toBeLessThanOrEqual(width);
          expect(removeBlanks(result.map(getText).join(''))).toBe(removeBlanks(getText(spans)));
        }
        expect(hardWrapLine(spans, width).map(getText).join('')).toBe(getText(spans));
      }),
    );
  });

  test('a grapheme that is wider than the line is split into its code points', () => {
    const note = '\u{1d158}\u{1d165}\u{1d16e}';
    expect(measureWidth(note)).toBe(3);
    expect(wrapLine(line(note), 2).map(getText)).toEqual(['\u{1d158}\u{1d165}', '\u{1d16e}']);
    expect(hardWrapLine(line(note), 2).map(getText).join('')).toBe(note);
    expect(wrapLine(line(note), 3).map(getText)).toEqual([note]);
  });

  test('styles are preserved', () => {
    const spans = [span('plain and '), span('bold words here', { bold: true })];
    const result = wrapLine(spans, 12);
    expect(result.map(getText)).toEqual(['plain and ', 'bold words ', 'here']);
    expect(result[1]?.every(({ style }) => style.bold)).toBe(true);
  });

  test('words are split only if they do not fit', () => {
    expect(wrapLine(line('one two three'), 8).map(getText)).toEqual(['one two ', 'three']);
    expect(wrapLine(line('abcdefghij kl'), 4).map(getText)).toEqual(['abcd', 'efgh', 'ij ', 'kl']);
  });

  test('a truncated line ends with an ellipsis', () => {
    assert(
      property(lines, widths, (spans, width) => {
        const result = truncateLine(spans, width);
        expect(measureLine(result)).toBeLessThanOrEqual(width);
        if (measureLine(spans) > width) expect(getText(result).endsWith('…')).toBe(true);
        else expect(result).toEqual(spans);
      }),
    );
  });

  test('the first line gets the prefix, the others blanks of the same width', () => {
    expect(prefixLines(line('› '), [line('a'), line('b')]).map(getText)).toEqual(['› a', '  b']);
  });
});
