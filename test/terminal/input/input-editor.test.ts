// The input line: the completion menu while typing, and long pasted texts.
import { describe, expect, test } from 'vitest';
import type { CompletionSources } from '../../../src/terminal/input/find-completion.ts';
import { InputEditor } from '../../../src/terminal/input/input-editor.ts';
import { InputHistory } from '../../../src/terminal/input/input-history.ts';
import { measureLine } from '../../../src/terminal/text/line.ts';

const COMMANDS = [
  { value: 'model', doc: 'Select the model', isRunnable: true },
  { value: 'name', doc: 'Set the name\nsecond line' },
  ...Array.from({ length: 20 }, (_, at) => ({ value: `skill:${at}`, doc: '日本 '.repeat(40) })),
];
const SOURCES: CompletionSources = {
  listCommands: async () => COMMANDS,
  listArguments: async () => ['low', 'high'],
  listDirectory: async () => [],
  async *searchFiles(query) {
    yield ['src/', 'src/index.ts', 'my notes.md'].filter((path) => path.includes(query));
  },
};

function createEditor({ canRedraw = true } = {}) {
  const files = { read: async () => new Uint8Array(), replace: async () => {}, makeDirectory: async () => {} };
  const history = new InputHistory({ files, directory: '/history', path: undefined });
  const editor = new InputEditor({
    ...{ history, completionSources: SOURCES, canRedraw },
    onChange() {},
    stopFileSearch() {},
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    editor,
    history,
    async type(text: string) {
      editor.handleKey({ text });
      await settle();
    },
    paste: (pasted: string) => editor.handleKey({ pasted }),
    async key(...keys: string[]) {
      let sent: string | undefined;
      for (const key of keys) {
        sent = editor.handleKey({ key });
        await settle();
      }
      return sent;
    },
    rows: (width = 60, height = 20) =>
      editor.renderMenu(width, height).map((row) => row.map(({ text }) => text).join('')),
    shown: () => editor.displayedDraft.text,
  };
}

describe('menu', () => {
  test('opens with a slash, is filtered while typing, and Enter runs a command without arguments', async () => {
    const { type, key, rows, editor } = createEditor();
    await type('/');
    expect(rows()[0]).toBe('› /model    Select the model');
    expect(rows()[1]).toBe('  /name     Set the name');
    await type('mo');
    expect(rows()).toEqual(['› /model  Select the model']);
    expect(await key('enter')).toBe('/model');
    expect([editor.draft.text, rows()]).toEqual(['', []]);
  });

  test('Tab and Enter put another command into the input; a complete name is sent', async () => {
    const { type, key, editor, rows } = createEditor();
    await type('/na');
    expect(await key('enter')).toBeUndefined();
    expect([editor.text, rows()]).toEqual(['/name ', []]);
    await key('ctrl+u');
    await type('/na');
    await key('tab');
    expect(editor.text).toBe('/name ');
    await key('ctrl+u');
    await type('/name');
    expect(await key('enter')).toBe('/name');
  });

  test('arrow keys move the selection and wrap around; the list scrolls', async () => {
    const { type, key, rows } = createEditor();
    await type('/');
    expect(rows()).toHaveLength(8);
    expect(rows().at(-1)).toBe('  1 of 22');
    await key('up');
    expect(rows().at(-2)).toMatch(/^› \/skill:19/);
    await key('down', 'down');
    expect(rows()[1]).toMatch(/^› \/name/);
    for (const [width, height] of [
      [10, 3],
      [40, 8],
      [4, 1],
      [20, -2],
    ] as const) {
      expect(rows(width, height).length).toBeLessThanOrEqual(Math.max(1, height));
    }
  });

  test('no row is wider than the terminal', async () => {
    const { type, editor } = createEditor();
    await type('/');
    for (const width of [1, 7, 20, 33])
      for (const row of editor.renderMenu(width, 8)) expect(measureLine(row)).toBeLessThanOrEqual(width);
  });

  test('files: a folder continues the menu, a path with spaces is quoted', async () => {
    const { type, key, editor, rows } = createEditor();
    await type('see @sr');
    expect(rows()).toEqual(['› src/', '  src/index.ts']);
    await key('tab');
    expect(editor.text).toBe('see @src/');
    expect(rows()).toEqual(['› src/', '  src/index.ts']);
    await key('down', 'enter');
    expect([editor.text, rows()]).toEqual(['see @src/index.ts ', []]);
    await type('@notes');
    await key('enter');
    expect(editor.text).toBe('see @src/index.ts @"my notes.md" ');
    expect(await key('enter')).toBe('see @src/index.ts @"my notes.md" ');
  });

  test('a complete path is sent with Enter', async () => {
    const { type, key } = createEditor();
    await type('read @src/index.ts');
    expect(await key('enter')).toBe('read @src/index.ts');
  });

  test('stays closed after it was dismissed until another word is typed', async () => {
    const { type, editor, rows, key } = createEditor();
    await type('/');
    editor.dismissMenu();
    await type('mo');
    expect(rows()).toEqual([]);
    expect(await key('enter')).toBe('/mo');
    await type('/mo');
    expect(rows()).toHaveLength(1);
  });

  test('movements and the history open no menu', async () => {
    const { type, key, rows, history } = createEditor();
    void history.add('/model x');
    void history.add('/mo');
    await key('up');
    expect(rows()).toEqual([]);
    await key('ctrl+u');
    await type('/mo');
    await key('left');
    expect(rows()).toEqual([]);
  });

  test('does not open where nothing can be redrawn', async () => {
    const { type, key, rows } = createEditor({ canRedraw: false });
    await type('/mo');
    expect(rows()).toEqual([]);
    expect(await key('enter')).toBe('/mo');
  });

  test('Tab completes an argument', async () => {
    const { type, key, editor, rows } = createEditor();
    await type('/thinking hi');
    expect(rows()).toEqual([]);
    await key('tab');
    expect(editor.text).toBe('/thinking high');
  });
});

describe('pasted text', () => {
  const lines = (count: number, word = 'line') => Array.from({ length: count }, (_, at) => `${word} ${at}`).join('\n');

  test('a long text is one label and is sent whole', async () => {
    const { type, paste, key, shown, editor } = createEditor();
    await type('fix: ');
    paste(`${lines(40)}\r\n`);
    await type(' now');
    expect(shown()).toBe('fix: [pasted 40 lines] now');
    expect(editor.text).toBe(`fix: ${lines(40)}\n now`);
    expect(await key('enter')).toBe(`fix: ${lines(40)}\n now`);
    expect(shown()).toBe('');
  });

  test('a short text is inserted as it is; a long line is counted in characters', () => {
    const { paste, shown, editor } = createEditor();
    paste(lines(10));
    expect(shown()).toBe(lines(10));
    editor.setText('');
    paste('x'.repeat(1001));
    expect(shown()).toBe('[pasted 1001 characters]');
  });

  test('backspace and Ctrl+W remove it as one unit; Ctrl+Y restores what was cut', async () => {
    const { type, paste, key, shown, editor } = createEditor();
    await type('one two ');
    paste(lines(20));
    await key('backspace');
    expect(shown()).toBe('one two ');
    paste(lines(20));
    await key('ctrl+w');
    expect(shown()).toBe('one two ');
    await key('ctrl+y', 'left', 'right');
    expect([shown(), editor.text]).toEqual(['one two [pasted 20 lines]', `one two ${lines(20)}`]);
    await key('left');
    expect(editor.displayedDraft.cursor).toBe('one two '.length);
    await key('delete');
    expect(shown()).toBe('one two ');
  });

  test('several texts are numbered; the numbers start again with the next message', async () => {
    const { paste, key, shown, editor } = createEditor();
    paste(lines(20, 'a'));
    paste(lines(30, 'b'));
    expect(shown()).toBe('[pasted 20 lines][pasted 30 lines #2]');
    expect(editor.text).toBe(lines(20, 'a') + lines(30, 'b'));
    await key('enter');
    paste(lines(11));
    expect(shown()).toBe('[pasted 11 lines]');
  });

  test('the history has the whole text, and the unsent draft keeps its label', async () => {
    const { paste, key, shown, history, editor } = createEditor();
    void history.add('older');
    paste(lines(20));
    await key('up');
    expect(shown()).toBe('older');
    await key('down');
    expect([shown(), editor.text]).toEqual(['[pasted 20 lines]', lines(20)]);
    const sent = await key('enter');
    void history.add(sent ?? '');
    await key('up');
    expect(shown()).toBe(lines(20));
  });

  test('characters of placeholders in typed and pasted text are removed', async () => {
    const { type, paste, editor } = createEditor();
    paste(lines(20));
    await type('\ufdd0x');
    paste('\ufdd1y');
    expect(editor.text).toBe(`${lines(20)}xy`);
  });

  test('more pasted texts than there are placeholders replace the oldest ones only', () => {
    const { paste, editor } = createEditor();
    for (let at = 0; at < 32; at++) paste(lines(11, `p${at}`));
    expect(editor.text).toContain('p0 0');
    expect(editor.text).toContain('p31 10');
  });

  test('is shown whole where nothing can be redrawn', () => {
    const { paste, shown } = createEditor({ canRedraw: false });
    paste(lines(20));
    expect(shown()).toBe(lines(20));
  });
});
