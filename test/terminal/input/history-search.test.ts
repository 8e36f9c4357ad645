// History search: what each key finds, and the draft afterwards.
import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputEditor } from '../../../src/terminal/input/input-editor.ts';
import { InputHistory } from '../../../src/terminal/input/input-history.ts';
import type { KeyInput } from '../../../src/terminal/input/key-decoder.ts';

const UNSAVED_HISTORY = {
  files: { read: async () => new Uint8Array(), replace: async () => {}, makeDirectory: async () => {} },
  directory: '/project/history',
  path: undefined,
};
const SOURCES = {
  listCommands: async () => [],
  listArguments: async () => [],
  listDirectory: async () => [],
  async *searchFiles() {},
};

function createEditor(...entries: string[]) {
  const history = new InputHistory(UNSAVED_HISTORY);
  for (const text of entries) void history.add(text);
  const editor = new InputEditor({
    ...{ history, completionSources: SOURCES, canRedraw: true },
    onChange() {},
    stopFileSearch() {},
  });
  const press = (keyInput: KeyInput) => (editor.handleSearchKey(keyInput) ? undefined : editor.handleKey(keyInput));
  return {
    editor,
    key: (...keys: string[]) => keys.map((key) => press({ key })).at(-1),
    type: (text: string) => press({ text }),
    shown: () => editor.draft.text,
    renderRow: () =>
      editor
        .renderMenu(200, 20)
        .flat()
        .map(({ text }) => text)
        .join(''),
  };
}

describe('Ctrl+R', () => {
  test('finds the newest entry first, then older ones, without duplicates; Ctrl+S searches forward', () => {
    const { key, type, shown, renderRow } = createEditor('one fish', 'two fish', 'bird', 'Two Fish', 'two fish');
    key('ctrl+r');
    type('fi');
    expect(shown()).toBe('two fish');
    key('ctrl+r');
    expect(shown()).toBe('Two Fish');
    key('ctrl+r', 'ctrl+r');
    expect(shown()).toBe('one fish');
    key('ctrl+r');
    expect(shown()).toBe('one fish');
    expect(renderRow()).toContain('no more history matches for “fi”');
    key('ctrl+s');
    expect(shown()).toBe('two fish');
  });

  test('typing continues from the current match; backspace restarts at the newest entry', () => {
    const { key, type, shown } = createEditor('alpha beta', 'alpha', 'beta');
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

  test('Escape and Tab accept the match, Ctrl+C and Ctrl+G cancel, other keys accept it and act as usual', () => {
    for (const [endKey, expected] of [
      ['escape', 'found'],
      ['tab', 'found'],
      ['ctrl+c', 'draft'],
      ['ctrl+g', 'draft'],
      ['backspace', 'draft'],
    ] as const) {
      const { editor, key, type, shown } = createEditor('found');
      type('draft');
      key('ctrl+r');
      if (endKey !== 'backspace') type('fou');
      key(endKey, 'escape');
      expect([endKey, shown(), editor.renderMenu(80, 20)]).toEqual([endKey, expected, []]);
    }
    const { key, type, shown } = createEditor('found');
    key('ctrl+r');
    type('fou');
    key('ctrl+u');
    expect(shown()).toBe('');
    key('ctrl+r');
    type('fou');
    expect(key('enter')).toBe('found');
  });

  test('Up continues from the accepted match, and Down returns to the draft', () => {
    const { key, type, shown } = createEditor('one', 'two', 'three', 'four');
    type('unsent');
    key('ctrl+r');
    type('three');
    key('escape', 'up');
    expect(shown()).toBe('two');
    key('down', 'down', 'down');
    expect(shown()).toBe('unsent');
  });

  test('the draft is always a history entry or the original draft', () => {
    const entries = ['one', 'two', 'one two', 'zwei', '日本'];
    const keyInputs = array(
      constantFrom<KeyInput>(
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
      property(keyInputs, (pressed) => {
        const { editor } = createEditor(...entries);
        editor.setText('draft');
        for (const keyInput of pressed) {
          const before = editor.draft.text;
          // Only keys of the search are tested here.
          if (!editor.handleSearchKey(keyInput)) continue;
          expect([...entries, 'draft', before]).toContain(editor.draft.text);
          expect(editor.draft.cursor).toBe(editor.draft.text.length);
        }
      }),
    );
  });
});
