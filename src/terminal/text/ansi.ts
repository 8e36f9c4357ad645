// All escape sequences that the terminal UI sends. Accepts only sanitized text (`SafeText`).

import type { SafeText } from '../../base/safe-text.ts';
import type { Colour, Line, TextStyle } from './line.ts';

const ESC = '\u001b';

/** `styles`: bold, italic and the like, but no colours, for NO_COLOR. */
export type ColourSupport = 'colours' | 'styles' | 'none';

export function detectColourSupport(env: Readonly<Record<string, string | undefined>>): ColourSupport {
  if (env.TERM === 'dumb' || env.TERM === '') return 'none';
  return env.NO_COLOR ? 'styles' : 'colours';
}

/** Only the terminal's basic colours: its theme makes them readable on a light or a dark background. */
const COLOUR_CODES: Readonly<Record<Colour, string>> = {
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
};

const STYLE_CODES: readonly (readonly [keyof TextStyle, string])[] = [
  ['bold', '1'],
  ['dim', '2'],
  ['italic', '3'],
  ['underline', '4'],
  ['inverse', '7'],
  ['strike', '9'],
];

export function renderAnsi(spans: Line, colourSupport: ColourSupport): string {
  return spans.map(({ text, style }) => applyCodes(text, getStyleCodes(style, colourSupport))).join('');
}

function applyCodes(text: SafeText, codes: readonly string[]): string {
  return codes.length === 0 || text === '' ? text : `${ESC}[${codes.join(';')}m${text}${ESC}[0m`;
}

function getStyleCodes(style: TextStyle, colourSupport: ColourSupport): string[] {
  if (colourSupport === 'none') return [];
  const codes = STYLE_CODES.filter(([name]) => style[name]).map(([, code]) => code);
  return style.colour && colourSupport === 'colours' ? [...codes, COLOUR_CODES[style.colour]] : codes;
}

export const ansi = {
  up: (rows: number) => (rows > 0 ? `${ESC}[${rows}A` : ''),
  right: (cells: number) => (cells > 0 ? `${ESC}[${cells}C` : ''),
  /** The whole line: tmux remembers the length of a line that is erased in part, and wraps its blanks when the window is resized. */
  eraseLine: `${ESC}[2K`,
  eraseBelow: `${ESC}[J`,
  clearScreen: `${ESC}[H${ESC}[2J`,
  hideCursor: `${ESC}[?25l`,
  showCursor: `${ESC}[?25h`,
  /** Cuts off lines at the right edge, so that a character of unknown width cannot shift the rows below. */
  disableWrap: `${ESC}[?7l`,
  enableWrap: `${ESC}[?7h`,
  /** Terminals that support it display all output in between at once; others ignore it. */
  beginSynchronizedUpdate: `${ESC}[?2026h`,
  endSynchronizedUpdate: `${ESC}[?2026l`,
  /** Enables bracketed paste and the kitty keyboard protocol, which distinguishes keys such as Enter and Shift+Enter. */
  enableInputModes: `${ESC}[?2004h${ESC}[>1u`,
  restoreTerminal: `\r${ESC}[J${ESC}[<u${ESC}[?2004l${ESC}[?7h${ESC}[?2026l${ESC}[?25h${ESC}[0m`,
  /** Sent before an editor starts. */
  saveCursor: `${ESC}7`,
  /** Sent after an editor was killed: leaves the alternate screen, mouse and keypad modes, and restores the saved cursor. */
  resetScreenModes: `${ESC}[?1049l${ESC}[?1000l${ESC}[?1002l${ESC}[?1003l${ESC}[?1006l${ESC}[?1l${ESC}>${ESC}[0m`,
  pushTitle: `${ESC}[22;0t`,
  setTitle: (text: SafeText) => `${ESC}]0;${text}${ESC}\\`,
  popTitle: `${ESC}[23;0t`,
} as const;
