// First floor, tools: from what a program writes to a terminal to plain text. Knows streams of bytes, not processes.

const ESC = 0x1b;
const BELL = 0x07;
const STRING_END = 0x9c;
const TAB = 0x09;
const NEWLINE = 0x0a;
// The control characters of ASCII but tab and newline. U+0080 to U+009F are text: a file may hold them, and what is left out here
// would be missing from an edit that is copied from the output. Terminals get them replaced where text is shown.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is being removed
const UNWANTED = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

type State = 'text' | 'escape' | 'csi' | 'string' | 'stringEscape';

/**
 * Decodes one stream. Cutting the same bytes into other chunks gives the same text: what a chunk leaves open (half a
 * character, half an escape sequence) is remembered, never guessed.
 */
export class TerminalText {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #state: State = 'text';
  /** The last chunk may have ended inside a character. */
  #isOpen = false;

  /** The clean text so far as UTF-8. May be the chunk itself. */
  push(chunk: Uint8Array): Uint8Array {
    // Most output is plain letters; gigabytes of it should not become strings first.
    if (this.#state === 'text' && !this.#isOpen && isPlain(chunk)) return chunk;
    const last = chunk.at(-1);
    if (last !== undefined) this.#isOpen = last >= 0x80;
    return Buffer.from(this.#clean(this.#decoder.decode(chunk, { stream: true })));
  }

  /** The stream is over: half a character becomes U+FFFD, half an escape sequence nothing. */
  end(): Uint8Array {
    return Buffer.from(this.#clean(this.#decoder.decode()));
  }

  #clean(text: string): string {
    let clean = '';
    let at = 0;
    while (at < text.length) {
      if (this.#state === 'text') {
        UNWANTED.lastIndex = at;
        const stop = UNWANTED.exec(text)?.index ?? text.length;
        clean += text.slice(at, stop);
        if (stop === text.length) break;
        this.#state = text.charCodeAt(stop) === ESC ? 'escape' : 'text';
        at = stop + 1;
      } else if (this.#takes(text.charCodeAt(at))) {
        at += 1;
      }
    }
    return clean;
  }

  /** One character inside a sequence. `false` when it does not belong to it: then it is looked at again as text. */
  #takes(code: number): boolean {
    const [next, taken] = step(this.#state, code);
    this.#state = next;
    return taken;
  }
}

function isPlain(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] as number;
    if (byte > 0x7e || (byte < 0x20 && byte !== NEWLINE && byte !== TAB)) return false;
  }
  return true;
}

/** After ESC: `]` OSC, `P` DCS, `X` SOS, `^` PM, `_` APC. */
function isStringOpener(code: number): boolean {
  return code === 0x5d || code === 0x50 || code === 0x58 || code === 0x5e || code === 0x5f;
}

function step(state: State, code: number): [State, taken: boolean] {
  switch (state) {
    case 'escape':
      if (code === 0x5b) return ['csi', true];
      if (isStringOpener(code)) return ['string', true];
      if (code >= 0x20 && code <= 0x2f) return ['escape', true];
      return ['text', code >= 0x30 && code <= 0x7e];
    case 'csi':
      if (code >= 0x20 && code <= 0x3f) return ['csi', true];
      return ['text', code >= 0x40 && code <= 0x7e];
    case 'string':
      if (code === ESC) return ['stringEscape', true];
      // A string that nobody closed eats no more than its line.
      if (code === NEWLINE) return ['text', false];
      return code === BELL || code === STRING_END ? ['text', true] : ['string', true];
    case 'stringEscape':
      if (code === 0x5c) return ['text', true];
      return ['escape', false];
    default:
      return ['text', false];
  }
}
