// The hall, terminal: the escape sequences that we ourselves send, all of them. Takes only text that has passed the gate.

import type { Plain } from '../../base/plain.ts';
import type { Colour, Line, Look } from './line.ts';

const ESC = '\u001b';

/** `marks` is bold and the like without colours, as NO_COLOR asks for. */
export type Palette = 'colours' | 'marks' | 'nothing';

export function paletteFor(env: Readonly<Record<string, string | undefined>>): Palette {
  if (env.TERM === 'dumb' || env.TERM === '') return 'nothing';
  return env.NO_COLOR ? 'marks' : 'colours';
}

/** Only the terminal's own eight: whoever chose a light or a dark background chose readable ones with it. */
const COLOURS: Readonly<Record<Colour, string>> = {
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
};

const MARKS: readonly (readonly [keyof Look, string])[] = [
  ['bold', '1'],
  ['dim', '2'],
  ['italic', '3'],
  ['underline', '4'],
  ['inverse', '7'],
  ['strike', '9'],
];

export function paint(spans: Line, palette: Palette): string {
  return spans.map(({ text, look }) => dressed(text, codesOf(look, palette))).join('');
}

function dressed(text: Plain, codes: readonly string[]): string {
  return codes.length === 0 || text === '' ? text : `${ESC}[${codes.join(';')}m${text}${ESC}[0m`;
}

function codesOf(look: Look, palette: Palette): string[] {
  if (palette === 'nothing') return [];
  const marks = MARKS.filter(([mark]) => look[mark]).map(([, code]) => code);
  return look.colour && palette === 'colours' ? [...marks, COLOURS[look.colour]] : marks;
}

export const terminal = {
  up: (rows: number) => (rows > 0 ? `${ESC}[${rows}A` : ''),
  right: (cells: number) => (cells > 0 ? `${ESC}[${cells}C` : ''),
  eraseLine: `${ESC}[K`,
  eraseBelow: `${ESC}[J`,
  clear: `${ESC}[H${ESC}[2J`,
  hideCursor: `${ESC}[?25l`,
  showCursor: `${ESC}[?25h`,
  /** What a line is too wide for is cut off, so that a character of a doubtful width never moves the lines below. */
  cutLines: `${ESC}[?7l`,
  wrapLines: `${ESC}[?7h`,
  /** Terminals that know it show everything in between at once; the others ignore it. */
  beginFrame: `${ESC}[?2026h`,
  endFrame: `${ESC}[?2026l`,
  /** Pasted text is marked, and keys that older terminals cannot tell apart are told apart. */
  begin: `${ESC}[?2004h${ESC}[>1u`,
  end: `\r${ESC}[J${ESC}[<u${ESC}[?2004l${ESC}[?7h${ESC}[?2026l${ESC}[?25h${ESC}[0m`,
  /** Before another program has the terminal, and after one that died: back from its screen, its keys and its mouse. */
  lend: `${ESC}7`,
  recover: `${ESC}[?1049l${ESC}[?1000l${ESC}[?1002l${ESC}[?1003l${ESC}[?1006l${ESC}[?1l${ESC}>${ESC}[0m`,
  keepTitle: `${ESC}[22;0t`,
  title: (text: Plain) => `${ESC}]0;${text}${ESC}\\`,
  oldTitle: `${ESC}[23;0t`,
} as const;
