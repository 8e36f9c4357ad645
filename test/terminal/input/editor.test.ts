// The draft: keys change it as they do everywhere, and the cursor never stands inside of a character.
import { array, assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainLine } from '../../../src/base/plain.ts';
import { draftView } from '../../../src/terminal/input/draft-view.ts';
import {
  type Draft,
  EDITS,
  inserted,
  NOTHING_WRITTEN,
  verticallyMoved,
  written,
} from '../../../src/terminal/input/editor.ts';
import { graphemes, widthOf } from '../../../src/terminal/text/cells.ts';

const keys = constantFrom(...Object.keys(EDITS), 'up', 'down');
const typing = array(
  oneof(
    keys.map((key) => ({ key })),
    string({ unit: 'grapheme' }).map((text) => ({ text })),
    constantFrom({ text: '\n' }, { text: '日本\t語' }, { text: '👩‍👩‍👧é' }),
  ),
);

function after(strokes: readonly ({ key: string } | { text: string })[]): Draft {
  return strokes.reduce<Draft>((draft, stroke) => {
    if ('text' in stroke) return inserted(draft, stroke.text);
    if (stroke.key === 'up' || stroke.key === 'down')
      return verticallyMoved(draft, stroke.key === 'up' ? -1 : 1) ?? draft;
    return EDITS[stroke.key]?.(draft) ?? draft;
  }, NOTHING_WRITTEN);
}

const press = (text: string, at: number, ...names: readonly string[]) =>
  names.reduce((draft, name) => EDITS[name]?.(draft) ?? draft, { text, at, cut: '' });

describe('editing', () => {
  test.each([
    ['left over a character of several units', press('a👩‍👩‍👧', 9, 'left'), { text: 'a👩‍👩‍👧', at: 1, cut: '' }],
    ['backspace takes a whole character', press('ae\u0301', 3, 'backspace'), { text: 'a', at: 1, cut: '' }],
    ['backspace joins lines', press('a\nb', 2, 'backspace'), { text: 'ab', at: 1, cut: '' }],
    ['delete', press('abc', 1, 'delete'), { text: 'ac', at: 1, cut: '' }],
    ['home and end stay in their line', press('ab\ncd', 4, 'home'), { text: 'ab\ncd', at: 3, cut: '' }],
    ['a word is cut', press('one two', 7, 'ctrl+w'), { text: 'one ', at: 4, cut: 'two' }],
    ['and put in again', press('one two', 7, 'ctrl+w', 'ctrl+y'), { text: 'one two', at: 7, cut: 'two' }],
    ['to the end of the line', press('ab\ncd', 1, 'ctrl+k'), { text: 'a\ncd', at: 1, cut: 'b' }],
    ['at the end of a line its newline goes', press('ab\ncd', 2, 'ctrl+k'), { text: 'abcd', at: 2, cut: '\n' }],
    ['to the beginning of the line', press('ab cd', 3, 'ctrl+u'), { text: 'cd', at: 0, cut: 'ab ' }],
    ['a word to the left', press('one, two', 8, 'alt+b'), { text: 'one, two', at: 5, cut: '' }],
    ['a word to the right', press('one, two', 0, 'alt+f'), { text: 'one, two', at: 3, cut: '' }],
  ])('%s', (_, draft, expected) => expect(draft).toEqual(expected));

  test('up and down keep the column, and say when there is no further line', () => {
    const draft = { ...written('abcd\nx\nefgh'), at: 10 };
    const up = verticallyMoved(draft, -1);
    expect(up?.at).toBe(6);
    expect(up && verticallyMoved(up, -1)?.at).toBe(1);
    expect(verticallyMoved({ ...draft, at: 0 }, -1)).toBeUndefined();
    expect(verticallyMoved(draft, 1)).toBeUndefined();
  });

  test('what is no text has no place in it', () => {
    expect(inserted(NOTHING_WRITTEN, 'a\u001b[2J\u0000b\r\nc\rd\te').text).toBe('a[2Jb\nc\nd\te');
  });

  test('whatever is pressed, the cursor stands between characters', () => {
    assert(
      property(typing, (strokes) => {
        const { text, at } = after(strokes);
        expect(at).toBeGreaterThanOrEqual(0);
        expect(at).toBeLessThanOrEqual(text.length);
        expect(text.isWellFormed()).toBe(true);
        expect(text.slice(0, at).isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('the draft on the screen', () => {
  test('rows are no wider than they may be, hold all of it, and the cursor is among them', () => {
    assert(
      property(typing, integer({ min: 4, max: 30 }), (strokes, width) => {
        const draft = after(strokes);
        const { rows, cursor } = draftView(draft, width, 1_000);
        const texts = rows.map((row) => row.map(({ text }) => text).join(''));
        for (const text of texts) expect(widthOf(text)).toBeLessThanOrEqual(Math.max(width, 4));
        expect(texts.join('')).toBe(draft.text.split('\n').map(plainLine).join(''));
        expect(cursor.row).toBeLessThan(rows.length);
        expect(cursor.column).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('the cursor stands behind what is before it', () => {
    const { cursor } = draftView({ ...written('日本語'), at: 2 }, 20, 5);
    expect(cursor).toEqual({ row: 0, column: 4 });
    expect(draftView(written('abcd'), 4, 5).cursor).toEqual({ row: 1, column: 0 });
    expect(draftView(written('a\n'), 4, 5).cursor).toEqual({ row: 1, column: 0 });
    expect(graphemes('abcd')).toHaveLength(4);
  });

  test('of a long draft the part around the cursor is shown', () => {
    const text = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n');
    const { rows, cursor } = draftView({ text, at: 0, cut: '' }, 20, 5);
    expect([rows.length, cursor.row, rows[0]?.[0]?.text]).toEqual([5, 0, 'line 0']);
    expect(draftView(written(text), 20, 5).rows.at(-1)?.[0]?.text).toBe('line 49');
  });
});
