// Long pasted texts. The draft contains one placeholder character for each; it is shown as a label and replaced when the draft is sent.
import type { Draft } from './draft.ts';
import { cleanInput, MAX_DRAFT_LENGTH } from './draft.ts';
import { FIRST_PLACEHOLDER, PLACEHOLDER_COUNT } from './placeholders.ts';

const MAX_LINES = 10;
const MAX_CHARACTERS = 1_000;

const PLACEHOLDER = new RegExp(
  `[${String.fromCharCode(FIRST_PLACEHOLDER)}-${String.fromCharCode(FIRST_PLACEHOLDER + PLACEHOLDER_COUNT - 1)}]`,
  'g',
);

interface PastedText {
  readonly text: string;
  readonly label: string;
}

export class PastedTexts {
  readonly #texts = new Map<string, PastedText>();
  #next = 0;
  /** Counts the pasted texts of the current draft. */
  #number = 0;

  /** The text to insert: a placeholder for a long text, otherwise the text itself. */
  add(pasted: string, draft: Draft): string {
    const text = cleanInput(pasted).slice(0, Math.max(0, MAX_DRAFT_LENGTH - this.expand(draft.text).length));
    const lineCount = text.replace(/\n$/, '').split('\n').length;
    if (lineCount <= MAX_LINES && text.length <= MAX_CHARACTERS) return text;
    if (!draft.text.match(PLACEHOLDER)) this.#number = 0;
    this.#number += 1;
    const size = lineCount > 1 ? `${lineCount} lines` : `${text.length} characters`;
    const label = `[pasted ${size}${this.#number > 1 ? ` #${this.#number}` : ''}]`;
    // A placeholder is used again after all others: the cut text and the history may still contain it.
    const placeholder = String.fromCharCode(FIRST_PLACEHOLDER + (this.#next++ % PLACEHOLDER_COUNT));
    this.#texts.set(placeholder, { text, label });
    return placeholder;
  }

  expand(text: string): string {
    return text.replace(PLACEHOLDER, (placeholder) => this.#texts.get(placeholder)?.text ?? '');
  }

  /** The draft as it is shown, with labels. */
  toDisplayed(draft: Draft): Draft {
    const label = (text: string) => text.replace(PLACEHOLDER, (found) => this.#texts.get(found)?.label ?? '');
    return { ...draft, text: label(draft.text), cursor: label(draft.text.slice(0, draft.cursor)).length };
  }
}
