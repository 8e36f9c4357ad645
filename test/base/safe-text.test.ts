// sanitize: the result never contains terminal control characters.
import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sanitize, sanitizeLine, sanitizeLines, sliceSafe } from '../../src/base/safe-text.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not occur in the result
const FORBIDDEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]|\p{Surrogate}/u;

const hostileText = array(
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

describe('sanitize', () => {
  test('replaces control characters, direction overrides and lone surrogates', () => {
    assert(
      property(hostileText, (text) => {
        expect(sanitize(text)).not.toMatch(FORBIDDEN);
        expect(sanitizeLine(text)).not.toMatch(FORBIDDEN);
        expect(sanitizeLine(text)).not.toContain('\n');
        expect(sanitizeLines(text).join('\n')).toBe(sanitize(text));
      }),
    );
  });

  test('sanitized text and its slices are not changed again', () => {
    assert(
      property(hostileText, (text) => {
        const clean = sanitize(text);
        expect(sanitize(clean)).toBe(clean);
        for (let at = 0; at <= clean.length; at++) expect(sliceSafe(clean, at)).not.toMatch(FORBIDDEN);
      }),
    );
  });

  test('control characters are replaced by visible characters', () => {
    expect(sanitize('a\u001b[31mb\u0007')).toBe('a␛[31mb␇');
    expect(sanitize('rm -rf \u202egnp.')).toBe('rm -rf \ufffdgnp.');
    expect(sanitize('\u0085\u009b')).toBe('\ufffd\ufffd');
  });

  test('line breaks are kept, tabs become spaces, other characters are kept', () => {
    expect(sanitize('a\r\nb\n\tc')).toBe('a\nb\n    c');
    expect(sanitize('名前 👩‍👩‍👧 é')).toBe('名前 👩‍👩‍👧 é');
  });
});
