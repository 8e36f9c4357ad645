// Frontmatter of Markdown files: accepted YAML and errors.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import { parseFrontmatter, parsePlainFields, splitFrontmatter } from '../../src/support/frontmatter.ts';
import { parseYamlFields } from '../../src/support/yaml-fields.ts';

const parseFields = (yaml: string) => parseYamlFields(splitFrontmatter(`---\n${yaml}\n---\nbody\n`).yaml);

test('fields and body are separated', async () => {
  expect(await parseFrontmatter('---\nname: a\n---\n\n# Hello\n\nyou\n')).toEqual({
    fields: { name: 'a' },
    body: '# Hello\n\nyou\n',
  });
  expect(await parseFrontmatter('\uFEFF---\r\nname: a\r\n---\r\nbody\r\n')).toEqual({
    fields: { name: 'a' },
    body: 'body\r\n',
  });
  expect(await parseFrontmatter('---\n---\nbody')).toEqual({ fields: {}, body: 'body' });
  expect(await parseFrontmatter('no fields\n---\n')).toEqual({ fields: {}, body: 'no fields\n---\n' });
  expect(await parseFrontmatter('---\nnever: closed\n')).toEqual({ fields: {}, body: '---\nnever: closed\n' });
});

test.each<[string, unknown]>([
  ['a: word', 'word'],
  ['a: several words: and a colon', 'several words: and a colon'],
  ['a: word # remark', 'word'],
  ['a: no#remark', 'no#remark'],
  ['a: "quoted # \\"x\\"\\n"', 'quoted # "x"\n'],
  ["a: 'it''s'", "it's"],
  ['a: true', true],
  ['a: False', false],
  ['a: 12', 12],
  ['a: -1.5', -1.5],
  ['a: 007', 7],
  ['a: "007"', '007'],
  ['a: 1.2.3', '1.2.3'],
  ['a: ~', null],
  ['a:', null],
  ['a: [read, grep, 3]', ['read', 'grep', 3]],
  ['a: []', []],
  ['a: {"b": [1]}', { b: [1] }],
  ['a: read, grep', 'read, grep'],
  ['a: *', '*'],
  ['a:\n  - x\n  - y: 1\n    # nothing\n', ['x', { y: 1 }]],
  ['a:\n- x\n- z', ['x', 'z']],
  ['a:\n  b:\n    c: 1\n  d: 2', { b: { c: 1 }, d: 2 }],
  ['a: |\n  one\n   two\n\n  three', 'one\n two\n\nthree\n'],
  ['a: >-\n  one\n  two', 'one two'],
  ['a: >\n  one\n\n  two', 'one\ntwo\n'],
  ['a: |+\n  one\n\n', 'one\n\n'],
  ['a: |2\n    one\n  two', '  one\ntwo\n'],
  ['a: one\n  two', 'one two'],
  ['a:\n  one\n  two', 'one two'],
  ['a: "one\n  two"', 'one two'],
  ['a: {type: object, required: [b, "c"]}', { type: 'object', required: ['b', 'c'] }],
  ['a: [one,\n  two]', ['one', 'two']],
  ['a:\n  - b: &x 1\n    c: *x', [{ b: 1, c: 1 }]],
  ['a: 2025-01-31', '2025-01-31'],
  ['a: yes', 'yes'],
])('%j', (yaml, value) => {
  expect(parseFields(yaml)).toEqual({ a: value });
});

test('parsing continues after a block', () => {
  expect(parseFields('a:\n  - x\nb: |\n  text\n# remark\n\nc: 1')).toEqual({ a: ['x'], b: 'text\n', c: 1 });
});

describe('values that YAML rejects are read as text', () => {
  test.each<[string, unknown]>([
    ['a: Use when: the user says "go"', 'Use when: the user says "go"'],
    ['a: one: two # remark', 'one: two'],
    ['a: ends with a colon:', 'ends with a colon:'],
    ['a: [file] [--flag]', '[file] [--flag]'],
    ['a: [A-Z]{3,}\\d+', '[A-Z]{3,}\\d+'],
    ['a: *.ts,*.tsx', '*.ts,*.tsx'],
    ['a: [*.ts, **/*.tsx]', ['*.ts', '**/*.tsx']],
    ['a:\n  - *.ts\n  - b', ['*.ts', 'b']],
    ['a: - b', '- b'],
    ['a: @b', '@b'],
    ['a: `b` c', '`b` c'],
    ['a: !b c', '!b c'],
    ['a: > b', '> b'],
    ['a: | b', '| b'],
    ['a: !!binary aaaa', '!!binary aaaa'],
    ['a:\n  *: b\n  @c: d', { '*': 'b', '@c': 'd' }],
    ['a:\n\tb: c: d\n\te: 1', { b: 'c: d', e: 1 }],
  ])('%j', (yaml, value) => {
    expect(parseFields(`${yaml}\nz: 1`)).toEqual({ a: value, z: 1 });
  });

  test('and the text of a block is not changed', () => {
    expect(parseFields('a: |\n  b: *c: d\ne: f: g')).toEqual({ a: 'b: *c: d\n', e: 'f: g' });
  });
});

test('the last of two equal keys counts, and names of Object.prototype are plain keys', () => {
  expect(parseFields('a: 1\nb: 2\na: 3')).toEqual({ a: 3, b: 2 });
  const fields = parseFields('__proto__: {b: 1}\nconstructor: c\n1: d\nnull: e');
  expect(Object.keys(fields).sort()).toEqual(['1', '__proto__', 'constructor', 'null']);
  expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
});

describe('errors name the line', () => {
  test.each([
    ['just words', 'the fields between the --- lines must be `name: value` pairs'],
    ['a: 1\n   b: 2', 'line 2 is not valid YAML (Nested mappings are not allowed in compact mappings): a: 1'],
    ['a: "open', 'line 2 is not valid YAML (Missing closing "quote): a: "open'],
    [
      'a: {open',
      'line 2 is not valid YAML (Flow map in block collection must be sufficiently indented and end with a }): a: {open',
    ],
    ['- a', 'the fields between the --- lines must be `name: value` pairs'],
    ['a: b\n...\nc: d', 'line 4 is not valid YAML (A second document starts here): c: d'],
    ['a: &x\n  b:\n    *x', 'line 4 is not valid YAML (There is no anchor &x before the alias *x): *x'],
  ])('%j', (yaml, message) => {
    expect(() => parseFields(yaml)).toThrow(new Fault('config', message));
  });
});

describe('limits', () => {
  test.each([
    ['aliases that multiply', createAliasBomb(), /^invalid YAML: Excessive alias count/],
    ['nested lists in one line', '- '.repeat(10_000), /nested too deeply$/],
    ['nested flow lists', `a: ${'['.repeat(30_000)}`, /nested too deeply$/],
    ['nested maps', Array.from({ length: 200 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), /nested too deeply$/],
    ['long text', `a: ${'b'.repeat(40_000)}`, /has 40003 characters, at most 32768$/],
  ])('%s', (_, yaml, message) => {
    expect(() => parseFields(yaml)).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringMatching(message) }),
    );
  });
});

function createAliasBomb(): string {
  const lines = ['a0: &a0 [x, x]'];
  for (let i = 1; i < 30; i += 1) lines.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`);
  return lines.join('\n');
}

test('any text is parsed or throws a Fault', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab:-# "\'[]{}|>\n\t~1,*&!@?%') }), (yaml) => {
      try {
        parseFields(yaml);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(Fault);
      }
    }),
    { numRuns: 2000 },
  );
});

test('plain values are returned unchanged', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9 ]{0,10}[a-z0-9]$/).filter((w) => !/^(true|false|null)$/.test(w));
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(word, fc.array(word, { minLength: 1 }))),
      (value) => {
        const yaml = Object.entries(value).map(([key, v]) =>
          Array.isArray(v) ? `${key}:\n${v.map((item) => `  - ${item}`).join('\n')}` : `${key}: ${v}`,
        );
        expect(parseFields(yaml.join('\n'))).toEqual(value);
      },
    ),
  );
});

describe('without the YAML parser', () => {
  test('one-line texts, comments and blank lines are parsed', () => {
    const yaml =
      "name: pdf-tools\n\n# A comment\ndescription: Fill in forms (it's quick), see http://a.test/#b \r\nend: x";
    expect(parsePlainFields(yaml)).toEqual({
      name: 'pdf-tools',
      description: "Fill in forms (it's quick), see http://a.test/#b",
      end: 'x',
    });
  });

  test.each([
    'a: true',
    'a: NULL',
    'a: 1',
    'a: "b"',
    'a: b: c',
    'a: b:',
    'a: b #c',
    'a:\n  b: c',
    'a: b\n  c',
    'a: b\na: c',
    'a: [b]',
    '__proto__: b',
    'a:\tb',
    'a: b\u00a0',
    'a',
    '- a',
  ])('%j is left to it', (yaml) => {
    expect(parsePlainFields(yaml)).toBeUndefined();
  });

  test('both parse the same', () => {
    const word = fc.constantFrom(
      ...[
        'a',
        'name',
        'x-1',
        ': ',
        ':',
        ' ',
        '#',
        ' #',
        '-',
        '- ',
        "'",
        '"',
        ',',
        '[',
        ']',
        '{',
        '&',
        '*',
        '!',
        '|',
        '>',
      ],
      ...[
        '%',
        '@',
        '`',
        '?',
        '? ',
        '~',
        'true',
        'Null',
        '.inf',
        '1e3',
        'ä',
        '\u3000',
        '\n',
        '\r\n',
        '\n ',
        '=',
        '<<',
        '\\',
        '---',
        '...',
      ],
    );
    const line = fc.tuple(fc.constantFrom('a', 'b', 'name', '<<'), fc.array(word, { maxLength: 6 }));
    let parsed = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 3 }), (lines) => {
        const yaml = lines.map(([name, words]) => `${name}: x${words.join('')}`).join('\n');
        const fields = parsePlainFields(yaml);
        if (!fields) return;
        parsed += 1;
        expect(parseYamlFields(yaml)).toEqual(fields);
      }),
      { numRuns: 2000 },
    );
    expect(parsed).toBeGreaterThan(200);
  });
});
