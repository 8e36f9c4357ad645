// The hall, terminal: lines of text with a look, and how they are made to fit. Pure; knows no escape sequence.

import { joined, type Plain, part, plainLine, repeated } from '../../base/plain.ts';
import { graphemes, widthOf } from './cells.ts';

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

export interface Look {
  readonly colour?: Colour;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly inverse?: boolean;
}

export interface Span {
  readonly text: Plain;
  readonly look: Look;
}

export type Line = readonly Span[];

/** Text of whatever origin, as one line's part. */
export function span(text: string, look: Look = {}): Span {
  return { text: plainLine(text), look };
}

export function line(text: string, look: Look = {}): Line {
  return [span(text, look)];
}

export const EMPTY: Line = [];

export function lineWidth(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** A line that begins with these instead; the following ones, where it is wrapped, begin with blanks as wide. */
export function prefixed(prefix: Line, body: readonly Line[]): Line[] {
  const blank: Line = [{ text: repeated(plainLine(' '), lineWidth(prefix)), look: {} }];
  return body.map((spans, at) => [...(at === 0 ? prefix : blank), ...spans]);
}

/** As much as fits, with an ellipsis in the place of the rest. */
export function clipped(spans: Line, width: number): Line {
  if (lineWidth(spans) <= width) return spans;
  const kept: Span[] = [];
  let left = Math.max(0, width - 1);
  for (const { text, look } of spans) {
    const fitting = headOf(text, left);
    if (fitting !== '') kept.push({ text: fitting, look });
    left -= widthOf(fitting);
    if (fitting.length < text.length) break;
  }
  return width > 0 ? [...kept, span('…', { dim: true })] : [];
}

/** The longest beginning that is no wider. */
function headOf(text: Plain, width: number): Plain {
  let end = 0;
  let left = width;
  for (const { text: one, width: wide } of graphemes(text)) {
    if (wide > left) break;
    left -= wide;
    end += one.length;
  }
  return part(text, 0, end);
}

interface Word {
  readonly spans: Span[];
  width: number;
  readonly isBlank: boolean;
}

/** Cut between words; words that are wider than a line are cut where it ends. Always at least one line. */
export function wrapped(spans: Line, width: number): Line[] {
  const room = Math.max(1, width);
  if (lineWidth(spans) <= room) return [spans];
  const lines: Span[][] = [[]];
  let used = 0;
  const begin = () => {
    lines.push([]);
    used = 0;
  };
  for (const word of wordsOf(spans)) {
    if (word.isBlank) {
      // Blanks at the end of a line are not seen, and none should begin the next.
      if (used + word.width > room) begin();
      else if (used > 0 || lines.length === 1) used += put(lines, word);
      continue;
    }
    if (used > 0 && used + word.width > room) begin();
    for (const piece of piecesOf(word, room)) {
      if (used > 0 && used + piece.width > room) begin();
      used += put(lines, piece);
    }
  }
  return lines;
}

/** Cut wherever the line ends, as code is: nothing is left out. */
export function folded(spans: Line, width: number): Line[] {
  const room = Math.max(1, width);
  if (lineWidth(spans) <= room) return [spans];
  const lines: Span[][] = [[]];
  let used = 0;
  for (const piece of piecesOf({ spans: [...spans], width: 0, isBlank: false }, room, 1)) {
    if (used > 0 && used + piece.width > room) {
      lines.push([]);
      used = 0;
    }
    used += put(lines, piece);
  }
  return lines.map(merged);
}

function put(lines: Span[][], word: Word): number {
  lines.at(-1)?.push(...word.spans);
  return word.width;
}

function wordsOf(spans: Line): Word[] {
  const words: Word[] = [];
  for (const { text, look } of spans) {
    for (const [piece] of text.matchAll(/ +|[^ ]+/g)) {
      const isBlank = piece.startsWith(' ');
      const last = words.at(-1);
      const entry = { text: piece as Plain, look };
      if (last && !last.isBlank && !isBlank) {
        last.spans.push(entry);
        last.width += widthOf(piece);
      } else words.push({ spans: [entry], width: widthOf(piece), isBlank });
    }
  }
  return words;
}

/** The word itself when it fits into a line, otherwise pieces of at most `room` cells, or of `size` characters. */
function piecesOf(word: Word, room: number, size = Number.POSITIVE_INFINITY): Word[] {
  if (word.width <= room && size === Number.POSITIVE_INFINITY) return [word];
  const pieces: Word[] = [];
  let count = 0;
  for (const { text, look } of word.spans) {
    for (const one of graphemes(text)) {
      const last = pieces.at(-1);
      const entry = { text: one.text as Plain, look };
      if (last && count < size && last.width + one.width <= room) {
        last.spans.push(entry);
        last.width += one.width;
        count++;
      } else {
        pieces.push({ spans: [entry], width: one.width, isBlank: false });
        count = 1;
      }
    }
  }
  return pieces.map((piece) => ({ ...piece, spans: merged(piece.spans) }));
}

/** Neighbours of the same look as one. */
function merged(spans: readonly Span[]): Span[] {
  const out: { texts: Plain[]; look: Look }[] = [];
  for (const { text, look } of spans) {
    const last = out.at(-1);
    if (last && last.look === look) last.texts.push(text);
    else out.push({ texts: [text], look });
  }
  return out.map(({ texts, look }) => ({ text: joined(texts), look }));
}
