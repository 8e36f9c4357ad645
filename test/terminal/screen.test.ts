// What is drawn, as a terminal understands it: finished lines once and in order, the live part below them, the cursor in it.
import { array, assert, constantFrom, integer, oneof, property, record, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tty } from '../../src/contracts/tty.ts';
import { DrawnScreen } from '../../src/terminal/screen.ts';
import { clipped, type Line, line, wrapped } from '../../src/terminal/text/line.ts';
import { Grid } from './grid.ts';

function ttyOf(grid: Grid): Tty {
  const { columns, rows } = grid;
  return {
    columns,
    rows,
    write: (text) => grid.write(text),
    take() {},
    release() {},
    suspend() {},
    lend: (to) => to(),
  };
}

const texts = oneof(
  string({ unit: 'grapheme-ascii', maxLength: 40 }),
  constantFrom('', '日本語', 'x'.repeat(50), 'a  b'),
);
const steps = array(
  record({
    print: array(texts, { maxLength: 4 }),
    live: array(texts, { minLength: 1, maxLength: 14 }),
    cursor: integer({ min: 0, max: 13 }),
  }),
  { minLength: 1, maxLength: 12 },
);

describe('drawing', () => {
  test('whatever is printed and drawn, the terminal holds what was printed and then what is live', () => {
    assert(
      property(steps, integer({ min: 8, max: 40 }), integer({ min: 4, max: 12 }), (all, columns, rows) => {
        const grid = new Grid(columns, rows);
        const screen = new DrawnScreen(ttyOf(grid), 'colours');
        const printed: string[] = [];
        for (const { print, live, cursor } of all) {
          const lines = print.flatMap((text) => wrapped(line(text), screen.columns));
          printed.push(...lines.map(textOf));
          screen.print(lines);
          const row = Math.min(cursor, live.length - 1);
          screen.draw({ lines: live.map((text) => line(text)), cursor: { row, column: 0 }, isIdle: true });
          const kept = live.slice(-(rows - 1));
          const shown = kept.map((text) => textOf(clipped(line(text), screen.columns)));
          expect(grid.text).toEqual(trimmed([...printed, ...shown]));
          expect(grid.cursor.row - printed.length).toBe(Math.max(0, row - (live.length - kept.length)));
        }
        screen.leave();
        expect(grid.text).toEqual(trimmed(printed));
      }),
    );
  });

  test('only what has changed is sent again', () => {
    const grid = new Grid(40, 10);
    const sent: string[] = [];
    const screen = new DrawnScreen({ ...ttyOf(grid), write: (text) => sent.push(text) }, 'nothing');
    const live = (word: string) => ({ lines: [line('steady'), line(word), line('status')], isIdle: true });
    screen.draw(live('one'));
    screen.draw(live('two'));
    expect(sent[1]).toContain('two');
    expect(sent[1]).not.toContain('steady');
    expect(sent[1]).not.toContain('status');
  });

  test('a title passes the gate', () => {
    const grid = new Grid(40, 10);
    new DrawnScreen(ttyOf(grid), 'colours').title('a\u0007b\u001b]0;c');
    expect(grid.title).toBe('a␇b␛]0;c');
  });
});

function textOf(spans: Line): string {
  return spans
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

/** Blank lines at the very end cannot be seen. */
function trimmed(lines: readonly string[]): string[] {
  const kept = [...lines];
  while (kept.at(-1) === '') kept.pop();
  return kept;
}
