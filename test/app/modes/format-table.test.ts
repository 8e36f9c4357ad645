import { array, assert, property, string, tuple } from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
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

  test('a table of many rows measures each cut cell once', () => {
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    onTestFinished(() => segment.mockRestore());
    const rows = Array.from({ length: 200_000 }, (_, n) => [n < 3 ? 'word '.repeat(30) : 'short']);
    expect(formatTable(['name'], rows).split('\n')[1]).toHaveLength(60);
    expect(segment.mock.calls).toEqual([['…'], ['…'], ['…']]);
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
