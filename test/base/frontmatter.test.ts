// Frontmatter of Markdown files: accepted YAML and errors.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFrontmatter } from '../../src/base/frontmatter.ts';
import { Fault } from '../../src/base/index.ts';

const parseFields = (yaml: string) => parseFrontmatter(`---\n${yaml}\n---\nbody\n`).fields;

test('fields and body are separated', () => {
  expect(parseFrontmatter('---\nname: a\n---\n\n# Hello\n\nyou\n')).toEqual({
    fields: { name: 'a' },
    body: '# Hello\n\nyou\n',
  });
  expect(parseFrontmatter('\uFEFF---\r\nname: a\r\n---\r\nbody\r\n')).toEqual({
    fields: { name: 'a' },
    body: 'body\r\n',
  });
  expect(parseFrontmatter('---\n---\nbody')).toEqual({ fields: {}, body: 'body' });
  expect(parseFrontmatter('no fields\n---\n')).toEqual({ fields: {}, body: 'no fields\n---\n' });
  expect(parseFrontmatter('---\nnever: closed\n')).toEqual({ fields: {}, body: '---\nnever: closed\n' });
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
  ['a: 007', '007'],
  ['a: 1.2.3', '1.2.3'],
  ['a: ~', null],
  ['a:', null],
  ['a: [read, grep, 3]', ['read', 'grep', 3]],
  ['a: []', []],
  ['a: {"b": [1]}', { b: [1] }],
  ['a: read, grep', 'read, grep'],
  ['a: *', '*'],
  ['a:\n  - x\n  - y: 1\n    # nothing\n', ['x', 'y: 1']],
  ['a:\n- x\n- z', ['x', 'z']],
  ['a:\n  b:\n    c: 1\n  d: 2', { b: { c: 1 }, d: 2 }],
  ['a: |\n  one\n   two\n\n  three', 'one\n two\n\nthree\n'],
  ['a: >-\n  one\n  two', 'one two'],
])('%j', (yaml, value) => {
  expect(parseFields(yaml)).toEqual({ a: value });
});

test('parsing continues after a block', () => {
  expect(parseFields('a:\n  - x\nb: |\n  text\n# remark\n\nc: 1')).toEqual({ a: ['x'], b: 'text\n', c: 1 });
});

describe('errors name the line', () => {
  test.each([
    ['just words', 'line 2 is not `name: value`: just words'],
    ['a: 1\n   b: 2', 'line 3 has an unexpected indentation: b: 2'],
    ['a: "open', 'line 2 has an unterminated quoted string or an invalid escape: a: "open'],
    ['a: {open', 'line 2 is neither JSON nor a list such as [read, grep]: a: {open'],
    ['- a', 'the fields between the --- lines must be `name: value` pairs'],
  ])('%j', (yaml, message) => {
    expect(() => parseFields(yaml)).toThrow(new Fault('config', message));
  });
});

test('any text is parsed or throws a Fault', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab:-# "\'[]{}|>\n\t~1,') }), (yaml) => {
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
