import { array, assert, property, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { table } from '../../../src/app/modes/table.ts';
import { plain } from '../../../src/base/plain.ts';
import { widthOf } from '../../../src/terminal/text/cells.ts';

describe('a table', () => {
  test('what a name hides is seen, and moves no column', () => {
    expect(table(['name', 'from'], [['a\u202eb\u001b[2J', 'x']])).toBe('name     from\na\ufffdb␛[2J  x\n');
  });

  test('lines become one, and wide letters count twice', () => {
    expect(
      table(
        ['name', 'from'],
        [
          ['two\r\n lines', 'x'],
          ['日本', 'y'],
        ],
      ),
    ).toBe('name       from\ntwo lines  x\n日本       y\n');
  });

  test('what is too long is cut between letters', () => {
    expect(table(['name'], [['👩‍💻'.repeat(40)]])).toBe(`name\n${'👩‍💻'.repeat(29)}…\n`);
  });

  test('whatever stands in it, there is a line for each row, and nothing that commands a terminal', () => {
    const text = string({ unit: 'binary', maxLength: 90 });
    assert(
      property(array(tuple(text, text), { maxLength: 5 }), (rows) => {
        const shown = table(['one', 'two'], rows);
        expect(plain(shown)).toBe(shown);
        const lines = shown.split('\n');
        expect(lines).toHaveLength(rows.length + 2);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(122);
      }),
    );
  });
});
