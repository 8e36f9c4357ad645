// The hall, terminal: how much room text takes on a terminal, counted in cells. Pure.

/** What a reader takes for one character. */
export interface Grapheme {
  readonly text: string;
  readonly width: number;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const AS_PICTURE = /\p{Extended_Pictographic}\ufe0f/u;
const PICTURE = /^\p{Emoji_Presentation}/u;

/** Unicode's East Asian Width `W` and `F`, where they are not pictures. */
const WIDE: readonly (readonly [number, number])[] = [
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

export function graphemes(text: string): Grapheme[] {
  if (PRINTABLE_ASCII.test(text)) return Array.from(text, (letter) => ({ text: letter, width: 1 }));
  return Array.from(segmentsOf(text), (segment) => ({ text: segment, width: cellsOf(segment) }));
}

/** The segmenter needs time that grows with the square of its text, so it gets a little at a time. */
const PIECE = 500;

function* segmentsOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const segments = Array.from(segmenter.segment(text.slice(from, from + PIECE)), ({ segment }) => segment);
    // The last one may go on behind the piece.
    if (from + PIECE < text.length && segments.length > 1) segments.pop();
    yield* segments;
    from += segments.reduce((sum, { length }) => sum + length, 0);
  }
}

export function widthOf(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  return graphemes(text).reduce((sum, { width }) => sum + width, 0);
}

function cellsOf(grapheme: string): number {
  if (AS_PICTURE.test(grapheme) || PICTURE.test(grapheme)) return 2;
  for (const character of grapheme) {
    if (INVISIBLE.test(character)) continue;
    return isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
  }
  return 0;
}

function isWide(code: number): boolean {
  return code >= 0x1100 && WIDE.some(([from, to]) => code >= from && code <= to);
}
