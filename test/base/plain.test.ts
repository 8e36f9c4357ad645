// The gate between text of others and the terminal: whatever goes in, nothing that commands a terminal comes out.
import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { part, plain, plainLine, plainLines } from '../../src/base/plain.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const FORBIDDEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]|\p{Surrogate}/u;

const hostile = array(
  oneof(
    string({ unit: 'binary' }),
    constantFrom(
      '\u001b[2J',
      '\u001b]0;title\u0007',
      '\u009b31m',
      '\r',
      '\r\n',
      '\b',
      '\u007f',
      '\u202e',
      '\u2066',
      '\ud800',
    ),
  ),
).map((pieces) => pieces.join(''));

describe('plain', () => {
  test('lets no control character, no override of direction and no half character through', () => {
    assert(
      property(hostile, (text) => {
        expect(plain(text)).not.toMatch(FORBIDDEN);
        expect(plainLine(text)).not.toMatch(FORBIDDEN);
        expect(plainLine(text)).not.toContain('\n');
        expect(plainLines(text).join('\n')).toBe(plain(text));
      }),
    );
  });

  test('what has passed passes again unchanged, and so does every part of it', () => {
    assert(
      property(hostile, (text) => {
        const passed = plain(text);
        expect(plain(passed)).toBe(passed);
        for (let at = 0; at <= passed.length; at++) expect(part(passed, at)).not.toMatch(FORBIDDEN);
      }),
    );
  });

  test('what was hidden is seen: a sequence becomes a picture of itself', () => {
    expect(plain('a\u001b[31mb\u0007')).toBe('a␛[31mb␇');
    expect(plain('rm -rf \u202egnp.')).toBe('rm -rf \ufffdgnp.');
    expect(plain('\u0085\u009b')).toBe('\ufffd\ufffd');
  });

  test('lines stay lines, tabs become blanks, other letters stay', () => {
    expect(plain('a\r\nb\n\tc')).toBe('a\nb\n    c');
    expect(plain('名前 👩‍👩‍👧 é')).toBe('名前 👩‍👩‍👧 é');
  });
});
