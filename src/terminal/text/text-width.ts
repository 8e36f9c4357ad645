// Measures the width of text in terminal cells.

/** A user-perceived character. `width` is in cells. */
export interface Grapheme {
  readonly text: string;
  readonly width: number;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const EMOJI_VARIATION = /\p{Extended_Pictographic}\ufe0f/u;
const EMOJI = /^\p{Emoji_Presentation}/u;

/** Unicode East Asian Width `W` and `F`, except emoji. */
const WIDE_RANGES: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x20000, 0x3fffd],
];

export function splitGraphemes(text: string): Grapheme[] {
  if (PRINTABLE_ASCII.test(text)) return Array.from(text, (character) => ({ text: character, width: 1 }));
  return Array.from(segmentText(text), (segment) => ({ text: segment, width: measureGrapheme(segment) }));
}

/** Intl.Segmenter takes quadratic time, so it gets chunks of this length (UTF-16 units). */
const SEGMENT_CHUNK_LENGTH = 500;

function* segmentText(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const segments = Array.from(
      segmenter.segment(text.slice(from, from + SEGMENT_CHUNK_LENGTH)),
      ({ segment }) => segment,
    );
    // The last grapheme may continue in the next chunk.
    if (from + SEGMENT_CHUNK_LENGTH < text.length && segments.length > 1) segments.pop();
    yield* segments;
    from += segments.reduce((sum, { length }) => sum + length, 0);
  }
}

export function measureWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  return splitGraphemes(text).reduce((sum, { width }) => sum + width, 0);
}

function measureGrapheme(grapheme: string): number {
  if (EMOJI_VARIATION.test(grapheme) || EMOJI.test(grapheme)) return 2;
  for (const character of grapheme) {
    if (ZERO_WIDTH.test(character)) continue;
    return isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
  }
  return 0;
}

function isWide(code: number): boolean {
  return code >= 0x1100 && WIDE_RANGES.some(([from, to]) => code >= from && code <= to);
}
