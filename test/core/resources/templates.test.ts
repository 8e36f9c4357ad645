// Prompt templates: splitting of arguments and filling of placeholders.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the test is about these placeholders
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fillTemplate, splitArguments } from '../../../src/core/resources/templates.ts';

describe('arguments', () => {
  test.each([
    ['', []],
    ['  ', []],
    ['a b  c', ['a', 'b', 'c']],
    ['"a b" c', ['a b', 'c']],
    ["'a \"b' c", ['a "b', 'c']],
    ['a"b c"d', ['ab cd']],
    ['"" x', ['', 'x']],
    ['"open end', ['open end']],
    ['a\nb\tc', ['a', 'b', 'c']],
  ])('%j', (text, words) => {
    expect(splitArguments(text)).toEqual(words);
  });

  test('words without quotes and spaces are not changed', () => {
    const word = fc.string({ minLength: 1 }).filter((text) => !/[\s"']/.test(text));
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(splitArguments(words.join(' '))).toEqual(words);
      }),
    );
  });
});

describe('placeholders', () => {
  const words = ['one', 'two', 'three'];
  test.each([
    ['$1-$2', 'one-two'],
    ['$4.', '.'],
    ['$0', ''],
    ['$@', 'one two three'],
    ['$ARGUMENTS!', 'one two three!'],
    ['${@:2}', 'two three'],
    ['${@:2:1}', 'two'],
    ['${@:0}', 'one two three'],
    ['${@:9}', ''],
    ['$10', ''],
    ['costs $ 5, $x and ${y}', 'costs $ 5, $x and ${y}'],
  ])('%s', (body, text) => {
    expect(fillTemplate(body, words)).toBe(text);
  });

  test('placeholders inside arguments are not expanded', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (args) => {
        expect(fillTemplate('$1', args)).toBe(args[0]);
        expect(fillTemplate('$@', args)).toBe(args.join(' '));
      }),
    );
    expect(fillTemplate('$1', ['$2 $@', 'x'])).toBe('$2 $@');
  });
});
