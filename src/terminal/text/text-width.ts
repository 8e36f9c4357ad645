// Measures the width of text in terminal cells.
import { stringWidth } from './vendor/string-width.ts';

/** A user-perceived character. `width` is in cells. */
export interface Grapheme {
  readonly text: string;
  readonly width: number;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** A pair of letters that is not the flag of a region, and an unpaired surrogate, which is written as U+FFFD. */
const UNASSIGNED_FLAG = /^\p{Regional_Indicator}{2}$/u;
const UNPAIRED_SURROGATE = /^\p{Surrogate}$/u;
/** The Thai and Lao vowel AM after a consonant: it belongs to the grapheme, but has a cell of its own. */
const VOWEL_AM = /.[\u0e33\u0eb3]$/su;

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

/** A text has few different graphemes, and string-width would split each of them again. */
const widthCache = new Map<string, number>();
const MAX_CACHED_WIDTHS = 2000;

function measureGrapheme(grapheme: string): number {
  const cachedWidth = widthCache.get(grapheme);
  if (cachedWidth !== undefined) return cachedWidth;
  if (widthCache.size === MAX_CACHED_WIDTHS) widthCache.clear();
  const width = computeWidth(grapheme);
  widthCache.set(grapheme, width);
  return width;
}

function computeWidth(grapheme: string): number {
  if (UNASSIGNED_FLAG.test(grapheme)) return 2;
  if (UNPAIRED_SURROGATE.test(grapheme)) return 1;
  return stringWidth(grapheme) + (VOWEL_AM.test(grapheme) ? 1 : 0);
}
