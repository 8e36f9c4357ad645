import { array, assert, property, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatTable } from '../../../src/app/modes/format-table.ts';
import { sanitize } from '../../../src/base/safe-text.ts';
import { measureWidth } from '../../../src/terminal/text/text-width.ts';

describe('formatTable', () => {
  test('control characters are made visible, and columns stay aligned', () => {
    expect(formatTable(['name', 'from'], [['a\u202eb\u001b[2J', 'x']])).toBe('name     from\na\ufffdb␛[2J  x\n');
  });

  test('line breaks become spaces, and wide characters count as two columns', () => {
    expect(
      formatTable(
        ['name', 'from'],
        [
          ['two\r\n lines', 'x'],
          ['日本', 'y'],
        ],
      ),
    ).toBe('name       from\ntwo lines  x\n日本       y\n');
  });

  test('a long cell is cut between grapheme clusters', () => {
    expect(formatTable(['name'], [['👩‍💻'.repeat(40)]])).toBe(`name\n${'👩‍💻'.repeat(29)}…\n`);
  });

  test('for any content there is one line per row, without control characters', () => {
    const text = string({ unit: 'binary', maxLength: 90 });
    assert(
      property(array(tuple(text, text), { maxLength: 5 }), (rows) => {
        const shown = formatTable(['one', 'two'], rows);
        expect(sanitize(shown)).toBe(shown);
        const lines = shown.split('\n');
        expect(lines).toHaveLength(rows.length + 2);
        for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(122);
      }),
    );
  });
});
