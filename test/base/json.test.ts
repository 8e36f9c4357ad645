// JSON text for one line of the wire: no separators that readers split at, and no depth that it cannot write.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson } from '../../src/base/index.ts';

describe('JSON for the wire', () => {
  test('is what JSON.stringify writes, with line separators escaped', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(toJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(toJson({ a: 'x\u2028y\u2029z', b: undefined })).toBe('{"a":"x\\u2028y\\u2029z"}');
    expect(toJson('a\u007f\u0080\u0085\u009b\u009f\u00a0é')).toBe('"a\\u007f\\u0080\\u0085\\u009b\\u009f\u00a0é"');
  });

  test('goes deeper than the stack', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 3 }), (core, beside) => {
        let value: unknown = core;
        for (let level = 0; level < 20_000; level++) value = level % 2 ? [value] : { level, value, nothing: undefined };
        let read = JSON.parse(toJson({ 'the "top"': value, beside, text: '\u2028' }));
        expect(read.beside).toEqual(JSON.parse(JSON.stringify(beside)));
        expect(read.text).toBe('\u2028');
        read = read['the "top"'];
        for (let level = 19_999; level >= 0; level--) read = level % 2 ? read[0] : read.value;
        expect(read).toEqual(JSON.parse(JSON.stringify(core)));
      }),
      { numRuns: 10 },
    );
  });

  test('a circle is refused, as ever', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(() => toJson(circle)).toThrow(TypeError);
  });
});
