// Ground floor: the one gate between text of others and a terminal. What came through it can only be read.

declare const passed: unique symbol;

/** Text without a control character but the newline. Everything that is shown is made of it. */
export type Plain = string & { readonly [passed]: true };

const TAB_STOP = '    ';

/** Replaced one by one, never left out: whoever hides something should be seen hiding it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is being replaced
const UNWANTED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g;
const PICTURES = 0x2400;
const DELETE = 0x7f;
const UNKNOWN = '\ufffd';

/** Makes text of whatever origin fit to be shown. Lines stay lines. */
export function plain(text: string): Plain {
  return text
    .toWellFormed()
    .replace(/\r\n|[\u2028\u2029]/g, '\n')
    .replace(UNWANTED, pictured) as Plain;
}

/** The same on a single line. */
export function plainLine(text: string): Plain {
  return plain(text).replaceAll('\n', ' ') as Plain;
}

export function plainLines(text: string): Plain[] {
  return plain(text).split('\n') as Plain[];
}

/** A part of what has passed has passed, too. */
export function part(text: Plain, from: number, to?: number): Plain {
  return text.slice(from, to).toWellFormed() as Plain;
}

export function joined(texts: readonly Plain[]): Plain {
  return texts.join('') as Plain;
}

export function repeated(text: Plain, times: number): Plain {
  return text.repeat(Math.max(0, times)) as Plain;
}

function pictured(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x09) return TAB_STOP;
  if (code < 0x20) return String.fromCharCode(PICTURES + code);
  return code === DELETE ? '\u2421' : UNKNOWN;
}
