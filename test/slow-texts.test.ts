// Runs every regular expression and parser for untrusted text on texts that make it slow.
// Times are compared between sizes, or with a limit that is far above the time of a slow machine and far below a hang.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addMentions } from '../src/core/resources/mentions.ts';
import { createAnswerParser } from '../src/core/subagent/answer-parser.ts';
import { parseSections } from '../src/llm/apis/ai-sdk/sign-in/aws-config.ts';
import { resolveModelScope } from '../src/llm/model-scope.ts';
import { extractConversation, summariseConversation } from '../src/llm/offline/conversation-digest.ts';
import { digestFile } from '../src/llm/offline/file-digest.ts';
import { offlineModel } from '../src/llm/offline/offline-model.ts';
import { parseIntents } from '../src/llm/offline/parse-intents.ts';
import { ToolArguments } from '../src/llm/tool-arguments.ts';
import type { Model } from '../src/protocol/index.ts';
import { splitFrontmatter } from '../src/support/frontmatter.ts';
import { compileGlob } from '../src/support/glob.ts';
import { parseYamlFields } from '../src/support/yaml-fields.ts';
import { createDraft, EDIT_BINDINGS, insertText } from '../src/terminal/input/draft.ts';
import { MarkdownRenderer, renderMarkdown } from '../src/terminal/markdown/markdown-renderer.ts';
import { renderInline } from '../src/terminal/markdown/render-inline.ts';
import { AnsiStripper } from '../src/tools/ansi-stripper.ts';
import { applyEdits } from '../src/tools/apply-edits.ts';
import { createLineDiff } from '../src/tools/edit-diff.ts';
import { findRegexes, findSlowText, measureTime } from './support/slow-texts.ts';

const SRC = join(import.meta.dirname, '../src');

const expressions = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .flatMap((name) => findRegexes(`src/${name}`, readFileSync(join(SRC, name), 'utf8')));

/** Expressions that are not linear, but are used only on short texts. */
const SHORT_TEXTS: readonly { file: string; holds: string; why: string }[] = [
  { file: 'src/core/export/format.ts', holds: '(\\d{3})+', why: 'a number as String() writes it' },
  { file: 'src/store/summarize-session.ts', holds: '"usage"', why: 'the last 1,024 bytes of a line' },
  { file: 'src/support/glob.ts', holds: '(?<![^/])', why: 'a pattern of at most 1,000 characters' },
  {
    file: 'src/llm/offline/phrases.ts',
    holds: '',
    why: 'a request of at most 2,000 characters without runs of blanks',
  },
  {
    file: 'src/llm/offline/parse-intents.ts',
    holds: '[;\\n]',
    why: 'a request of at most 2,000 characters without runs of blanks',
  },
];

function isShort({ file, written }: { file: string; written: string }): boolean {
  return SHORT_TEXTS.some((one) => one.file === file && written.includes(one.holds));
}

describe('regular expressions', () => {
  test('all regular expressions are found', () => {
    expect(expressions.length).toBeGreaterThan(300);
    for (const { file, holds } of SHORT_TEXTS) {
      expect(
        expressions.some((one) => one.file === file && one.written.includes(holds)),
        file,
      ).toBe(true);
    }
  });

  test('take linear time', () => {
    const slow = expressions
      .filter((one) => !isShort(one))
      .flatMap((one) => {
        const text = findSlowText(one);
        return text === undefined ? [] : [`${one.where} ${one.written} on ${JSON.stringify(text)}`];
      });
    expect(slow).toEqual([]);
  });
});

/** `start`, followed by `part` repeated up to `length`. */
function repeatPart(part: string, length: number, start = ''): string {
  return start + part.repeat(Math.ceil(length / part.length));
}

/** Shorter times are too inaccurate to measure growth. */
const NOISE_MS = 40;

/** How often growth is measured before it counts as too fast: other programs can take the processor during one measurement. */
const MAX_ATTEMPTS = 4;

/** A text of four times the length may take up to ten times as long. Quadratic time would take sixteen times as long, each time. */
function expectLinear(length: number, work: (length: number) => unknown): void {
  work(Math.floor(length / 10));
  const measured: string[] = [];
  // Below the first limit, the time of the short text does not matter. Most texts need only this one run.
  let limit = 10 * NOISE_MS;
  let long = measureTime(() => work(length * 4), 1);
  while (long >= limit && measured.length < MAX_ATTEMPTS) {
    const short = measureTime(() => work(length));
    limit = 10 * Math.max(short, NOISE_MS);
    // The first run was already long enough to compare.
    if (measured.length > 0 || long >= limit) long = measureTime(() => work(length * 4), 3, limit);
    measured.push(`${short} and ${long} ms`);
  }
  expect(long, `${length} characters and four times as many took ${measured}`).toBeLessThan(limit);
}

/** Far below a hang, which takes minutes. */
const LIMIT_MS = 10_000;

function ignoreErrors(work: () => unknown): void {
  try {
    work();
  } catch {
    // A rejected text is fine; only the time matters.
  }
}

describe('patterns of models and settings', () => {
  test('a glob with many stars', async () => {
    const stars = `${repeatPart('*a', 900, '')}b`;
    for (const pattern of [
      `${'*a'.repeat(7)}*ab`,
      stars,
      repeatPart('**/a/', 800),
      repeatPart('?*', 900),
      repeatPart('*[a-z]', 900),
    ]) {
      const matches = compileGlob(pattern);
      expectLinear(1000, (length) => matches('a'.repeat(length)));
      expectLinear(1000, (length) => matches(repeatPart('a/', length)));
    }
  });

  test('a glob that is too long, or expands to too many patterns, is rejected', () => {
    expect(() => compileGlob('a'.repeat(1001))).toThrow(/^Pattern too long: 1001 characters, at most 1000/);
    expect(() => compileGlob(`{${repeatPart('aaaaaaaaa,', 600)}}${'b'.repeat(390)}`)).toThrow(/^Too many braces/);
    expect(measureTime(() => ignoreErrors(() => compileGlob('{'.repeat(500) + '}'.repeat(500))), 1)).toBeLessThan(
      LIMIT_MS,
    );
    expect(measureTime(() => ignoreErrors(() => compileGlob('['.repeat(1000))), 1)).toBeLessThan(LIMIT_MS);
  });

  test('a list of models with many stars', async () => {
    const models = (length: number) => [{ provider: 'p', id: 'a'.repeat(length), name: '' } as Model];
    const resolve = (length: number, patterns: string[]) => resolveModelScope(models(length), patterns, offlineModel);
    expectLinear(2000, (length) => resolve(length, [`${'*a'.repeat(50)}*b`]));
    expect(resolve(3, ['P/*a?', 'b*']).scope).toHaveLength(1);
  });
});

describe('text of prompts and of files', () => {
  test('mentions', async () => {
    const files = {
      info: async () => undefined,
      realPath: async (path: string) => path,
      read: async () => new Uint8Array(),
    };
    for (const part of ['.', ').', '@.', ' @', '@"', ' @"a']) {
      const start = performance.now();
      await addMentions(files, '/project', `${repeatPart(part, 200_000, '@')}a`);
      expect(performance.now() - start, part).toBeLessThan(LIMIT_MS);
    }
  });

  test('frontmatter', () => {
    for (const part of ['\t', ' ', 'a ', '\r', '---\n', 'a: b\n', '\n', '-']) {
      for (const start of ['---\n', '---\na: ', '---\n"']) {
        expectLinear(10_000, (length) => splitFrontmatter(`${repeatPart(part, length, start)}\r\n---\nx`));
      }
    }
  });

  test('YAML of frontmatter', () => {
    // The parser creates an error for each invalid character. Two thirds of its time would be stack traces.
    const { stackTraceLimit } = Error;
    onTestFinished(() => {
      Error.stackTraceLimit = stackTraceLimit;
    });
    Error.stackTraceLimit = 0;
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
      'a: ',
      '[',
      '{a: ',
      ']',
      ',',
      '\r',
      'a: b\n',
      'a: b: c\n',
      'a: *b\n',
      'a: &b c\n',
      '- a\n',
      '\n',
      '? ',
      '&a ',
      '*a, ',
      '!a ',
      '|\n',
      '\\x',
    ]) {
      for (const start of ['', 'a: ', '- ', '"', 'a: |\n  ', 'a: &a b\nc: [']) {
        // Longer texts are rejected.
        expectLinear(7500, (length) => ignoreErrors(() => parseYamlFields(repeatPart(part, length, start))));
      }
    }
  });

  test('files of AWS profiles', async () => {
    for (const part of [' ', '\t', '=', '[', '#', ' #', 'a=', '[ ']) {
      for (const start of ['', '[', 'a', 'a =']) {
        expectLinear(10_000, (length) => parseSections(`${repeatPart(part, length, start)}x`));
      }
    }
  });

  test('answers of subagents', async () => {
    const expressions = { testPatterns: async () => [], onTimeout: () => {} };
    const form = createAnswerParser({ type: 'object' }, 'schema', expressions);
    for (const part of ['```\n', '```\r', '```', ' ```\n', '\n']) {
      const start = performance.now();
      await form?.parse(repeatPart(part, 400_000));
      expect(performance.now() - start, part).toBeLessThan(LIMIT_MS);
    }
  });
});

describe('input of the offline model', () => {
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
          measureTime(() => parseIntents(repeatPart(part, 1900, start)), 1),
          start + part,
        ).toBeLessThan(LIMIT_MS);
        expect(
          measureTime(() => parseIntents(repeatPart(part, 50_000, start)), 1),
          start + part,
        ).toBeLessThan(LIMIT_MS);
      }
    }
  });

  test('conversations', async () => {
    const request = (text: string) => ({
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
          const found = extractConversation(request(`${repeatPart(part, length, start)}\n</conversation>`));
          if (found) summariseConversation(found);
          extractConversation(request(repeatPart(part, length, start)));
        });
      }
    }
  });

  test('files', async () => {
    for (const part of [' ', '#', '# ', 'a', '\n', 'from ', '~~~', '. ']) {
      for (const path of ['a.md', 'a.ts']) {
        expectLinear(40_000, (length) => digestFile(path, `${repeatPart(part, length, '# ')}x`, true));
      }
    }
    const lines = `# ${' '.repeat(490)}x ${' '.repeat(2)}\n`.repeat(400);
    expect(measureTime(() => digestFile('a.md', lines, true), 1)).toBeLessThan(LIMIT_MS);
  });
});

describe('answers of models', () => {
  test('streamed tool arguments', async () => {
    for (const part of ['[', '{"a":', '[1,', '{"a":[', '"\\\\', ' ', '[]', '{"a":"x",']) {
      expectLinear(20_000, (length) => new ToolArguments('t').append(repeatPart(part, length, '{"a":')));
    }
  });

  test('search texts of edits', async () => {
    const edit = (text: string, oldText: string) =>
      ignoreErrors(() => applyEdits(text, [{ oldText, newText: 'x' }], 'f'));
    expectLinear(20_000, (n) => edit('a'.repeat(n), 'a'.repeat(n / 4)));
    expectLinear(20_000, (n) => edit('a'.repeat(n), `${'a'.repeat(n / 8)}b${'a'.repeat(n / 8)}`));
    expectLinear(20_000, (n) => edit('a'.repeat(n), `b${'a'.repeat(n / 4)}`));
    expectLinear(20_000, (n) => edit(`e${'\u0301'.repeat(n)}`, 'zz'));
    expectLinear(20_000, (n) => edit(repeatPart('e\u0301', n), 'zz'));
    const lines = (letter: string) => Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`).join('\n');
    const start = performance.now();
    await createLineDiff(lines('a'), lines('b'));
    expect(performance.now() - start).toBeLessThan(LIMIT_MS);
  });
});

describe('terminal output', () => {
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

  test('inline Markdown', () => {
    for (const part of MARKS) {
      for (const length of [1000, 1300, 3000, 6666 * 3, 50_000]) {
        expect(
          measureTime(() => renderInline(repeatPart(part, length)), 1),
          `${part} ${length}`,
        ).toBeLessThan(LIMIT_MS / 5);
      }
    }
    expect(renderInline('a **b** `c`')).toHaveLength(1);
    expect(renderInline('a **b** `c`')[0]?.length).toBe(4);
  });

  test('Markdown blocks', async () => {
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
        expectLinear(4000, (length) => renderMarkdown(`${repeatPart(part, length, start)}\u2028x\``, 80));
      }
    }
  });

  test('streamed Markdown', async () => {
    expectLinear(50_000, (length) => {
      const view = new MarkdownRenderer();
      for (let at = 0; at < length; at += 4) view.push('abcd', 80);
      view.end(80);
    });
    expectLinear(50_000, (length) => {
      const view = new MarkdownRenderer();
      for (let at = 0; at < length; at += 4) view.push('> a\n', 80);
      view.end(80);
    });
  });

  test('typed input and program output', async () => {
    for (const part of [' ', '-', 'a', 'é ', '😀']) {
      expectLinear(20_000, (length) =>
        EDIT_BINDINGS['ctrl+w']?.(insertText(createDraft(''), repeatPart(part, length))),
      );
    }
    for (const part of ['\u001b[', '\u001b]', '\u001b', '\u009b', '\u0085', '\u001b[1', '\u001bP\u001b']) {
      expectLinear(50_000, (length) => new AnsiStripper().push(Buffer.from(repeatPart(part, length))));
    }
  });
});
