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

/** ASCII characters that are graphemes of their own, or a part of the text in which graphemes can have several characters. */
const PIECES = /([ -~]+(?![^ -~]))|[ -~]?[^ -~]+(?:[ -~][^ -~]+)*[ -~]?/g;

/** Intl.Segmenter is slow, so it gets only the parts that need it. */
function* segmentText(text: string): Generator<string> {
  for (const [piece, plain] of text.matchAll(PIECES)) yield* plain ?? segmentPiece(piece);
}

/** Intl.Segmenter takes quadratic time, so it gets chunks of this length (UTF-16 units). */
const SEGMENT_CHUNK_LENGTH = 500;

function* segmentPiece(text: string): Generator<string> {
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
  let width = 0;
  for (const [piece, plain] of text.matchAll(PIECES)) {
    if (plain !== undefined) width += plain.length;
    else for (const grapheme of segmentPiece(piece)) width += measureGrapheme(grapheme);
  }
  return width;
}

/** The length of the longest prefix of at most `width` cells, in UTF-16 units. */
export function findPrefixLength(text: string, width: number): number {
  let length = 0;
  let left = width;
  for (const [piece, plain] of text.matchAll(PIECES)) {
    if (plain !== undefined) {
      const fitting = Math.min(plain.length, left);
      length += fitting;
      left -= fitting;
      if (fitting < plain.length) return length;
    } else {
      for (const grapheme of segmentPiece(piece)) {
        left -= measureGrapheme(grapheme);
        if (left < 0) return length;
        length += grapheme.length;
      }
    }
  }
  return length;
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
