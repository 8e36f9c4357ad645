// Decodes terminal input bytes into text, pasted text and named keys.

/** Typed text, pasted text, or a key name such as `enter`, `ctrl+c`, `alt+enter`, `shift+tab`, `escape`. */
export type KeyInput = { readonly text: string } | { readonly pasted: string } | { readonly key: string };

const ESC = '\u001b';
const PASTE_BEGIN = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** CSI (parameters, then a final character) or SS3 (one character). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with a control character
const ESCAPE_SEQUENCE = /^\u001b(?:\[([0-9;:?<=>]*)[ -/]*([@-~])|O([A-Za-z]))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with a control character
const INCOMPLETE_SEQUENCE = /^\u001b(?:\[[0-9;:?<=>]*[ -/]*|O)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches everything up to the next control character
const PRINTABLE_TEXT = /^[^\u0000-\u001f\u007f]+/;

/** `ignored`: a complete sequence that is not a key. */
type DecodedInput = KeyInput | 'ignored';

const KEY_BY_LETTER: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'shift+tab',
  M: 'enter',
};
const KEY_BY_NUMBER: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
};
const KEY_BY_CODE: Readonly<Record<number, string>> = {
  0: 'ctrl+space',
  8: 'ctrl+backspace',
  9: 'tab',
  10: 'ctrl+j',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
};

export class KeyDecoder {
  readonly #decoder = new TextDecoder();
  #buffer = '';
  #pasted: string | undefined;

  /** Returns the keys that these bytes complete. */
  push(bytes: Uint8Array): KeyInput[] {
    this.#buffer += this.#decoder.decode(bytes, { stream: true });
    const keyInputs: KeyInput[] = [];
    for (;;) {
      const keyInput = this.#pasted === undefined ? this.#decodeNext() : this.#decodePaste();
      if (!keyInput) return keyInputs;
      if (keyInput !== 'ignored') keyInputs.push(keyInput);
    }
  }

  /** A single ESC may be the Escape key or the start of a sequence. The caller must call `flush` after a timeout. */
  get hasIncompleteInput(): boolean {
    return this.#buffer !== '' && this.#pasted === undefined;
  }

  /** Decodes an incomplete sequence as a key of its own. */
  flush(): KeyInput[] {
    if (!this.hasIncompleteInput) return [];
    const rest = this.#buffer;
    this.#buffer = '';
    if (rest === ESC) return [{ key: 'escape' }];
    return rest === `${ESC}[` || rest === `${ESC}O` ? [{ key: `alt+${rest.slice(1)}` }] : [];
  }

  #decodeNext(): DecodedInput | undefined {
    const rest = this.#buffer;
    if (rest === '') return undefined;
    const printable = PRINTABLE_TEXT.exec(rest)?.[0];
    if (printable !== undefined) return this.#consume(printable.length, { text: printable });
    if (!rest.startsWith(ESC)) return this.#consume(1, { key: getControlKeyName(rest.charCodeAt(0)) });
    if (rest.startsWith(PASTE_BEGIN)) {
      this.#pasted = '';
      return this.#consume(PASTE_BEGIN.length, 'ignored');
    }
    const sequence = ESCAPE_SEQUENCE.exec(rest);
    if (sequence) return this.#consume(sequence[0].length, decodeSequence(sequence));
    if (INCOMPLETE_SEQUENCE.test(rest)) return undefined;
    // Terminals send ESC before a key for that key with Alt.
    if (rest[1] === ESC) return this.#consume(1, { key: 'escape' });
    const [letter = ''] = rest.slice(1);
    const code = letter.codePointAt(0) ?? 0;
    const key = code < 0x20 || code === 0x7f ? getControlKeyName(code) : letter.toLowerCase();
    return this.#consume(1 + letter.length, { key: `alt+${key}` });
  }

  #decodePaste(): KeyInput | undefined {
    const end = this.#buffer.indexOf(PASTE_END);
    if (end >= 0) {
      const pasted = (this.#pasted ?? '') + this.#buffer.slice(0, end);
      this.#pasted = undefined;
      return this.#consume(end + PASTE_END.length, { pasted });
    }
    // Leave a possible start of PASTE_END in the buffer.
    const tail = this.#buffer.lastIndexOf(ESC);
    const safeLength = tail >= 0 && PASTE_END.startsWith(this.#buffer.slice(tail)) ? tail : this.#buffer.length;
    this.#pasted += this.#buffer.slice(0, safeLength);
    this.#buffer = this.#buffer.slice(safeLength);
    return undefined;
  }

  #consume<T>(length: number, result: T): T {
    this.#buffer = this.#buffer.slice(length);
    return result;
  }
}

function getControlKeyName(code: number): string {
  return KEY_BY_CODE[code] ?? `ctrl+${String.fromCharCode(code + (code <= 26 ? 96 : 64)).toLowerCase()}`;
}

function decodeSequence([, parameters = '', letter = '', ss3Letter]: RegExpExecArray): DecodedInput {
  if (ss3Letter !== undefined) return addModifiers(KEY_BY_LETTER[ss3Letter], 1);
  const [first = '', second = '', third = ''] = parameters.split(';');
  const modifiers = Number.parseInt(second, 10) || 1;
  if (letter === 'u') return decodeKeyCode(Number.parseInt(first, 10), modifiers);
  // xterm (modifyOtherKeys): CSI 27 ; modifiers ; code ~
  if (letter === '~' && first === '27') return decodeKeyCode(Number.parseInt(third, 10), modifiers);
  return addModifiers(letter === '~' ? KEY_BY_NUMBER[first] : KEY_BY_LETTER[letter], modifiers);
}

function decodeKeyCode(code: number, modifiers: number): DecodedInput {
  // The kitty protocol uses the private use area for keys without text, such as those of the number pad.
  if (!(code > 0) || (code >= 0xe000 && code <= 0xf8ff) || code > 0x10ffff) return 'ignored';
  const key = KEY_BY_CODE[code];
  if (key) return addModifiers(key, modifiers);
  const letter = String.fromCodePoint(code);
  return modifiers <= 2 ? { text: letter } : addModifiers(letter.toLowerCase(), modifiers);
}

/** `modifiers` is 1 plus the sum of 1 for Shift, 2 for Alt and 4 for Ctrl. Lock keys are ignored. */
function addModifiers(key: string | undefined, modifiers: number): DecodedInput {
  if (key === undefined) return 'ignored';
  const held = modifiers - 1;
  const prefix = `${held & 4 ? 'ctrl+' : ''}${held & 2 ? 'alt+' : ''}${held & 1 && !key.startsWith('shift+') ? 'shift+' : ''}`;
  return { key: `${prefix}${key}` };
}

/** Keys that insert a line break instead of sending the draft. */
export function isNewlineKey(key: string): boolean {
  return key === 'alt+enter' || key === 'shift+enter' || key === 'ctrl+enter' || key === 'ctrl+j';
}
