// toJson: no line separators in the output, and no depth limit.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson } from '../../src/base/index.ts';

describe('toJson', () => {
  test('returns the same as JSON.stringify, with line separators escaped', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(toJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(toJson({ a: 'x\u2028y\u2029z', b: undefined })).toBe('{"a":"x\\u2028y\\u2029z"}');
    expect(toJson('a\u007f\u0080\u0085\u009b\u009f\u00a0é')).toBe('"a\\u007f\\u0080\\u0085\\u009b\\u009f\u00a0é"');
  });

  test('serializes values that are deeper than the stack', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 3 }), (core, siblings) => {
        let value: unknown = core;
        for (let level = 0; level < 20_000; level++) value = level % 2 ? [value] : { level, value, nothing: undefined };
        let read = JSON.parse(toJson({ 'the "top"': value, siblings, text: '\u2028' }));
        expect(read.siblings).toEqual(JSON.parse(JSON.stringify(siblings)));
        expect(read.text).toBe('\u2028');
        read = read['the "top"'];
        for (let level = 19_999; level >= 0; level--) read = level % 2 ? read[0] : read.value;
        expect(read).toEqual(JSON.parse(JSON.stringify(core)));
      }),
      { numRuns: 10 },
    );
  });

  test('a circular value throws a TypeError', () => {
    const circular: unknown[] = [];
    circular.push(circular);
    expect(() => toJson(circular)).toThrow(TypeError);
  });
});
