// Parses thinking between <think> tags at the start of an answer.

const OPENING_TAG = '<think>';
const CLOSING_TAG = '</think>';

export interface TextSegment {
  kind: 'thinking' | 'text';
  text: string;
}

/** Only at the start; later tags are plain text. A tag may be split over several pieces. */
export class ThinkTagParser {
  #state: 'before' | 'inside' | 'after' | 'plain' = 'before';
  #buffer = '';

  get isPastTags(): boolean {
    return this.#state === 'plain';
  }

  read(piece: string): TextSegment[] {
    if (this.#state === 'plain') return [{ kind: 'text', text: piece }];
    this.#buffer += piece;
    const segments: TextSegment[] = [];
    if (this.#state === 'before') this.#readOpeningTag(segments);
    if (this.#state === 'inside') this.#readThinking(segments);
    if (this.#state === 'after') this.#skipBlankLines(segments);
    return segments;
  }

  /** Returns the buffered text at the end of the answer. */
  end(): TextSegment[] {
    const text = this.#buffer;
    this.#buffer = '';
    return text === '' ? [] : [{ kind: this.#state === 'inside' ? 'thinking' : 'text', text }];
  }

  #readOpeningTag(segments: TextSegment[]): void {
    const trimmed = this.#buffer.trimStart();
    if (trimmed.startsWith(OPENING_TAG)) {
      this.#buffer = trimmed.slice(OPENING_TAG.length);
      this.#state = 'inside';
    } else if (!OPENING_TAG.startsWith(trimmed)) this.#startText(segments, this.#buffer);
  }

  #readThinking(segments: TextSegment[]): void {
    const end = this.#buffer.indexOf(CLOSING_TAG);
    const thinkingLength = end >= 0 ? end : this.#buffer.length - countPartialTag(this.#buffer);
    if (thinkingLength > 0) segments.push({ kind: 'thinking', text: this.#buffer.slice(0, thinkingLength) });
    this.#buffer = this.#buffer.slice(end >= 0 ? end + CLOSING_TAG.length : thinkingLength);
    if (end >= 0) this.#state = 'after';
  }

  /** Removes the blank lines between thinking and text. */
  #skipBlankLines(segments: TextSegment[]): void {
    this.#buffer = this.#buffer.trimStart();
    if (this.#buffer !== '') this.#startText(segments, this.#buffer);
  }

  #startText(segments: TextSegment[], text: string): void {
    segments.push({ kind: 'text', text });
    this.#buffer = '';
    this.#state = 'plain';
  }
}

/** Number of characters at the end that could be the start of the closing tag. */
function countPartialTag(text: string): number {
  for (let length = Math.min(CLOSING_TAG.length - 1, text.length); length > 0; length--) {
    if (CLOSING_TAG.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
