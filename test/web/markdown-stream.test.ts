// Incremental parsing of markdown: the same blocks as parsing at once, and a bounded amount of work for each update.
import fc from 'fast-check';
import { Lexer, type Token } from 'marked';
import { describe, expect, test, vi } from 'vitest';
import { type MarkdownChunk, MarkdownStream } from '../../web/src/markdown/markdown-stream.ts';

const FRAGMENTS = [
  ...['word ', 'two words', '\n', '\n\n', '# ', '## Heading\n', '- item\n', '  - inner\n', '1. one\n', '> quote\n'],
  ...['```ts\n', '```\n', 'const x = 1;\n', '    indented\n', '| a | b |\n', '|---|---|\n', '| 1 | 2 |\n', '---\n'],
  ...['===\n', '**bold**', '`code`', '*', '_em_', '[link](http://x.y)', '<div>\n', '</div>\n', '&amp;', '\\*', '~~~\n'],
  ...[
    '- [x] done\n',
    '\t',
    ' ',
    'a\r\n',
    '![i](data:image/png;base64,AA==)',
    '<!-- ',
    '-->\n',
    '=',
    '-',
    '[p]',
    '\n\n[p]: http://x.y\n',
    "[q]: http://z.y 't'\n\n",
  ],
];

/** A line that begins with a list mark, a table row or dashes may continue a block that is not the one before it. */
const EXAMPLES: [string, number[]][] = [
  ['`code`const x = 1;\n*\n-| a | b |\n', [23]],
  ['word     indented\n<!-- \n-->\nword ---\n---\n', [29]],
  ['- [x] done\nword word \n\n-\t--->\n', [27]],
];

const source = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40, size: 'max' }).map((parts) => parts.join(''));

function describeTokens(tokens: readonly Token[]): unknown[] {
  return tokens.filter(({ type }) => type !== 'space').map((token) => ({ ...token, raw: token.raw.trimEnd() }));
}

function flatten(chunks: readonly MarkdownChunk[]): Token[] {
  return chunks.flatMap(({ tokens }) => tokens);
}

function streamText(text: string, cuts: readonly number[]): readonly MarkdownChunk[] {
  const stream = new MarkdownStream();
  const positions = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  for (const position of positions) stream.update(text.slice(0, position));
  return stream.update(text);
}

describe('texts that arrive in parts', () => {
  test('give the blocks of the whole text', () => {
    fc.assert(
      fc.property(source, fc.array(fc.nat(400), { maxLength: 12, size: 'max' }), (text, cuts) => {
        const whole = Lexer.lex(text);
        expect(describeTokens(flatten(streamText(text, cuts)))).toEqual(describeTokens(whole));
      }),
      { numRuns: 3000, examples: EXAMPLES },
    );
  });

  test('a definition of a link counts for the text before it', () => {
    const text = 'See [the page][p].\n\nMore.\n\n[p]: http://x.y\n';
    const [first] = flatten(streamText(text, [20, 30, 35]));
    expect(JSON.stringify(first)).toContain('"href":"http://x.y"');
  });

  test('a text that is replaced is parsed from its start', () => {
    const stream = new MarkdownStream();
    stream.update('# One\n\nText');
    expect(describeTokens(flatten(stream.update('# Two')))).toEqual(describeTokens(Lexer.lex('# Two')));
  });
});

describe('long texts', () => {
  const paragraphs = Array.from({ length: 4000 }, (_, at) => `Paragraph ${at} with **some** text.\n\n`).join('');

  test('chunks that are complete stay the same objects', () => {
    const stream = new MarkdownStream();
    const before = stream.update(paragraphs.slice(0, 60_000));
    const after = stream.update(paragraphs.slice(0, 120_000));
    expect(before.length).toBeGreaterThan(5);
    expect(after.length).toBeGreaterThan(before.length);
    before.slice(0, -1).forEach((chunk, at) => {
      expect(after[at]).toBe(chunk);
    });
  });

  test('an update parses only the open block', () => {
    const stream = new MarkdownStream();
    stream.update(paragraphs);
    const parse = vi.spyOn(Lexer.prototype, 'blockTokens');
    stream.update(`${paragraphs}One more line`);
    const parsed = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
    parse.mockRestore();
    expect(parsed).toBeGreaterThan(0);
    expect(parsed).toBeLessThan(1000);
  });

  test.each([
    ['one paragraph', 'word '.repeat(40_000)],
    ['one paragraph of lines', 'some words in a line\n'.repeat(10_000)],
    ['one code block', `\`\`\`ts\n${'const x = 1;\n'.repeat(16_000)}`],
    ['one list', '- an item of the list\n'.repeat(10_000)],
    ['one table', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(20_000)}`],
  ])('%s is divided, and nothing is lost', (_name, text) => {
    const stream = new MarkdownStream();
    let chunks: readonly MarkdownChunk[] = [];
    for (let end = 1000; end < text.length + 1000; end += 1000) chunks = stream.update(text.slice(0, end));
    for (const { tokens } of chunks) {
      expect(tokens.reduce((sum, { raw }) => sum + raw.length, 0)).toBeLessThan(40_000);
    }
    const words = (value: string) => value.match(/\w+/g)?.length ?? 0;
    const body = flatten(chunks).map(({ raw }) => raw);
    const repeatedPrefixes = chunks.filter(({ isContinuation }) => isContinuation).length * 2;
    const total = body.reduce((sum, raw) => sum + words(raw), 0);
    expect(total).toBeGreaterThanOrEqual(words(text));
    expect(total).toBeLessThanOrEqual(words(text) + repeatedPrefixes);
    expect(chunks.some(({ isContinuation }) => isContinuation)).toBe(true);
  });

  test('the parts of a divided code block keep the language, and the block ends', () => {
    const stream = new MarkdownStream();
    const text = `\`\`\`ts\n${'const x = 1;\n'.repeat(2_000)}\`\`\`\n\nAfter.\n`;
    for (let end = 500; end < text.length + 500; end += 500) stream.update(text.slice(0, end));
    const tokens = flatten(stream.update(text)).filter(({ type }) => type !== 'space');
    expect(tokens.at(-1)).toMatchObject({ type: 'paragraph', text: 'After.' });
    const codes = tokens.slice(0, -1) as { type: string; lang: string; text: string }[];
    expect(new Set(codes.map(({ type, lang }) => `${type} ${lang}`))).toEqual(new Set(['code ts']));
    expect(
      codes
        .map((code) => code.text.trimEnd())
        .filter((code) => code !== '')
        .join('\n')
        .split('\n'),
    ).toHaveLength(2_000);
  });

  test.each(['> ', '1. '])('a block that is nested too deeply for the parser is not lost: %s', (mark) => {
    expect(() => Lexer.lex(mark.repeat(7_000))).toThrow(RangeError);
    const tokens = flatten(new MarkdownStream().update(mark.repeat(7_000)));
    expect(tokens.map(({ raw }) => raw).join('')).toBe(mark.repeat(7_000));
  });

  test('a long text is parsed in parts while the time lasts', () => {
    const stream = new MarkdownStream();
    stream.update(paragraphs, () => false);
    expect(stream.hasMore).toBe(true);
    let updates = 1;
    while (stream.hasMore) {
      stream.update(paragraphs, () => false);
      updates++;
    }
    expect(updates).toBeGreaterThan(3);
    expect(describeTokens(flatten(stream.update(paragraphs)))).toEqual(describeTokens(Lexer.lex(paragraphs)));
  });
});
