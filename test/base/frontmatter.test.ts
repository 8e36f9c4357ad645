// The head of a Markdown file: what people write there, and what is refused.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFrontmatter } from '../../src/base/frontmatter.ts';
import { Fault } from '../../src/base/index.ts';

const fieldsOf = (head: string) => parseFrontmatter(`---\n${head}\n---\nbody\n`).fields;

test('fields and body', () => {
  expect(parseFrontmatter('---\nname: a\n---\n\n# Hello\n\nyou\n')).toEqual({
    fields: { name: 'a' },
    body: '# Hello\n\nyou\n',
  });
  expect(parseFrontmatter('\uFEFF---\r\nname: a\r\n---\r\nbody\r\n')).toEqual({
    fields: { name: 'a' },
    body: 'body\r\n',
  });
  expect(parseFrontmatter('---\n---\nbody')).toEqual({ fields: {}, body: 'body' });
  expect(parseFrontmatter('no head\n---\n')).toEqual({ fields: {}, body: 'no head\n---\n' });
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
])('%j', (head, value) => {
  expect(fieldsOf(head)).toEqual({ a: value });
});

test('what follows a block is read on', () => {
  expect(fieldsOf('a:\n  - x\nb: |\n  text\n# remark\n\nc: 1')).toEqual({ a: ['x'], b: 'text\n', c: 1 });
});

describe('refused, with the line', () => {
  test.each([
    ['just words', 'line 2 is not `name: value`: just words'],
    ['a: 1\n   b: 2', 'line 3 does not belong to the lines above it: b: 2'],
    ['a: "open', 'line 2 has a quoted text that does not end, or an escape that means nothing: a: "open'],
    ['a: {open', 'line 2 is neither JSON nor a list of words in brackets: a: {open'],
    ['- a', 'the fields between the --- lines must be `name: value` pairs'],
  ])('%j', (head, sentence) => {
    expect(() => fieldsOf(head)).toThrow(new Fault('config', sentence));
  });
});

test('any text gives a document or a Fault, soon', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab:-# "\'[]{}|>\n\t~1,') }), (head) => {
      try {
        fieldsOf(head);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(Fault);
      }
    }),
    { numRuns: 2000 },
  );
});

test('plain values come back as they were written', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9 ]{0,10}[a-z0-9]$/).filter((w) => !/^(true|false|null)$/.test(w));
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(word, fc.array(word, { minLength: 1 }))),
      (value) => {
        const head = Object.entries(value).map(([key, v]) =>
          Array.isArray(v) ? `${key}:\n${v.map((item) => `  - ${item}`).join('\n')}` : `${key}: ${v}`,
        );
        expect(fieldsOf(head.join('\n'))).toEqual(value);
      },
    ),
  );
});
