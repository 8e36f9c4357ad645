// Dialog that asks for text, on one or several lines.

import { createDraft, type Draft, EDIT_BINDINGS, insertText, moveVertically } from '../input/draft.ts';
import { isNewlineKey, type KeyInput } from '../input/key-decoder.ts';
import { renderDraft } from '../input/render-draft.ts';
import { line, prefixLines, span, wrapLine } from '../text/line.ts';
import type { Dialog, RenderedRows } from './dialog.ts';

const INPUT_MARK = [span('› ', { colour: 'cyan' })];

export class InputDialog implements Dialog {
  readonly hint: string;
  readonly #title: string;
  readonly #placeholder: string;
  readonly #isMultiline: boolean;
  #draft: Draft;

  constructor(
    title: string,
    { placeholder = '', prefill = '', isMultiline = false, escapeHint = 'Esc to dismiss' } = {},
  ) {
    this.#title = title;
    this.#placeholder = placeholder;
    this.#isMultiline = isMultiline;
    this.#draft = insertText(createDraft(''), prefill);
    this.hint = isMultiline
      ? `Enter to answer, Alt+Enter for a new line, ${escapeHint}`
      : `Enter to answer, ${escapeHint}`;
  }

  handleKey(keyInput: KeyInput): string | undefined {
    if ('key' in keyInput) {
      if (keyInput.key === 'enter') return this.#draft.text;
      this.#draft = this.#applyKey(keyInput.key);
    } else
      this.#draft = insertText(this.#draft, this.#toAllowedText('text' in keyInput ? keyInput.text : keyInput.pasted));
    return undefined;
  }

  render(width: number, height: number): RenderedRows {
    const head = wrapLine(line(this.#title, { bold: true, colour: 'cyan' }), width);
    const { rows, cursor } = renderDraft(this.#draft, width - 2, Math.max(1, height - head.length - 1));
    const shown = this.#draft.text === '' ? [line(this.#placeholder, { dim: true })] : rows;
    return {
      rows: [...head, ...prefixLines(INPUT_MARK, shown)],
      cursor: { row: head.length + cursor.row, column: cursor.column + 2 },
    };
  }

  #applyKey(key: string): Draft {
    if (this.#isMultiline && isNewlineKey(key)) return insertText(this.#draft, '\n');
    if (key === 'up' || key === 'down') return moveVertically(this.#draft, key === 'up' ? -1 : 1) ?? this.#draft;
    return EDIT_BINDINGS[key]?.(this.#draft) ?? this.#draft;
  }

  #toAllowedText(text: string): string {
    return this.#isMultiline ? text : text.replace(/[\r\n]+/g, ' ');
  }
}
