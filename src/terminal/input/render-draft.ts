// Wraps a draft into rows of a given width and finds the cursor position.

import { joinSafe, type SafeText, sanitizeLine } from '../../base/safe-text.ts';
import { type Line, span, type TextStyle } from '../text/line.ts';
import { measureWidth, splitGraphemes } from '../text/text-width.ts';
import type { Draft } from './draft.ts';

export interface RenderedDraft {
  readonly rows: readonly Line[];
  readonly cursor: { readonly row: number; readonly column: number };
}

interface Row {
  readonly texts: SafeText[];
  width: number;
}

/** Returns at most `height` rows around the cursor. */
export function renderDraft(
  { text, cursor: cursorOffset }: Draft,
  width: number,
  height: number,
  style: TextStyle = {},
): RenderedDraft {
  const rows: Row[] = [{ texts: [], width: 0 }];
  let cursor = { row: 0, column: 0 };
  let offset = 0;
  const addRow = (): Row => {
    const row: Row = { texts: [], width: 0 };
    rows.push(row);
    return row;
  };
  let row = rows[0] as Row;
  const recordCursor = () => {
    if (offset === cursorOffset) cursor = { row: rows.length - 1, column: row.width };
  };
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) {
      offset += 1;
      row = addRow();
    }
    for (const { text: grapheme } of splitGraphemes(line)) {
      const shown = sanitizeLine(grapheme);
      const shownWidth = measureWidth(shown);
      if (row.width > 0 && row.width + shownWidth > width) row = addRow();
      recordCursor();
      row.texts.push(shown);
      row.width += shownWidth;
      offset += grapheme.length;
    }
    // After a full row the cursor is at the start of the next row.
    if (offset === cursorOffset && row.width >= width) row = addRow();
    recordCursor();
  }
  const first = Math.max(0, Math.min(cursor.row - Math.floor(height / 2), rows.length - height));
  return {
    rows: rows.slice(first, first + height).map(({ texts }) => [{ ...span('', style), text: joinSafe(texts) }]),
    cursor: { row: cursor.row - first, column: cursor.column },
  };
}
