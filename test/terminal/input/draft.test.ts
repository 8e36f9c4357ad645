// Editing keys of the draft, and its rows on the screen.
import { array, assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sanitizeLine } from '../../../src/base/safe-text.ts';
import {
  createDraft,
  type Draft,
  EDIT_BINDINGS,
  EMPTY_DRAFT,
  insertText,
  moveVertically,
} from '../../../src/terminal/input/draft.ts';
import { renderDraft } from '../../../src/terminal/input/render-draft.ts';
import { measureWidth, splitGraphemes } from '../../../src/terminal/text/text-width.ts';

const keys = constantFrom(...Object.keys(EDIT_BINDINGS), 'up', 'down');
const inputs = array(
  oneof(
    keys.map((key) => ({ key })),
    string({ unit: 'grapheme' }).map((text) => ({ text })),
    constantFrom({ text: '\n' }, { text: '日本\t語' }, { text: '👩‍👩‍👧é' }),
  ),
);

function applyInputs(keyInputs: readonly ({ key: string } | { text: string })[]): Draft {
  return keyInputs.reduce<Draft>((draft, keyInput) => {
    if ('text' in keyInput) return insertText(draft, keyInput.text);
    if (keyInput.key === 'up' || keyInput.key === 'down')
      return moveVertically(draft, keyInput.key === 'up' ? -1 : 1) ?? draft;
    return EDIT_BINDINGS[keyInput.key]?.(draft) ?? draft;
  }, EMPTY_DRAFT);
}

const press = (text: string, cursor: number, ...names: readonly string[]) =>
  names.reduce((draft, name) => EDIT_BINDINGS[name]?.(draft) ?? draft, { text, cursor, cutText: '' });

describe('editing', () => {
  test.each([
    [
      'left moves over a character of several code units',
      press('a👩‍👩‍👧', 9, 'left'),
      { text: 'a👩‍👩‍👧', cursor: 1, cutText: '' },
    ],
    ['backspace deletes a whole grapheme', press('ae\u0301', 3, 'backspace'), { text: 'a', cursor: 1, cutText: '' }],
    ['backspace joins lines', press('a\nb', 2, 'backspace'), { text: 'ab', cursor: 1, cutText: '' }],
    ['delete', press('abc', 1, 'delete'), { text: 'ac', cursor: 1, cutText: '' }],
    ['home stays in its line', press('ab\ncd', 4, 'home'), { text: 'ab\ncd', cursor: 3, cutText: '' }],
    ['ctrl+w cuts a word', press('one two', 7, 'ctrl+w'), { text: 'one ', cursor: 4, cutText: 'two' }],
    [
      'ctrl+y inserts the cut text',
      press('one two', 7, 'ctrl+w', 'ctrl+y'),
      { text: 'one two', cursor: 7, cutText: 'two' },
    ],
    ['ctrl+k cuts to the end of the line', press('ab\ncd', 1, 'ctrl+k'), { text: 'a\ncd', cursor: 1, cutText: 'b' }],
    [
      'ctrl+k at the end of a line cuts the newline',
      press('ab\ncd', 2, 'ctrl+k'),
      { text: 'abcd', cursor: 2, cutText: '\n' },
    ],
    ['ctrl+u cuts to the start of the line', press('ab cd', 3, 'ctrl+u'), { text: 'cd', cursor: 0, cutText: 'ab ' }],
    ['alt+b moves one word left', press('one, two', 8, 'alt+b'), { text: 'one, two', cursor: 5, cutText: '' }],
    ['alt+f moves one word right', press('one, two', 0, 'alt+f'), { text: 'one, two', cursor: 3, cutText: '' }],
  ])('%s', (_, draft, expected) => expect(draft).toEqual(expected));

  test('up and down retain the column and return undefined without a further line', () => {
    const draft = { ...createDraft('abcd\nx\nefgh'), cursor: 10 };
    const up = moveVertically(draft, -1);
    expect(up?.cursor).toBe(6);
    expect(up && moveVertically(up, -1)?.cursor).toBe(1);
    expect(moveVertically({ ...draft, cursor: 0 }, -1)).toBeUndefined();
    expect(moveVertically(draft, 1)).toBeUndefined();
  });

  test('control characters are removed', () => {
    expect(insertText(EMPTY_DRAFT, 'a\u001b[2J\u0000b\r\nc\rd\te').text).toBe('a[2Jb\nc\nd\te');
  });

  test('the cursor is always between characters', () => {
    assert(
      property(inputs, (keyInputs) => {
        const { text, cursor } = applyInputs(keyInputs);
        expect(cursor).toBeGreaterThanOrEqual(0);
        expect(cursor).toBeLessThanOrEqual(text.length);
        expect(text.isWellFormed()).toBe(true);
        expect(text.slice(0, cursor).isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('rendering', () => {
  test('rows fit the width, contain the whole text and the cursor', () => {
    assert(
      property(inputs, integer({ min: 4, max: 30 }), (keyInputs, width) => {
        const draft = applyInputs(keyInputs);
        const { rows, cursor } = renderDraft(draft, width, 1_000);
        const texts = rows.map((row) => row.map(({ text }) => text).join(''));
        for (const text of texts) expect(measureWidth(text)).toBeLessThanOrEqual(Math.max(width, 4));
        expect(texts.join('')).toBe(draft.text.split('\n').map(sanitizeLine).join(''));
        expect(cursor.row).toBeLessThan(rows.length);
        expect(cursor.column).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('the cursor column counts cells', () => {
    const { cursor } = renderDraft({ ...createDraft('日本語'), cursor: 2 }, 20, 5);
    expect(cursor).toEqual({ row: 0, column: 4 });
    expect(renderDraft(createDraft('abcd'), 4, 5).cursor).toEqual({ row: 1, column: 0 });
    expect(renderDraft(createDraft('a\n'), 4, 5).cursor).toEqual({ row: 1, column: 0 });
    expect(splitGraphemes('abcd')).toHaveLength(4);
  });

  test('a long draft shows the rows around the cursor', () => {
    const text = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n');
    const { rows, cursor } = renderDraft({ text, cursor: 0, cutText: '' }, 20, 5);
    expect([rows.length, cursor.row, rows[0]?.[0]?.text]).toEqual([5, 0, 'line 0']);
    expect(renderDraft(createDraft(text), 20, 5).rows.at(-1)?.[0]?.text).toBe('line 49');
  });
});
