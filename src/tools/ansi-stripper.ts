// Removes escape sequences and control characters from terminal output.

const ESC = 0x1b;
const BELL = 0x07;
const STRING_END = 0x9c;
const TAB = 0x09;
const NEWLINE = 0x0a;
// ASCII control characters except tab and newline. U+0080 to U+009F are not removed: a file may contain them, and an edit
// copied from the output would not match without them. The terminal UI replaces them when it shows text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being removed
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

type State = 'text' | 'escape' | 'csi' | 'string' | 'stringEscape';

/**
 * Decodes one stream. The result does not depend on chunk boundaries: an incomplete character or escape sequence at the
 * end of a chunk is continued by the next chunk.
 */
export class AnsiStripper {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #state: State = 'text';
  /** The last chunk may have ended inside a character. */
  #hasPartialCharacter = false;

  /** Returns the cleaned text of this chunk as UTF-8. May return `chunk` itself. */
  push(chunk: Uint8Array): Uint8Array {
    // Fast path: most output is printable ASCII and needs no decoding.
    if (this.#state === 'text' && !this.#hasPartialCharacter && isPrintableAscii(chunk)) return chunk;
    const last = chunk.at(-1);
    if (last !== undefined) this.#hasPartialCharacter = last >= 0x80;
    return Buffer.from(this.#clean(this.#decoder.decode(chunk, { stream: true })));
  }

  /** An incomplete character becomes U+FFFD; an incomplete escape sequence is dropped. */
  end(): Uint8Array {
    return Buffer.from(this.#clean(this.#decoder.decode()));
  }

  #clean(text: string): string {
    let clean = '';
    let at = 0;
    while (at < text.length) {
      if (this.#state === 'text') {
        CONTROL_CHARACTERS.lastIndex = at;
        const stop = CONTROL_CHARACTERS.exec(text)?.index ?? text.length;
        clean += text.slice(at, stop);
        if (stop === text.length) break;
        this.#state = text.charCodeAt(stop) === ESC ? 'escape' : 'text';
        at = stop + 1;
      } else if (this.#consume(text.charCodeAt(at))) {
        at += 1;
      }
    }
    return clean;
  }

  /** Processes one character of a sequence. `false` when the character is not part of it and must be processed again. */
  #consume(code: number): boolean {
    const [next, isConsumed] = nextState(this.#state, code);
    this.#state = next;
    return isConsumed;
  }
}

function isPrintableAscii(bytes: Uint8Array): boolean {
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

function nextState(state: State, code: number): [State, isConsumed: boolean] {
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
      // An unterminated string ends at the end of its line.
      if (code === NEWLINE) return ['text', false];
      return code === BELL || code === STRING_END ? ['text', true] : ['string', true];
    case 'stringEscape':
      if (code === 0x5c) return ['text', true];
      return ['escape', false];
    default:
      return ['text', false];
  }
}
