// Validation errors name the field, the expected type and the actual value.
import fc from 'fast-check';
import {
  array,
  boolean,
  integer,
  literal,
  minValue,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  record,
  string,
  union,
  unknown,
  variant,
} from 'valibot';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import { commandsByName } from '../../src/commands/index.ts';
import { type Schema, validate } from '../../src/contracts/index.ts';
import { incomingImage } from '../../src/protocol/index.ts';

function getError(schema: Schema, value: unknown): string {
  try {
    validate(schema, value);
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'invalid_params') return thrown.message;
    throw thrown;
  }
  return '';
}

const message = object({ message: string(), images: optional(array(incomingImage)) });
const shape = variant('kind', [object({ kind: literal('dot') }), object({ kind: literal('line'), length: number() })]);

describe('error messages', () => {
  const rows: [string, Schema, unknown][] = [
    ['message is required', message, {}],
    ['message must be a string (got number)', message, { message: 5 }],
    ['message must be a string (got null)', message, { message: null }],
    ['message must be a string (got array)', message, { message: [] }],
    ['message must be a string (got object)', message, { message: {} }],
    ['message must be a string (got boolean)', message, { message: true }],
    ['images must be an array (got "cat.png")', message, { message: 'x', images: 'cat.png' }],
    ['images must be an array (got null)', message, { message: 'x', images: null }],
    [
      'images[1].data must be a string (got number)',
      message,
      { message: 'x', images: [image(), { ...image(), data: 1 }] },
    ],
    ['value must be an object (got null)', message, null],
    [
      'content must be a string or an array (got number)',
      object({ content: union([string(), array(string())]) }),
      { content: 5 },
    ],
    ['text must be a string (got number)', object({ text: nullable(string()) }), { text: 5 }],
    [
      'images[0].source.mediaType must be a string (got number)',
      message,
      { message: 'x', images: [{ type: 'image', source: { type: 'base64', mediaType: 1, data: '' } }] },
    ],
    ['value must be an object (got "x")', message, 'x'],
    ['enabled must be a boolean (got "yes")', object({ enabled: boolean() }), { enabled: 'yes' }],
    ['mode must be "all" or "some" (got "none")', object({ mode: picklist(['all', 'some']) }), { mode: 'none' }],
    ['mode is required', object({ mode: picklist(['all', 'some']) }), {}],
    [
      'deep.list[2].name is required',
      object({ deep: object({ list: array(object({ name: string() })) }) }),
      { deep: { list: [{ name: 'a' }, { name: 'b' }, {}] } },
    ],
    ['size must be 1 or more (got 0)', object({ size: pipe(number(), minValue(1, 'must be 1 or more')) }), { size: 0 }],
    ['size must be whole (got 0.5)', object({ size: pipe(number(), integer('must be whole')) }), { size: 0.5 }],
    ['size: too many', object({ size: pipe(number(), minValue(1, 'too many')) }), { size: 0 }],
    ['size must be a number (got "1")', object({ size: pipe(number(), minValue(1)) }), { size: '1' }],
    ['length is required', shape, { kind: 'line' }],
    ['kind must be "dot" or "line" (got "arc")', shape, { kind: 'arc' }],
    ['a must be a string (got number); b is required', object({ a: string(), b: string() }), { a: 1 }],
  ];
  test.each(rows)('%s', (error, schema, value) => {
    expect(getError(schema, value)).toBe(error);
  });

  test('at most three invalid fields are named', () => {
    const many = object({ a: string(), b: string(), c: string(), d: string() });
    expect(getError(many, {})).toBe('a is required; b is required; c is required');
  });

  test('long values are truncated', () => {
    const error = getError(object({ mode: picklist(['all']) }), { mode: 'x'.repeat(10_000) });
    expect(error).toHaveLength(`mode must be "all" (got "${'x'.repeat(60)}…")`.length);
  });
});

function image() {
  return { type: 'image', data: 'AA==', mimeType: 'image/png' };
}

test('a valid value is returned without undeclared fields', () => {
  expect(validate(message, { message: 'x', colour: 'red' })).toEqual({ message: 'x' });
  expect(validate(nullable(record(string(), unknown())), null)).toBeNull();
  expect(validate(union([string(), array(string())]), ['a'])).toEqual(['a']);
});

test('property names of Object.prototype have no special effect', () => {
  const hostile = JSON.parse('{"message":"x","__proto__":{"images":"y"},"constructor":1}');
  expect(validate(message, hostile)).toEqual({ message: 'x' });
  expect(({} as Record<string, unknown>).images).toBeUndefined();
});

test('every command accepts any JSON value or refuses it with a readable error', () => {
  fc.assert(
    fc.property(fc.constantFrom(...commandsByName.values()), fc.jsonValue(), ({ params }, value) => {
      const error = getError(params, value);
      expect(error).not.toMatch(/undefined|\[object|a different value|expected/i);
      expect(error).not.toMatch(/\n/);
    }),
    { numRuns: 2000 },
  );
});

test('an invalid value for any field of any command is named in the error', () => {
  const fields = [...commandsByName.values()].flatMap(({ name, params }) =>
    Object.keys((params as unknown as { entries: object }).entries).map((field) => ({ name, params, field })),
  );
  fc.assert(
    fc.property(fc.constantFrom(...fields), fc.jsonValue(), ({ params, field }, value) => {
      const error = getError(params, { [field]: value });
      const errorWithoutFields = getError(params, {});
      if (error !== errorWithoutFields && error !== '')
        expect(`${error}; `).toMatch(/^(\w[\w.[\]]* is required; |.*must be.*\(got .*\); )+$/s);
    }),
    { numRuns: 1000 },
  );
});
