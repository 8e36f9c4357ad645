// Looking for earlier words: what each key finds, and what stands in the draft afterwards.
import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { History } from '../../../src/terminal/input/history.ts';
import type { Stroke } from '../../../src/terminal/input/keys.ts';
import { Typing } from '../../../src/terminal/input/typing.ts';

const NOWHERE = {
  files: { read: async () => new Uint8Array(), replace: async () => {}, makeDirectory: async () => {} },
  folder: '/project/history',
  path: undefined,
};
const SOURCES = { commands: async () => [], words: async () => [], names: async () => [] };

function stage(...said: string[]) {
  const history = new History(NOWHERE);
  for (const text of said) void history.add(text);
  const typing = new Typing(history, SOURCES, () => {});
  const press = (stroke: Stroke) => (typing.searches(stroke) ? undefined : typing.stroke(stroke));
  return {
    typing,
    key: (...keys: string[]) => keys.map((key) => press({ key })).at(-1),
    type: (text: string) => press({ text }),
    shown: () => typing.draft.text,
    row: () =>
      typing
        .menu(200)
        .flat()
        .map(({ text }) => text)
        .join(''),
  };
}

describe('Ctrl+R', () => {
  test('finds the newest first, then older ones, each text once; Ctrl+S goes back', () => {
    const { key, type, shown, row } = stage('one fish', 'two fish', 'bird', 'Two Fish', 'two fish');
    key('ctrl+r');
    type('fi');
    expect(shown()).toBe('two fish');
    key('ctrl+r');
    expect(shown()).toBe('Two Fish');
    key('ctrl+r', 'ctrl+r');
    expect(shown()).toBe('one fish');
    key('ctrl+r');
    expect(shown()).toBe('one fish');
    expect(row()).toContain('no more earlier words with “fi”');
    key('ctrl+s');
    expect(shown()).toBe('two fish');
  });

  test('narrowing goes on where one is; taking a letter back begins at the newest again', () => {
    const { key, type, shown } = stage('alpha beta', 'alpha', 'beta');
    key('ctrl+r');
    type('a');
    expect(shown()).toBe('beta');
    type('l');
    expect(shown()).toBe('alpha');
    key('backspace');
    expect(shown()).toBe('beta');
    key('backspace');
    expect(shown()).toBe('');
    type('al');
    expect(shown()).toBe('alpha');
    type('pha b');
    expect(shown()).toBe('alpha beta');
  });

  test('Escape and Tab keep what was found, Ctrl+C and Ctrl+G do not, any other key keeps it and does what it does', () => {
    for (const [ending, left] of [
      ['escape', 'found'],
      ['tab', 'found'],
      ['ctrl+c', 'draft'],
      ['ctrl+g', 'draft'],
      ['backspace', 'draft'],
    ] as const) {
      const { typing, key, type, shown } = stage('found');
      type('draft');
      key('ctrl+r');
      if (ending !== 'backspace') type('fou');
      key(ending, 'escape');
      expect([ending, shown(), typing.menu(80)]).toEqual([ending, left, []]);
    }
    const { key, type, shown } = stage('found');
    key('ctrl+r');
    type('fou');
    key('ctrl+u');
    expect(shown()).toBe('');
    key('ctrl+r');
    type('fou');
    expect(key('enter')).toBe('found');
  });

  test('the Up key goes on from what was kept, and Down comes back to the draft', () => {
    const { key, type, shown } = stage('one', 'two', 'three', 'four');
    type('unsaid');
    key('ctrl+r');
    type('three');
    key('escape', 'up');
    expect(shown()).toBe('two');
    key('down', 'down', 'down');
    expect(shown()).toBe('unsaid');
  });

  test('whatever keys come, what is shown was said before, or is the draft', () => {
    const said = ['one', 'two', 'one two', 'zwei', '日本'];
    const strokes = array(
      constantFrom<Stroke>(
        { key: 'ctrl+r' },
        { key: 'ctrl+s' },
        { key: 'backspace' },
        { key: 'ctrl+c' },
        { key: 'escape' },
        { text: 'o' },
        { text: 'w' },
        { pasted: '本\nmore' },
      ),
      { maxLength: 30 },
    );
    assert(
      property(strokes, (all) => {
        const { typing } = stage(...said);
        typing.write('draft');
        for (const stroke of all) {
          const before = typing.draft.text;
          // Only a search is looked at here: other keys have their own tests.
          if (!typing.searches(stroke)) continue;
          expect([...said, 'draft', before]).toContain(typing.draft.text);
          expect(typing.draft.at).toBe(typing.draft.text.length);
        }
      }),
    );
  });
});
