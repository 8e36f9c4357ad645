// Prompts with blanks: how arguments are cut, and what is put where.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the blanks that the test is about
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fillIn, splitArguments } from '../../../src/core/resources/templates.ts';

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

  test('words without quotes and spaces come back as they are', () => {
    const word = fc.string({ minLength: 1 }).filter((text) => !/[\s"']/.test(text));
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(splitArguments(words.join(' '))).toEqual(words);
      }),
    );
  });
});

describe('blanks', () => {
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
    expect(fillIn(body, words)).toBe(text);
  });

  test('what was filled in is not filled in again', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (given) => {
        expect(fillIn('$1', given)).toBe(given[0]);
        expect(fillIn('$@', given)).toBe(given.join(' '));
      }),
    );
    expect(fillIn('$1', ['$2 $@', 'x'])).toBe('$2 $@');
  });
});
