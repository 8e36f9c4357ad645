// The hall, terminal: a question that is answered in words, on one line or on several.
import { draftView } from '../input/draft-view.ts';
import { type Draft, EDITS, inserted, verticallyMoved, written } from '../input/editor.ts';
import { isNewline, type Stroke } from '../input/keys.ts';
import { line, prefixed, span, wrapped } from '../text/line.ts';
import type { Pane, PaneView } from './pane.ts';

const MARK = [span('› ', { colour: 'cyan' })];

export class InputPane implements Pane {
  readonly hint: string;
  readonly #title: string;
  readonly #placeholder: string;
  readonly #manyLines: boolean;
  #draft: Draft;

  constructor(title: string, { placeholder = '', prefill = '', manyLines = false } = {}) {
    this.#title = title;
    this.#placeholder = placeholder;
    this.#manyLines = manyLines;
    this.#draft = inserted(written(''), prefill);
    this.hint = manyLines ? 'Enter answers, Alt+Enter begins a line, Esc dismisses' : 'Enter answers, Esc dismisses';
  }

  stroke(stroke: Stroke): string | undefined {
    if ('key' in stroke) {
      if (stroke.key === 'enter') return this.#draft.text;
      this.#draft = this.#edited(stroke.key);
    } else this.#draft = inserted(this.#draft, this.#fitting('text' in stroke ? stroke.text : stroke.pasted));
    return undefined;
  }

  view(width: number, height: number): PaneView {
    const head = wrapped(line(this.#title, { bold: true, colour: 'cyan' }), width);
    const { rows, cursor } = draftView(this.#draft, width - 2, Math.max(1, height - head.length - 1));
    const shown = this.#draft.text === '' ? [line(this.#placeholder, { dim: true })] : rows;
    return {
      rows: [...head, ...prefixed(MARK, shown)],
      cursor: { row: head.length + cursor.row, column: cursor.column + 2 },
    };
  }

  #edited(key: string): Draft {
    if (this.#manyLines && isNewline(key)) return inserted(this.#draft, '\n');
    if (key === 'up' || key === 'down') return verticallyMoved(this.#draft, key === 'up' ? -1 : 1) ?? this.#draft;
    return EDITS[key]?.(this.#draft) ?? this.#draft;
  }

  #fitting(text: string): string {
    return this.#manyLines ? text : text.replace(/[\r\n]+/g, ' ');
  }
}
