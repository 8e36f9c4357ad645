// Sanitizes text before it is written to a terminal: control characters are replaced, so that the text cannot control the terminal.

declare const sanitized: unique symbol;

/** Text without control characters except newlines. The terminal UI displays only SafeText. */
export type SafeText = string & { readonly [sanitized]: true };

const TAB_SPACES = '    ';

/** Each character is replaced and never removed, so that the user sees an attempt to hide something. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are replaced
const CONTROL_CHARACTERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g;
const CONTROL_PICTURES_START = 0x2400;
const DELETE = 0x7f;
const REPLACEMENT_CHARACTER = '\ufffd';

/** Replaces control characters. Line breaks are kept. */
export function sanitize(text: string): SafeText {
  return text
    .toWellFormed()
    .replace(/\r\n|[\u2028\u2029]/g, '\n')
    .replace(CONTROL_CHARACTERS, replaceControlCharacter) as SafeText;
}

/** Like `sanitize`, with line breaks replaced by spaces. */
export function sanitizeLine(text: string): SafeText {
  return sanitize(text).replaceAll('\n', ' ') as SafeText;
}

export function sanitizeLines(text: string): SafeText[] {
  return sanitize(text).split('\n') as SafeText[];
}

/** A slice of sanitized text is sanitized too. */
export function sliceSafe(text: SafeText, from: number, to?: number): SafeText {
  return text.slice(from, to).toWellFormed() as SafeText;
}

export function joinSafe(texts: readonly SafeText[]): SafeText {
  return texts.join('') as SafeText;
}

export function repeatSafe(text: SafeText, times: number): SafeText {
  return text.repeat(Math.max(0, times)) as SafeText;
}

function replaceControlCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x09) return TAB_SPACES;
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES_START + code);
  return code === DELETE ? '\u2421' : REPLACEMENT_CHARACTER;
}
