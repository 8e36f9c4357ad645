// Styled lines of text: measuring, truncating and wrapping.

import { joinSafe, repeatSafe, type SafeText, sanitizeLine, sliceSafe } from '../../base/safe-text.ts';
import { findPrefixLength, type Grapheme, measureWidth, splitGraphemes } from './text-width.ts';

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

export interface TextStyle {
  readonly colour?: Colour;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly inverse?: boolean;
}

export interface Span {
  readonly text: SafeText;
  readonly style: TextStyle;
}

export type Line = readonly Span[];

/** Sanitizes the text, so it may come from any source. */
export function span(text: string, style: TextStyle = {}): Span {
  return { text: sanitizeLine(text), style };
}

export function line(text: string, style: TextStyle = {}): Line {
  return [span(text, style)];
}

export const EMPTY_LINE: Line = [];

export function measureLine(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + measureWidth(text), 0);
}

/** Puts `prefix` before the first line, and blanks of the same width before the following lines. */
export function prefixLines(prefix: Line, body: readonly Line[]): Line[] {
  const blank: Line = [{ text: repeatSafe(sanitizeLine(' '), measureLine(prefix)), style: {} }];
  return body.map((spans, at) => [...(at === 0 ? prefix : blank), ...spans]);
}

/** Replaces the part that does not fit by an ellipsis. */
export function truncateLine(spans: Line, width: number): Line {
  if (measureLine(spans) <= width) return spans;
  const retained: Span[] = [];
  let left = Math.max(0, width - 1);
  for (const { text, style } of spans) {
    const fitting = sliceSafe(text, 0, findPrefixLength(text, left));
    if (fitting !== '') retained.push({ text: fitting, style });
    left -= measureWidth(fitting);
    if (fitting.length < text.length) break;
  }
  return width > 0 ? [...retained, span('…', { dim: true })] : [];
}

interface Word {
  readonly spans: Span[];
  width: number;
  readonly isBlank: boolean;
}

/** Wraps between words. A word that is wider than a line is split. Returns at least one line. */
export function wrapLine(spans: Line, width: number): Line[] {
  const available = Math.max(1, width);
  if (measureLine(spans) <= available) return [spans];
  const lines: Span[][] = [[]];
  let used = 0;
  const startLine = () => {
    lines.push([]);
    used = 0;
  };
  for (const word of splitWords(spans)) {
    if (word.isBlank) {
      // Drop blanks at a line break.
      if (used + word.width > available) startLine();
      else if (used > 0 || lines.length === 1) used += appendWord(lines, word);
      continue;
    }
    if (used > 0 && used + word.width > available) startLine();
    for (const piece of splitWord(word, available)) {
      if (used > 0 && used + piece.width > available) startLine();
      used += appendWord(lines, piece);
    }
  }
  return lines;
}

/** Wraps at any character, for code. Drops no blanks. */
export function hardWrapLine(spans: Line, width: number): Line[] {
  const available = Math.max(1, width);
  if (measureLine(spans) <= available) return [spans];
  const lines: Span[][] = [[]];
  let used = 0;
  for (const piece of splitWord({ spans: [...spans], width: 0, isBlank: false }, available, 1)) {
    if (used > 0 && used + piece.width > available) {
      lines.push([]);
      used = 0;
    }
    used += appendWord(lines, piece);
  }
  return lines.map(mergeSpans);
}

function appendWord(lines: Span[][], word: Word): number {
  lines.at(-1)?.push(...word.spans);
  return word.width;
}

function splitWords(spans: Line): Word[] {
  const words: Word[] = [];
  for (const { text, style } of spans) {
    for (const [piece] of text.matchAll(/ +|[^ ]+/g)) {
      const isBlank = piece.startsWith(' ');
      const last = words.at(-1);
      const entry = { text: piece as SafeText, style };
      if (last && !last.isBlank && !isBlank) {
        last.spans.push(entry);
        last.width += measureWidth(piece);
      } else words.push({ spans: [entry], width: measureWidth(piece), isBlank });
    }
  }
  return words;
}

/** Splits the word into pieces of at most `available` cells and `size` characters. A word that fits is returned as it is. */
function splitWord(word: Word, available: number, size = Number.POSITIVE_INFINITY): Word[] {
  if (word.width <= available && size === Number.POSITIVE_INFINITY) return [word];
  const pieces: Word[] = [];
  let count = 0;
  for (const { text, style } of word.spans) {
    for (const grapheme of splitGraphemes(text).flatMap((whole) => splitWideGrapheme(whole, available))) {
      const last = pieces.at(-1);
      const entry = { text: grapheme.text as SafeText, style };
      if (last && count < size && last.width + grapheme.width <= available) {
        last.spans.push(entry);
        last.width += grapheme.width;
        count++;
      } else {
        pieces.push({ spans: [entry], width: grapheme.width, isBlank: false });
        count = 1;
      }
    }
  }
  return pieces.map((piece) => ({ ...piece, spans: mergeSpans(piece.spans) }));
}

/** A note with its stem and flag is one grapheme of three cells. If it does not fit in a line, its code points are separated. */
function splitWideGrapheme(grapheme: Grapheme, available: number): Grapheme[] {
  if (grapheme.width <= available) return [grapheme];
  return Array.from(grapheme.text, (text) => ({ text, width: measureWidth(text) }));
}

/** Joins adjacent spans of the same style. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const out: { texts: SafeText[]; style: TextStyle }[] = [];
  for (const { text, style } of spans) {
    const last = out.at(-1);
    if (last && last.style === style) last.texts.push(text);
    else out.push({ texts: [text], style });
  }
  return out.map(({ texts, style }) => ({ text: joinSafe(texts), style }));
}
