// Syntax highlighting of streamed code: line by line, with comments and strings of several lines.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { getLanguageOfPath, loadSyntaxHighlighter } from '../../../src/terminal/markdown/highlight-code.ts';
import { MarkdownRenderer, renderMarkdown } from '../../../src/terminal/markdown/markdown-renderer.ts';
import { createLineHighlighter } from '../../../src/terminal/markdown/syntax-highlighter.ts';
import type { Line } from '../../../src/terminal/text/line.ts';

const getText = (spans: Line) => spans.map(({ text }) => text).join('');
/** The colour of each text, `dim` for comments. */
const getColours = (spans: Line) =>
  spans
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, style }) => `${text.trim()}:${style.dim ? 'dim' : (style.colour ?? '')}`);

function highlight(language: string, source: string): Line[] {
  const highlighter = createLineHighlighter(language);
  return source.split('\n').map((text) => highlighter?.push(text) ?? []);
}

describe('lines of code', () => {
  test('have the colours of their tokens', () => {
    expect(getColours(highlight('ts', 'const a = "x<y&z"; // note')[0] ?? [])).toEqual([
      'const:magenta',
      'a =:',
      '"x<y&z":green',
      ';:',
      '// note:dim',
    ]);
  });

  test('continue comments and strings of several lines', () => {
    const lines = highlight('ts', '/* one\ntwo */ const a = 1;\nconst b = `x\ny`;');
    expect(lines.map(getColours)).toEqual([
      ['/* one:dim'],
      ['two */:dim', 'const:magenta', 'a =:', '1:yellow', ';:'],
      ['const:magenta', 'b =:', '`x:green'],
      ['y`:green', ';:'],
    ]);
  });

  test('peek does not change the state', () => {
    const highlighter = createLineHighlighter('python');
    expect(getColours(highlighter?.peek('"""open') ?? [])).toEqual(['"""open:green']);
    expect(getColours(highlighter?.push('return 1') ?? [])).toEqual(['return:magenta', '1:yellow']);
  });

  test('a very long line is not highlighted, and the next one is', () => {
    const [long = [], next = []] = highlight('ts', `const a = "${'x'.repeat(400)}";\nconst b = 1;`);
    expect(long).toHaveLength(1);
    expect(getColours(next)[0]).toBe('const:magenta');
  });

  test('an unknown language has no highlighter', () => {
    expect(createLineHighlighter('no-such-language')).toBe(undefined);
  });

  test.each(['ts', 'py', 'bash', 'json', 'xml', 'md', 'yaml', 'rust'])('%s: the text is unchanged', (language) => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ maxLength: 60 }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
          { maxLength: 8 },
        ),
        (texts) => {
          expect(highlight(language, texts.join('\n')).map(getText)).toEqual(texts.length === 0 ? [''] : texts);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('Markdown', () => {
  test('a block has one colour until the highlighter is loaded', async () => {
    const text = '```ts\nconst a = 1;\n```';
    expect(renderMarkdown(text, 80).map(getColours)[1]).toEqual(['const a = 1;:cyan']);
    await loadSyntaxHighlighter();
    expect(renderMarkdown(text, 80).map(getColours)).toEqual([
      ['```ts:dim'],
      ['const:magenta', 'a =:', '1:yellow', ';:'],
      ['```:dim'],
    ]);
  });

  test('streamed text gives the same lines as the whole text', async () => {
    await loadSyntaxHighlighter();
    const text =
      'Text\n\n```python title=x\ndef f(a):\n    """one\n    two"""\n```\n\n```\nplain\n```\n~~~json\n{"a": 1}\n~~~\n';
    const renderer = new MarkdownRenderer();
    const lines = [...text].flatMap((character) => {
      const finished = renderer.push(character, 80);
      renderer.renderPending(80);
      return finished;
    });
    expect([...lines, ...renderer.end(80)]).toEqual(renderMarkdown(text, 80));
    expect(getColours(lines.find((spans) => getText(spans).includes('two')) ?? [])).toEqual(['two""":green']);
    expect(getColours(lines.find((spans) => getText(spans) === 'plain') ?? [])).toEqual(['plain:cyan']);
  });

  test('the line being written has the colours of the finished line', async () => {
    await loadSyntaxHighlighter();
    const renderer = new MarkdownRenderer();
    renderer.push('```ts\nconst a = 1;', 80);
    expect(renderer.renderPending(80).map(getColours)).toEqual([['const:magenta', 'a =:', '1:yellow', ';:']]);
  });
});

test.each([
  ['src/a.ts', 'ts'],
  ['/a/b.tar.gz', 'gz'],
  ['Makefile', 'Makefile'],
  ['a.b/c', 'c'],
  ['src/', ''],
])('the language of %s is %s', (path, language) => {
  expect(getLanguageOfPath(path)).toBe(language);
});
