// The hall, terminal: from the bytes of a keyboard to what was meant. Pure but for the memory of a sequence that is not whole yet.

/** Letters, pasted text, or a key by its name: `enter`, `ctrl+c`, `alt+enter`, `shift+tab`, `escape`. */
export type Stroke = { readonly text: string } | { readonly pasted: string } | { readonly key: string };

const ESC = '\u001b';
const PASTE_BEGIN = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** Parameters, then the letter that ends the sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how keys are spelled
const SEQUENCE = /^\u001b(?:\[([0-9;:?<=>]*)[ -/]*([@-~])|O([A-Za-z]))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how keys are spelled
const UNFINISHED = /^\u001b(?:\[[0-9;:?<=>]*[ -/]*|O)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything up to the next key that is no letter
const LETTERS = /^[^\u0000-\u001f\u007f]+/;

const BY_LETTER: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'shift+tab',
  M: 'enter',
};
const BY_NUMBER: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
};
const BY_CODE: Readonly<Record<number, string>> = {
  0: 'ctrl+space',
  8: 'ctrl+backspace',
  9: 'tab',
  10: 'ctrl+j',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
};

export class Keyboard {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #pasted: string | undefined;

  /** What these bytes complete. */
  push(bytes: Uint8Array): Stroke[] {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    const strokes: Stroke[] = [];
    for (;;) {
      const stroke = this.#pasted === undefined ? this.#next() : this.#paste();
      if (!stroke) return strokes;
      if (stroke !== 'nothing') strokes.push(stroke);
    }
  }

  /** A lone escape may be the key, or the beginning of a sequence: only time tells. */
  get isWaiting(): boolean {
    return this.#rest !== '' && this.#pasted === undefined;
  }

  /** Nothing follows: the beginning of a sequence was a key of its own. */
  giveUp(): Stroke[] {
    if (!this.isWaiting) return [];
    const rest = this.#rest;
    this.#rest = '';
    if (rest === ESC) return [{ key: 'escape' }];
    return rest === `${ESC}[` || rest === `${ESC}O` ? [{ key: `alt+${rest.slice(1)}` }] : [];
  }

  #next(): Stroke | 'nothing' | undefined {
    const rest = this.#rest;
    if (rest === '') return undefined;
    const letters = LETTERS.exec(rest)?.[0];
    if (letters !== undefined) return this.#take(letters.length, { text: letters });
    if (!rest.startsWith(ESC)) return this.#take(1, { key: controlKey(rest.charCodeAt(0)) });
    if (rest.startsWith(PASTE_BEGIN)) {
      this.#pasted = '';
      return this.#take(PASTE_BEGIN.length, 'nothing');
    }
    const sequence = SEQUENCE.exec(rest);
    if (sequence) return this.#take(sequence[0].length, sequenceKey(sequence));
    if (UNFINISHED.test(rest)) return undefined;
    // Escape and a key: what a terminal sends for that key with Alt.
    if (rest[1] === ESC) return this.#take(1, { key: 'escape' });
    const [letter = ''] = rest.slice(1);
    const code = letter.codePointAt(0) ?? 0;
    const key = code < 0x20 || code === 0x7f ? controlKey(code) : letter.toLowerCase();
    return this.#take(1 + letter.length, { key: `alt+${key}` });
  }

  #paste(): Stroke | undefined {
    const end = this.#rest.indexOf(PASTE_END);
    if (end >= 0) {
      const pasted = (this.#pasted ?? '') + this.#rest.slice(0, end);
      this.#pasted = undefined;
      return this.#take(end + PASTE_END.length, { pasted });
    }
    // What could be the beginning of the end stays for the next time.
    const tail = this.#rest.lastIndexOf(ESC);
    const sure = tail >= 0 && PASTE_END.startsWith(this.#rest.slice(tail)) ? tail : this.#rest.length;
    this.#pasted += this.#rest.slice(0, sure);
    this.#rest = this.#rest.slice(sure);
    return undefined;
  }

  #take<T>(length: number, stroke: T): T {
    this.#rest = this.#rest.slice(length);
    return stroke;
  }
}

function controlKey(code: number): string {
  return BY_CODE[code] ?? `ctrl+${String.fromCharCode(code + (code <= 26 ? 96 : 64)).toLowerCase()}`;
}

function sequenceKey([, parameters = '', letter = '', ssp]: RegExpExecArray): Stroke | 'nothing' {
  if (ssp !== undefined) return named(BY_LETTER[ssp], 1);
  const [first = '', second = '', third = ''] = parameters.split(';');
  const modifiers = Number.parseInt(second, 10) || 1;
  if (letter === 'u') return coded(Number.parseInt(first, 10), modifiers);
  // How xterm spells the same: CSI 27 ; modifiers ; code ~
  if (letter === '~' && first === '27') return coded(Number.parseInt(third, 10), modifiers);
  return named(letter === '~' ? BY_NUMBER[first] : BY_LETTER[letter], modifiers);
}

function coded(code: number, modifiers: number): Stroke | 'nothing' {
  // Beyond Unicode's letters stand keys that write nothing, such as those of the number pad.
  if (!(code > 0) || (code >= 0xe000 && code <= 0xf8ff) || code > 0x10ffff) return 'nothing';
  const key = BY_CODE[code];
  if (key) return named(key, modifiers);
  const letter = String.fromCodePoint(code);
  return modifiers <= 2 ? { text: letter } : named(letter.toLowerCase(), modifiers);
}

/** One more than the sum of 1 for Shift, 2 for Alt and 4 for Ctrl. Keys that lock do not count. */
function named(key: string | undefined, modifiers: number): Stroke | 'nothing' {
  if (key === undefined) return 'nothing';
  const held = modifiers - 1;
  const prefix = `${held & 4 ? 'ctrl+' : ''}${held & 2 ? 'alt+' : ''}${held & 1 && !key.startsWith('shift+') ? 'shift+' : ''}`;
  return { key: `${prefix}${key}` };
}

/** Keys that begin a line of the draft instead of ending it. */
export function isNewline(key: string): boolean {
  return key === 'alt+enter' || key === 'shift+enter' || key === 'ctrl+enter' || key === 'ctrl+j';
}
