// First floor, llm: thinking that stands between tags at the beginning of an answer's text. Knows no wire.

const OPEN = '<think>';
const CLOSE = '</think>';

export interface Told {
  kind: 'thinking' | 'text';
  text: string;
}

/** Only at the very beginning: later on, the same words are words. Tags may come in pieces. */
export class ThinkTags {
  #state: 'before' | 'inside' | 'after' | 'plain' = 'before';
  #held = '';

  get isPlain(): boolean {
    return this.#state === 'plain';
  }

  read(piece: string): Told[] {
    if (this.#state === 'plain') return [{ kind: 'text', text: piece }];
    this.#held += piece;
    const told: Told[] = [];
    if (this.#state === 'before') this.#begin(told);
    if (this.#state === 'inside') this.#think(told);
    if (this.#state === 'after') this.#goOn(told);
    return told;
  }

  /** The answer is over: what was held back is what it seemed to be. */
  end(): Told[] {
    const text = this.#held;
    this.#held = '';
    return text === '' ? [] : [{ kind: this.#state === 'inside' ? 'thinking' : 'text', text }];
  }

  #begin(told: Told[]): void {
    const begun = this.#held.trimStart();
    if (begun.startsWith(OPEN)) {
      this.#held = begun.slice(OPEN.length);
      this.#state = 'inside';
    } else if (!OPEN.startsWith(begun)) this.#speak(told, this.#held);
  }

  #think(told: Told[]): void {
    const end = this.#held.indexOf(CLOSE);
    const sure = end >= 0 ? end : this.#held.length - tail(this.#held);
    if (sure > 0) told.push({ kind: 'thinking', text: this.#held.slice(0, sure) });
    this.#held = this.#held.slice(end >= 0 ? end + CLOSE.length : sure);
    if (end >= 0) this.#state = 'after';
  }

  /** The empty lines between belong to neither. */
  #goOn(told: Told[]): void {
    this.#held = this.#held.trimStart();
    if (this.#held !== '') this.#speak(told, this.#held);
  }

  #speak(told: Told[], text: string): void {
    told.push({ kind: 'text', text });
    this.#held = '';
    this.#state = 'plain';
  }
}

/** How many characters at the end could be the beginning of the closing tag. */
function tail(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (CLOSE.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
