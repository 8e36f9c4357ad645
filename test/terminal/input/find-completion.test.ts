// Completion: which word is completed, and the suggestions for it.
import { describe, expect, test } from 'vitest';
import { createDraft, type Draft } from '../../../src/terminal/input/draft.ts';
import {
  type CompletionSources,
  findCommonPrefix,
  findCompletionTarget,
  findSuggestions,
  replaceWord,
} from '../../../src/terminal/input/find-completion.ts';

const FILES = ['src/', 'src/index.ts', 'some.txt', 'my notes/', 'my notes/read me.md'];
const SOURCES: CompletionSources = {
  listCommands: async () => [{ value: 'more' }, { value: 'model' }, { value: 'name', doc: 'x' }, { value: 'remove' }],
  listArguments: async (command) => (command === 'model' ? ['a/one', 'b/two'] : []),
  listDirectory: async (folder) => (folder === '' ? ['.env', 'src/'] : folder === '../' ? ['other/', 'o.txt'] : []),
  async *searchFiles(query) {
    yield FILES.filter((path) => path.includes(query));
  },
};

async function complete(text: string, sources = SOURCES): Promise<string[]> {
  const target = findCompletionTarget(createDraft(text));
  if (!target) return [];
  let last: string[] = [];
  for await (const found of findSuggestions(target, sources, new AbortController().signal))
    last = found.map(({ value }) => value);
  return last;
}

describe('suggestions', () => {
  test('commands: the exact name, then prefixes in their order, then fuzzy matches', async () => {
    expect(await complete('/mo')).toEqual(['more ', 'model ', 'remove ']);
    expect(await complete('/model')).toEqual(['model ']);
    expect(await complete('/rmv')).toEqual(['remove ']);
    expect(await complete('/')).toHaveLength(4);
    expect(await complete('/mo/x')).toEqual([]);
    expect(await complete('say /mo')).toEqual([]);
  });

  test('arguments of commands', async () => {
    expect(await complete('/model tw')).toEqual(['b/two']);
    expect(await complete('plain words')).toEqual([]);
  });

  test('files: at any place in the text, quoted when the path has spaces', async () => {
    expect(await complete('look at @s')).toEqual([
      'src/',
      'src/index.ts ',
      'some.txt ',
      '"my notes/',
      '"my notes/read me.md" ',
    ]);
    expect(await complete('(@src/')).toEqual(['src/', 'src/index.ts ']);
    expect(await complete('a\n@"my no')).toEqual(['"my notes/', '"my notes/read me.md" ']);
    expect(await complete('mail@s')).toEqual([]);
  });

  test('files that are not in the list of the project are found in their folder', async () => {
    expect(await complete('@.e')).toEqual(['.env ']);
    expect(await complete('@../o')).toEqual(['../other/', '../o.txt ']);
    const failing = { ...SOURCES, listDirectory: () => Promise.reject(new Error('gone')) };
    expect(await complete('@../o', failing)).toEqual([]);
  });
});

describe('the completed word', () => {
  const at = (marked: string): Draft => {
    const cursor = marked.indexOf('|');
    return { text: marked.replace('|', ''), cursor, cutText: '' };
  };

  test('ends at the cursor, and no word continues there', () => {
    expect(findCompletionTarget(at('see @sr| and go'))).toMatchObject({ kind: 'file', from: 5, query: 'sr' });
    expect(findCompletionTarget(at('see (@sr|) now'))).toMatchObject({ kind: 'file', query: 'sr' });
    expect(findCompletionTarget(at('see @sr|c'))).toBeUndefined();
    expect(findCompletionTarget(at('@"my n| x'))).toMatchObject({ from: 1, query: 'my n' });
  });

  test('is replaced without a second space', () => {
    expect(replaceWord(at('see @sr| and'), 5, 'src/index.ts ')).toMatchObject({
      text: 'see @src/index.ts and',
      cursor: 18,
    });
    expect(replaceWord(at('look at @s|'), 9, 'src/')).toEqual({ text: 'look at @src/', cursor: 13, cutText: '' });
  });

  test('the common prefix of suggestions', () => {
    expect(findCommonPrefix([{ value: 'model ' }, { value: 'more ' }])).toBe('mo');
    expect(findCommonPrefix([])).toBe('');
  });
});
