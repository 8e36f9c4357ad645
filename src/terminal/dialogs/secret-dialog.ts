// Dialog that asks for a key. What is typed is never shown.
import { createDraft, type Draft, EDIT_BINDINGS, insertText } from '../input/draft.ts';
import type { KeyInput } from '../input/key-decoder.ts';
import { line, span, truncateLine } from '../text/line.ts';
import type { Dialog, RenderedRows } from './dialog.ts';

export class SecretDialog implements Dialog {
  readonly hint = 'Enter to save, Ctrl+U to clear, Esc to dismiss';
  readonly #title: string;
  #draft: Draft = createDraft('');

  constructor(title: string) {
    this.#title = title;
  }

  handleKey(keyInput: KeyInput): string | undefined {
    if (!('key' in keyInput)) {
      const text = 'text' in keyInput ? keyInput.text : keyInput.pasted;
      this.#draft = insertText(this.#draft, text.replace(/[\r\n]+/g, ''));
      return undefined;
    }
    if (keyInput.key === 'enter') return this.#draft.text.trim() === '' ? undefined : this.#draft.text.trim();
    // The cursor is not shown, so only the end can be edited.
    const isDeletion = keyInput.key === 'backspace' || keyInput.key === 'ctrl+u';
    if (isDeletion) this.#draft = { ...(EDIT_BINDINGS[keyInput.key]?.(this.#draft) ?? this.#draft), cutText: '' };
    return undefined;
  }

  render(width: number): RenderedRows {
    const count = Array.from(this.#draft.text).length;
    const state = count === 0 ? 'type or paste the key; it is not shown' : `${count} characters, not shown`;
    return {
      rows: [
        truncateLine(line(this.#title, { bold: true, colour: 'cyan' }), width),
        truncateLine([span('› ', { colour: 'cyan' }), span(state, { dim: true })], width),
      ],
      cursor: { row: 1, column: 2 },
    };
  }
}
