// Validation against JSON Schema: accepted values, conversions and problem messages.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkJson } from '../../../src/support/json-schema/json-schema.ts';

const object = (properties: object, keywords: object = {}) => ({ type: 'object', properties, ...keywords });

describe('problems state the path, the expected and the actual value', () => {
  test.each([
    [object({ n: { type: 'number' } }), { n: 'x' }, 'n', 'must be a number (got "x")'],
    [object({ n: {} }, { required: ['n'] }), {}, 'n', 'is required'],
    [
      object({ a: object({ b: { type: 'string', minLength: 2 } }) }),
      { a: { b: 'x' } },
      'a.b',
      'must have 2 characters or more (got "x")',
    ],
    [
      object({ l: { type: 'array', items: { type: 'integer' } } }),
      { l: [1, 1.5] },
      'l[1]',
      'must be an integer (got 1.5)',
    ],
    [object({ e: { enum: ['a', 'b'] } }), { e: 'c' }, 'e', 'must be "a" or "b" (got "c")'],
    [object({}, { additionalProperties: false }), { x: 1 }, 'x', 'is not allowed'],
    [
      object({ u: { anyOf: [{ type: 'null' }, object({ v: { const: 1 } })] } }),
      { u: { v: 2 } },
      'u.v',
      'must be 1 (got 2)',
    ],
    [{ type: 'object' }, [], '', 'must be an object (got array)'],
    [{ $ref: '#/$defs/n', $defs: { n: { type: 'number', maximum: 3 } } }, 4, '', 'must be 3 or less (got 4)'],
  ])('%j', (schema, value, path, message) => {
    expect(checkJson(schema, value)).toEqual({ problem: { path, message } });
  });
});

test('scalars are converted if that is lossless', () => {
  const schema = object({ n: { type: 'integer' }, b: { type: 'boolean' }, s: { type: 'string' } });
  expect(checkJson(schema, { n: '5', b: 'true', s: 7 })).toEqual({ value: { n: 5, b: true, s: '7' } });
  expect(checkJson(schema, { n: '5.5' })).toHaveProperty('problem');
});

test('unknown keywords and invalid regular expressions are ignored', () => {
  expect(checkJson({ type: 'string', pattern: '(', format: 'x' }, 'a')).toEqual({ value: 'a' });
});

test('without a schema every value is accepted unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(checkJson({}, value)).toEqual({ value });
      expect(checkJson(undefined, value)).toEqual({ value });
    }),
  );
});

test('an accepted and converted value is accepted again unchanged', () => {
  const types = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
  fc.assert(
    fc.property(types, fc.jsonValue(), (type, value) => {
      const first = checkJson({ type }, value);
      if ('value' in first) expect(checkJson({ type }, first.value)).toEqual(first);
    }),
  );
});
