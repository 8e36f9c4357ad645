// Draws on an emulated terminal: finished lines once and in order, the live rows below, and the cursor.
import { array, assert, constantFrom, integer, oneof, property, record, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tty } from '../../src/contracts/tty.ts';
import { AnsiScreen } from '../../src/terminal/screen.ts';
import { type Line, line, truncateLine, wrapLine } from '../../src/terminal/text/line.ts';
import { TerminalEmulator } from './terminal-emulator.ts';

function createTty(terminal: TerminalEmulator): Tty {
  const { columns, rows } = terminal;
  return {
    columns,
    rows,
    write: (text) => terminal.write(text),
    acquire() {},
    release() {},
    suspend() {},
    releaseDuring: (action) => action(),
  };
}

const texts = oneof(
  string({ unit: 'grapheme-ascii', maxLength: 40 }),
  constantFrom('', '日本語', 'x'.repeat(50), 'a  b'),
);
const frameLists = array(
  record({
    print: array(texts, { maxLength: 4 }),
    live: array(texts, { minLength: 1, maxLength: 14 }),
    cursor: integer({ min: 0, max: 13 }),
  }),
  { minLength: 1, maxLength: 12 },
);

describe('drawing', () => {
  test('the terminal shows all printed lines, then the live rows', () => {
    assert(
      property(frameLists, integer({ min: 8, max: 40 }), integer({ min: 4, max: 12 }), (frames, columns, rows) => {
        const terminal = new TerminalEmulator(columns, rows);
        const screen = new AnsiScreen(createTty(terminal), 'colours');
        const printed: string[] = [];
        for (const { print, live, cursor } of frames) {
          const lines = print.flatMap((text) => wrapLine(line(text), screen.columns));
          printed.push(...lines.map(getText));
          screen.print(lines);
          const row = Math.min(cursor, live.length - 1);
          screen.draw({ lines: live.map((text) => line(text)), cursor: { row, column: 0 }, isIdle: true });
          const visible = live.slice(-(rows - 1));
          const shown = visible.map((text) => getText(truncateLine(line(text), screen.columns)));
          expect(terminal.text).toEqual(trimBlankLines([...printed, ...shown]));
          expect(terminal.cursor.row - printed.length).toBe(Math.max(0, row - (live.length - visible.length)));
        }
        screen.suspend();
        expect(terminal.text).toEqual(trimBlankLines(printed));
      }),
    );
  });

  test('only changed rows are sent again', () => {
    const terminal = new TerminalEmulator(40, 10);
    const sent: string[] = [];
    const screen = new AnsiScreen({ ...createTty(terminal), write: (text) => sent.push(text) }, 'none');
    const live = (word: string) => ({ lines: [line('steady'), line(word), line('status')], isIdle: true });
    screen.draw(live('one'));
    screen.draw(live('two'));
    expect(sent[1]).toContain('two');
    expect(sent[1]).not.toContain('steady');
    expect(sent[1]).not.toContain('status');
  });

  test('a title is sanitized', () => {
    const terminal = new TerminalEmulator(40, 10);
    new AnsiScreen(createTty(terminal), 'colours').setTitle('a\u0007b\u001b]0;c');
    expect(terminal.title).toBe('a␇b␛]0;c');
  });
});

function getText(spans: Line): string {
  return spans
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

/** Blank lines at the end are not visible on a terminal. */
function trimBlankLines(lines: readonly string[]): string[] {
  const result = [...lines];
  while (result.at(-1) === '') result.pop();
  return result;
}
