// Questions: answered by the keys they name, dismissed, timed out, and never answered by somebody who was typing.
import { describe, expect, test } from 'vitest';
import { Asks } from '../../../src/terminal/asks/asks.ts';
import { SelectPane } from '../../../src/terminal/asks/select.ts';
import { PlainScreen } from '../../../src/terminal/plain-screen.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

const key = (name: string) => ({ key: name });

function stage() {
  const clock = createFakeClock();
  const asks = new Asks(clock, 400, () => {});
  const press = (...names: readonly string[]) => names.map((name) => asks.stroke(key(name)));
  const type = (text: string) => asks.stroke({ text });
  const seen = () => asks.view(60, 20)?.rows.map((row) => row.map(({ text }) => text).join('')) ?? [];
  return { clock, asks, press, type, seen };
}

describe('answers', () => {
  test('a choice by arrows, by number, by words', async () => {
    const { asks, press, type } = stage();
    const ask = () => asks.question({ id: '1', method: 'select', title: 'Which?', options: ['red', 'green', 'blue'] });
    const first = ask();
    press('down', 'enter');
    expect(await first).toEqual({ value: 'green' });
    const { asks: other, press: pressed, type: typed } = stage();
    const second = other.question({ id: '2', method: 'select', title: 'Which?', options: ['red', 'green', 'blue'] });
    typed('3');
    pressed('enter');
    expect(await second).toEqual({ value: 'blue' });
    const pane = new SelectPane(
      'Which?',
      ['red', 'green'].map((value) => ({ value, label: value })),
    );
    pane.stroke({ text: 'ree' });
    expect(pane.stroke(key('enter'))).toBe('green');
    expect(type('x')).toBe(false);
  });

  test('a confirmation stands on No', async () => {
    const { asks, press } = stage();
    const asked = asks.question({ id: '1', method: 'confirm', title: 'Sure?', message: 'rm' });
    press('enter');
    expect(await asked).toEqual({ confirmed: false });
  });

  test('words, with what was there before; several lines where they are wanted', async () => {
    const { asks, press, type } = stage();
    const asked = asks.question({ id: '1', method: 'editor', title: 'Edit', prefill: 'one' });
    press('alt+enter');
    type('two');
    press('enter');
    expect(await asked).toEqual({ value: 'one\ntwo' });
  });

  test('Escape and Ctrl+C dismiss; the one behind comes up', async () => {
    const { asks, press, seen } = stage();
    const first = asks.question({ id: '1', method: 'input', title: 'First' });
    const second = asks.question({ id: '2', method: 'input', title: 'Second' });
    expect(seen().join('\n')).toContain('1 more');
    press('escape');
    expect(await first).toBeUndefined();
    expect(seen()).toContain('Second');
    press('ctrl+c');
    expect(await second).toBeUndefined();
    expect(asks.current).toBeUndefined();
  });

  test('one that nobody waits for any more goes away, wherever it stands', async () => {
    const { asks, seen } = stage();
    const first = asks.question({ id: '1', method: 'input', title: 'First' });
    const second = asks.question({ id: '2', method: 'confirm', title: 'Second', message: 'x' });
    asks.withdraw('3');
    asks.withdraw('2');
    expect(await second).toBeUndefined();
    expect(seen()).toContain('First');
    asks.withdraw('1');
    expect(await first).toBeUndefined();
    expect(asks.current).toBeUndefined();
  });

  test('too late is no answer, and the time that is left is seen', async () => {
    const { asks, clock, seen } = stage();
    const asked = asks.question({ id: '1', method: 'confirm', title: 'Sure?', message: 'x', timeout: 5000 });
    expect(seen().at(-1)).toContain('5 s left');
    await clock.advance(5001);
    expect(await asked).toBeUndefined();
  });
});

describe('a message that is longer than the screen', () => {
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`);

  test('must be seen to its end before a choice counts', async () => {
    const { asks, press, seen } = stage();
    let answer: unknown;
    const question = { id: '1', method: 'select' as const, title: 'Allow bash?', message: lines.join('\n') };
    const asked = asks.question({ ...question, options: ['allow', 'deny'] }).then((said) => {
      answer = said;
    });
    const shown = new Set<string>();
    let presses = 0;
    for (; !shown.has('line 100') && presses < 50; presses++) {
      for (const row of seen()) shown.add(row.trim());
      expect(seen().length).toBeLessThanOrEqual(20);
      if (!shown.has('line 100')) expect(seen().at(-1)).toContain('Enter or PageDown shows more');
      if (!shown.has('line 100')) press('enter');
    }
    expect(answer).toBe(undefined);
    expect(lines.filter((one) => !shown.has(one))).toEqual([]);
    expect(seen().at(-1)).toContain('Enter chooses');
    press('enter');
    await asked;
    expect(answer).toEqual({ value: 'allow' });
  });

  test('can be read again', () => {
    const { asks, press, seen } = stage();
    void asks.question({ id: '1', method: 'confirm', title: 'Sure?', message: lines.join('\n') });
    expect(seen()).toContain('line 1');
    press('pagedown');
    expect(seen()).not.toContain('line 1');
    press('pageup');
    expect(seen()).toContain('line 1');
    asks.dismissAll();
  });

  test('the part that is seen is named; a title of many lines is a part of it', () => {
    const { asks, seen } = stage();
    void asks.question({ id: '1', method: 'confirm', title: 'word '.repeat(300), message: 'rm' });
    expect(seen().join('\n')).toMatch(/lines 1 to \d+ of \d+/);
    expect(seen().length).toBeLessThanOrEqual(20);
    asks.dismissAll();
  });

  test('a choice is shown with all of its words when it is marked', () => {
    const { asks, seen } = stage();
    const long = `${'word '.repeat(30)}end`;
    void asks.question({ id: '1', method: 'select', title: 'Which?', options: [long, 'b'] });
    expect(seen().join(' ')).toContain('end');
    asks.dismissAll();
  });

  test('a terminal that cannot draw is given all of it', () => {
    const written: string[] = [];
    const tty = { columns: 80, rows: 10, write: (text: string) => written.push(text) } as never;
    const { asks } = stage();
    void asks.question({ id: '1', method: 'confirm', title: 'Sure?', message: lines.join('\n') });
    const screen = new PlainScreen(tty);
    const view = asks.view(screen.columns, Math.max(6, screen.rows - 4));
    screen.draw({ lines: [], question: { key: 1, lines: view?.rows ?? [] }, isIdle: false });
    expect(written.join('')).toContain('line 100');
    asks.dismissAll();
  });
});

describe('somebody who was typing', () => {
  test('does not answer: Enter waits until the keys have rested, letters go on to the draft', async () => {
    const { asks, clock, press, type, seen } = stage();
    type('hello');
    const asked = asks.question({ id: '1', method: 'select', title: 'Allow?', options: ['allow', 'deny'] });
    expect(seen().at(-1)).toContain('one moment');
    expect(type(' world')).toBe(false);
    expect(press('enter')).toEqual([true]);
    await clock.advance(401);
    expect(seen().at(-1)).toContain('Enter chooses');
    press('down', 'enter');
    expect(await asked).toEqual({ value: 'deny' });
  });
});
