// Every regular expression and parser that meets text of others, on the text that it takes longest for.
// Time is compared between sizes, or with a bound that is far above what a slow machine needs and far below a hang.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseFrontmatter } from '../src/base/frontmatter.ts';
import { addMentions } from '../src/core/resources/mentions.ts';
import { answerForm } from '../src/core/subagent/answer.ts';
import { readSections } from '../src/llm/apis/ai-sdk/sign-in/aws-files.ts';
import { conversationToSummarise, summariseConversation } from '../src/llm/offline/conversation-digest.ts';
import { digestFile } from '../src/llm/offline/file-digest.ts';
import { understand } from '../src/llm/offline/understand.ts';
import { inScope } from '../src/llm/scope.ts';
import { ToolArguments } from '../src/llm/tool-arguments.ts';
import type { Model } from '../src/protocol/index.ts';
import { EDITS, inserted, written } from '../src/terminal/input/editor.ts';
import { inlineLines } from '../src/terminal/markdown/inline.ts';
import { MarkdownView, markdownLines } from '../src/terminal/markdown/view.ts';
import { lineDiff } from '../src/tools/edit-diff.ts';
import { applyEdits } from '../src/tools/edit-match.ts';
import { compileGlob } from '../src/tools/glob.ts';
import { TerminalText } from '../src/tools/terminal-text.ts';
import { expressionsIn, timeOf, worstOf } from './support/worst-texts.ts';

const SRC = join(import.meta.dirname, '../src');

const expressions = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .flatMap((name) => expressionsIn(`src/${name}`, readFileSync(join(SRC, name), 'utf8')));

/** Not linear, but never given a long text. */
const SHORT_TEXTS: readonly { file: string; holds: string; why: string }[] = [
  { file: 'src/core/export/words.ts', holds: '(\\d{3})+', why: 'a number as String() writes it' },
  { file: 'src/store/summary.ts', holds: '"usage"', why: 'the last 1,024 bytes of a line' },
  { file: 'src/tools/glob.ts', holds: '(?<![^/])', why: 'a pattern of at most 1,000 characters' },
  {
    file: 'src/llm/offline/phrases.ts',
    holds: '',
    why: 'a request of at most 2,000 characters without runs of blanks',
  },
  {
    file: 'src/llm/offline/understand.ts',
    holds: '[;\\n]',
    why: 'a request of at most 2,000 characters without runs of blanks',
  },
];

function isShort({ file, written }: { file: string; written: string }): boolean {
  return SHORT_TEXTS.some((one) => one.file === file && written.includes(one.holds));
}

describe('regular expressions', () => {
  test('all of them are found', () => {
    expect(expressions.length).toBeGreaterThan(300);
    for (const { file, holds } of SHORT_TEXTS) {
      expect(
        expressions.some((one) => one.file === file && one.written.includes(holds)),
        file,
      ).toBe(true);
    }
  });

  test('take time in proportion to the text', () => {
    const slow = expressions
      .filter((one) => !isShort(one))
      .flatMap((one) => {
        const text = worstOf(one);
        return text === undefined ? [] : [`${one.where} ${one.written} on ${JSON.stringify(text)}`];
      });
    expect(slow).toEqual([]);
  });
});

/** Text of a length that begins with `start`, made of one part again and again. */
function run(part: string, length: number, start = ''): string {
  return start + part.repeat(Math.ceil(length / part.length));
}

/** Times of a few milliseconds say nothing about growth. */
const NOISE_MS = 40;

/** Four times the text takes about four times as long; ten times is allowed. Quadratic time takes sixteen times as long. */
function expectLinear(length: number, work: (length: number) => unknown): void {
  work(Math.floor(length / 10));
  const short = timeOf(() => work(length));
  const long = timeOf(() => work(length * 4));
  expect(long, `${length} characters took ${short} ms, four times as many ${long} ms`).toBeLessThan(
    10 * Math.max(short, NOISE_MS),
  );
}

/** A hang takes minutes. */
const SECONDS = 10_000;

function quietly(work: () => unknown): void {
  try {
    work();
  } catch {
    // A refusal is an answer.
  }
}

describe('patterns of models and settings', () => {
  test('a glob with many stars', async () => {
    const stars = `${run('*a', 900, '')}b`;
    for (const pattern of [`${'*a'.repeat(7)}*ab`, stars, run('**/a/', 800), run('?*', 900), run('*[a-z]', 900)]) {
      const fits = compileGlob(pattern);
      expectLinear(1000, (length) => fits('a'.repeat(length)));
      expectLinear(1000, (length) => fits(run('a/', length)));
    }
  });

  test('a glob that is too long, or whose braces are, is refused with its size', () => {
    expect(() => compileGlob('a'.repeat(1001))).toThrow(/^Pattern too long: 1001 characters, at most 1000/);
    expect(() => compileGlob(`{${run('aaaaaaaaa,', 600)}}${'b'.repeat(390)}`)).toThrow(/^Too many braces/);
    expect(timeOf(() => quietly(() => compileGlob('{'.repeat(500) + '}'.repeat(500))), 1)).toBeLessThan(SECONDS);
    expect(timeOf(() => quietly(() => compileGlob('['.repeat(1000))), 1)).toBeLessThan(SECONDS);
  });

  test('a list of models with many stars', async () => {
    const models = (length: number) => [{ provider: 'p', id: 'a'.repeat(length), name: '' } as Model];
    expectLinear(2000, (length) => inScope(models(length), [`${'*a'.repeat(50)}*b`]));
    expect(inScope(models(3), ['P/*a?', 'b*']).length).toBe(1);
  });
});

describe('text of prompts and of files', () => {
  test('mentions', async () => {
    const files = {
      info: async () => undefined,
      resolve: async (path: string) => path,
      read: async () => new Uint8Array(),
    };
    for (const part of ['.', ').', '@.', ' @', '@"', ' @"a']) {
      const start = performance.now();
      await addMentions(files, '/project', `${run(part, 200_000, '@')}a`);
      expect(performance.now() - start, part).toBeLessThan(SECONDS);
    }
  });

  test('frontmatter', async () => {
    for (const part of [
      '\t',
      ' ',
      'a ',
      "'",
      '"',
      '\\',
      ' #',
      '- ',
      '-',
      'a:',
      '[',
      '\r',
      '---\n',
      'a: b\n',
      '- a\n',
      '\n',
    ]) {
      for (const start of ['---\n', '---\na', '---\na: ', '---\n- ', '---\n"', "---\n'", '---\na: |\n  ']) {
        expectLinear(10_000, (length) => quietly(() => parseFrontmatter(`${run(part, length, start)}\r\n---\nx`)));
      }
    }
  });

  test('files of AWS profiles', async () => {
    for (const part of [' ', '\t', '=', '[', '#', ' #', 'a=', '[ ']) {
      for (const start of ['', '[', 'a', 'a =']) {
        expectLinear(10_000, (length) => readSections(`${run(part, length, start)}x`));
      }
    }
  });

  test('answers of subagents', async () => {
    const expressions = { tryPatterns: async () => [], lost: () => {} };
    const form = answerForm({ type: 'object' }, 'schema', expressions);
    for (const part of ['```\n', '```\r', '```', ' ```\n', '\n']) {
      const start = performance.now();
      await form?.read(run(part, 400_000));
      expect(performance.now() - start, part).toBeLessThan(SECONDS);
    }
  });
});

describe('what the offline model reads', () => {
  const STARTS = ['', 'append ', 'find ', 'replace ', 'show ', 'search ', 'in ', 'please '];

  test('requests', () => {
    for (const part of [
      ' ',
      '\t',
      '\n',
      ',',
      '!',
      '.',
      'a ',
      'to ',
      'in ',
      'a to b ',
      'the ',
      'and ',
      'file ',
      "'a ",
      '“',
      '«',
      '« ',
      '`',
      '``a',
      '```\n',
      '"',
    ]) {
      for (const start of STARTS) {
        expect(
          timeOf(() => understand(run(part, 1900, start)), 1),
          start + part,
        ).toBeLessThan(SECONDS);
        expect(
          timeOf(() => understand(run(part, 50_000, start)), 1),
          start + part,
        ).toBeLessThan(SECONDS);
      }
    }
  });

  test('conversations', async () => {
    const said = (text: string) => ({
      systemPrompt: 'summarise',
      messages: [{ role: 'user' as const, content: text, timestamp: 0 }],
    });
    for (const part of [
      '<conversation>',
      '<previous-summary>',
      '\r[Tool result',
      'command timed out ',
      '-',
      'a(',
      'path="',
      '[User]: a\n',
    ]) {
      for (const start of [
        '<conversation>',
        '<conversation>[Tool result]: ',
        '<conversation>[Assistant tool calls]: ',
      ]) {
        expectLinear(20_000, (length) => {
          const found = conversationToSummarise(said(`${run(part, length, start)}\n</conversation>`));
          if (found) summariseConversation(found);
          conversationToSummarise(said(run(part, length, start)));
        });
      }
    }
  });

  test('files', async () => {
    for (const part of [' ', '#', '# ', 'a', '\n', 'from ', '~~~', '. ']) {
      for (const path of ['a.md', 'a.ts']) {
        expectLinear(40_000, (length) => digestFile(path, `${run(part, length, '# ')}x`, true));
      }
    }
    const lines = `# ${' '.repeat(490)}x ${' '.repeat(2)}\n`.repeat(400);
    expect(timeOf(() => digestFile('a.md', lines, true), 1)).toBeLessThan(SECONDS);
  });
});

describe('answers of models', () => {
  test('arguments that arrive in pieces', async () => {
    for (const part of ['[', '{"a":', '[1,', '{"a":[', '"\\\\', ' ', '[]', '{"a":"x",']) {
      expectLinear(20_000, (length) => new ToolArguments('t').append(run(part, length, '{"a":')));
    }
  });

  test('texts that an edit looks for', async () => {
    const edit = (text: string, oldText: string) => quietly(() => applyEdits(text, [{ oldText, newText: 'x' }], 'f'));
    expectLinear(20_000, (n) => edit('a'.repeat(n), 'a'.repeat(n / 4)));
    expectLinear(20_000, (n) => edit('a'.repeat(n), `${'a'.repeat(n / 8)}b${'a'.repeat(n / 8)}`));
    expectLinear(20_000, (n) => edit('a'.repeat(n), `b${'a'.repeat(n / 4)}`));
    expectLinear(20_000, (n) => edit(`e${'\u0301'.repeat(n)}`, 'zz'));
    expectLinear(20_000, (n) => edit(run('e\u0301', n), 'zz'));
    const lines = (letter: string) => Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`).join('\n');
    const start = performance.now();
    await lineDiff(lines('a'), lines('b'));
    expect(performance.now() - start).toBeLessThan(SECONDS);
  });
});

describe('what a terminal shows', () => {
  const MARKS = [
    '*a_',
    '*',
    '_',
    '[*a',
    '*_a',
    '[',
    '![',
    '<a ',
    '`',
    '``a',
    '~',
    '!',
    '_http://',
    'a_',
    'a@',
    'www.a.',
    '\\[',
    '&#',
    'a  \n',
    '[a](',
    '*a **b ',
  ];

  test('marks inside a line', () => {
    for (const part of MARKS) {
      for (const length of [1000, 1300, 3000, 6666 * 3, 50_000]) {
        expect(
          timeOf(() => inlineLines(run(part, length)), 1),
          `${part} ${length}`,
        ).toBeLessThan(SECONDS / 5);
      }
    }
    expect(inlineLines('a **b** `c`')).toHaveLength(1);
    expect(inlineLines('a **b** `c`')[0]?.length).toBe(4);
  });

  test('blocks and lines', async () => {
    const parts = [
      ' ',
      '\t',
      '#',
      '# ',
      '- ',
      '> ',
      '|',
      '|-',
      '| - ',
      '~',
      '`',
      '1. ',
      'a',
      'é',
      'e\u0301',
      '漢',
      '😀',
      'a\n',
      '> a\n',
      '- a\n',
      '|a|b|\n',
      'a  \n',
    ];
    for (const part of parts) {
      for (const start of ['', '# ', '~~~', 'a|b\n|']) {
        expectLinear(4000, (length) => markdownLines(`${run(part, length, start)}\u2028x\``, 80));
      }
    }
  });

  test('a line that arrives in small pieces', async () => {
    expectLinear(50_000, (length) => {
      const view = new MarkdownView();
      for (let at = 0; at < length; at += 4) view.push('abcd', 80);
      view.end(80);
    });
    expectLinear(50_000, (length) => {
      const view = new MarkdownView();
      for (let at = 0; at < length; at += 4) view.push('> a\n', 80);
      view.end(80);
    });
  });

  test('what is typed and what programs print', async () => {
    for (const part of [' ', '-', 'a', 'é ', '😀']) {
      expectLinear(20_000, (length) => EDITS['ctrl+w']?.(inserted(written(''), run(part, length))));
    }
    for (const part of ['\u001b[', '\u001b]', '\u001b', '\u009b', '\u0085', '\u001b[1', '\u001bP\u001b']) {
      expectLinear(50_000, (length) => new TerminalText().push(Buffer.from(run(part, length))));
    }
  });
});
