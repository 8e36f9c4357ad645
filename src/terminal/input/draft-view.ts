// The hall, terminal: a draft as rows of a given width, and the place of the cursor among them. Pure.

import { joined, type Plain, plainLine } from '../../base/plain.ts';
import { graphemes, widthOf } from '../text/cells.ts';
import { type Line, type Look, span } from '../text/line.ts';
import type { Draft } from './editor.ts';

export interface DraftView {
  readonly rows: readonly Line[];
  readonly cursor: { readonly row: number; readonly column: number };
}

interface Row {
  readonly texts: Plain[];
  width: number;
}

/** At most `height` rows: those around the cursor. */
export function draftView({ text, at }: Draft, width: number, height: number, look: Look = {}): DraftView {
  const rows: Row[] = [{ texts: [], width: 0 }];
  let cursor = { row: 0, column: 0 };
  let offset = 0;
  const begin = (): Row => {
    const row: Row = { texts: [], width: 0 };
    rows.push(row);
    return row;
  };
  let row = rows[0] as Row;
  const mark = () => {
    if (offset === at) cursor = { row: rows.length - 1, column: row.width };
  };
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) {
      offset += 1;
      row = begin();
    }
    for (const { text: one } of graphemes(line)) {
      const shown = plainLine(one);
      const wide = widthOf(shown);
      if (row.width > 0 && row.width + wide > width) row = begin();
      mark();
      row.texts.push(shown);
      row.width += wide;
      offset += one.length;
    }
    // Behind a full row the cursor stands at the beginning of the next.
    if (offset === at && row.width >= width) row = begin();
    mark();
  }
  const first = Math.max(0, Math.min(cursor.row - Math.floor(height / 2), rows.length - height));
  return {
    rows: rows.slice(first, first + height).map(({ texts }) => [{ ...span('', look), text: joined(texts) }]),
    cursor: { row: cursor.row - first, column: cursor.column },
  };
}
