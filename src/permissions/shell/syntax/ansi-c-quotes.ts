// Escape sequences of $'…'. Those whose result depends on the locale, or that end the text, are not accepted.
import type { TextCursor } from './text-cursor.ts';

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

/** Reads up to the closing quote. The opening one has been read. */
export function readAnsiCQuotes(cursor: TextCursor): string {
  let value = '';
  for (;;) {
    const character = cursor.nextRaw();
    if (character === '') cursor.fail('A quote is not closed.');
    if (character === "'") return value;
    value += character === '\\' ? readEscape(cursor) : character;
  }
}

function readEscape(cursor: TextCursor): string {
  const character = cursor.nextRaw();
  const simple = SIMPLE[character];
  if (simple !== undefined) return simple;
  if (/[0-7]/.test(character)) return toCharacter(cursor, character + takeDigits(cursor, /[0-7]/, 2), 8);
  if (character === 'x') return toCharacter(cursor, takeDigits(cursor, /[0-9a-fA-F]/, 2), 16);
  if (character === 'u') return toCharacter(cursor, takeDigits(cursor, /[0-9a-fA-F]/, 4), 16);
  if (character === 'U') return toCharacter(cursor, takeDigits(cursor, /[0-9a-fA-F]/, 8), 16);
  if (character === 'c' || character === '') cursor.fail("An escape sequence in $'…' is not understood.");
  return `\\${character}`;
}

function takeDigits(cursor: TextCursor, pattern: RegExp, count: number): string {
  let digits = '';
  while (digits.length < count && pattern.test(cursor.text[cursor.position] ?? '')) digits += cursor.nextRaw();
  return digits;
}

/** Other codes are bytes of a multi-byte character, or depend on the locale; 0 ends the text. */
function toCharacter(cursor: TextCursor, digits: string, base: number): string {
  const code = Number.parseInt(digits, base);
  if (!(code > 0 && code < 0x80)) cursor.fail("An escape sequence in $'…' is not understood.");
  return String.fromCharCode(code);
}
