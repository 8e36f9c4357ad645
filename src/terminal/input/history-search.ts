// Incremental search in the input history, like Ctrl+R in shells.
import { type Line, line, truncateLine } from '../text/line.ts';
import type { Draft } from './draft.ts';
import { createDraft } from './draft.ts';
import type { HistoryMatch, InputHistory } from './input-history.ts';
import type { KeyInput } from './key-decoder.ts';

const KEY_HINT = 'Ctrl+R older · Enter to send · Esc to edit · Ctrl+C to cancel';
const ACCEPT_KEYS: ReadonlySet<string> = new Set(['escape', 'tab']);
const CANCEL_KEYS: ReadonlySet<string> = new Set(['ctrl+c', 'ctrl+g']);

export class HistorySearch {
  readonly #inputHistory: InputHistory;
  /** The draft before the search started. */
  readonly #originalDraft: Draft;
  #query = '';
  #match: HistoryMatch | undefined;
  #hasNoMoreMatches = false;

  constructor(inputHistory: InputHistory, originalDraft: Draft) {
    this.#inputHistory = inputHistory;
    this.#originalDraft = originalDraft;
  }

  get draft(): Draft {
    return this.#match ? createDraft(this.#match.text, this.#originalDraft.cutText) : this.#originalDraft;
  }

  /** `pass`: the search ends with its match, and the caller must handle the key as usual. */
  handleKey(keyInput: KeyInput): 'continue' | 'accept' | 'cancel' | 'pass' {
    if (!('key' in keyInput)) {
      const [typed = ''] = ('text' in keyInput ? keyInput.text : keyInput.pasted).split('\n');
      this.#query += typed;
      this.#findNext(this.#match?.index, -1);
    } else if (keyInput.key === 'ctrl+r') this.#findNext(this.#match && this.#match.index - 1, -1);
    else if (keyInput.key === 'ctrl+s') this.#findNext(this.#match && this.#match.index + 1, 1);
    else if (keyInput.key === 'backspace') {
      this.#query = [...this.#query].slice(0, -1).join('');
      this.#match = undefined;
      if (this.#query !== '') this.#findNext(undefined, -1);
    } else if (CANCEL_KEYS.has(keyInput.key)) return 'cancel';
    else return ACCEPT_KEYS.has(keyInput.key) ? 'accept' : 'pass';
    return 'continue';
  }

  /** Makes the Up key continue from the match. */
  accept(): void {
    if (this.#match) this.#inputHistory.moveTo(this.#match.index, this.#originalDraft.text);
  }

  cancel(): Draft {
    return this.#originalDraft;
  }

  render(width: number): Line[] {
    const description = this.#query === '' ? 'history matches for …' : `history matches for “${this.#query}”`;
    const text = this.#hasNoMoreMatches ? `no more ${description}` : description;
    return [truncateLine(line(`  ${text} · ${KEY_HINT}`, { dim: true }), width)];
  }

  #findNext(from: number | undefined, by: -1 | 1): void {
    const found = this.#inputHistory.find(this.#query, from, by, this.#match);
    this.#hasNoMoreMatches = !found;
    this.#match = found ?? this.#match;
  }
}
