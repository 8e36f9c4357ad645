// Conversion of JSON Type Definition (RFC 8927) to JSON Schema: every form, mixtures of both formats, random definitions.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeSchema } from '../../../src/core/schema/normalize-schema.ts';
import { checkJson } from '../../../src/support/json-schema/json-schema.ts';

const check = (schema: unknown, value: unknown) => {
  const checked = checkJson(normalizeSchema(schema), value);
  return 'value' in checked ? 'valid' : `${checked.problem.path}: ${checked.problem.message}`;
};

test.each<[unknown, unknown, string]>([
  [{}, { anything: [1] }, 'valid'],
  [{ type: 'boolean' }, 1, ': must be a boolean (got 1)'],
  [{ type: 'uint8' }, 256, ': must be 255 or less (got 256)'],
  [{ type: 'int8' }, -129, ': must be -128 or more (got -129)'],
  [{ type: 'int32' }, 1.5, ': must be an integer (got 1.5)'],
  [{ type: 'float64' }, 1.5, 'valid'],
  [{ type: 'timestamp' }, '1985-04-12T23:20:50.52Z', 'valid'],
  [{ type: 'timestamp' }, 'yesterday', expect.stringContaining(': must match') as unknown as string],
  [{ enum: ['a', 'b'] }, 'c', ': must be "a" or "b" (got "c")'],
  [
    { elements: { type: 'string' } },
    ['a', null],
    expect.stringContaining('[1]: must be a string') as unknown as string,
  ],
  [{ values: { type: 'boolean' } }, { a: true, b: [] }, expect.stringContaining('b: must be') as unknown as string],
  [{ properties: { a: {} } }, {}, 'a: is required'],
  [{ properties: { toString: {} } }, {}, 'toString: is required'],
  [{ properties: { a: {} } }, { a: 1, b: 2 }, 'b: is not allowed'],
  [{ properties: { a: {} }, additionalProperties: true }, { a: 1, b: 2 }, 'valid'],
  [{ optionalProperties: { a: { type: 'string' } } }, {}, 'valid'],
  [{ type: 'string', nullable: true }, null, 'valid'],
  [{ definitions: { n: { elements: { ref: 'n' } } }, ref: 'n' }, [[], [[]]], 'valid'],
  [{ definitions: { n: { elements: { ref: 'n' } } }, ref: 'n' }, [[1]], '[0][0]: must be an array (got 1)'],
  [{ discriminator: 'kind', mapping: { a: { properties: { x: {} } }, b: {} } }, { kind: 'a', x: 1 }, 'valid'],
  [{ discriminator: 'kind', mapping: { a: { properties: { x: {} } }, b: {} } }, { kind: 'b' }, 'valid'],
  [{ discriminator: 'kind', mapping: { a: {}, b: {} } }, { kind: 'c' }, 'kind: must be "a" or "b" (got "c")'],
  [{ discriminator: 'kind', mapping: { a: {} } }, {}, 'kind: is required'],
])('%j and %j: %s', (schema, value, outcome) => {
  expect(check(schema, value)).toEqual(outcome);
});

test('JSON Schema is not changed, except for type definitions inside it', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } } };
  expect([check(schema, {}), check(schema, { a: 'x', b: 1 })]).toEqual(['valid', 'a: must be a number (got "x")']);
  const mixed = { type: 'array', items: { properties: { a: { type: 'number' }, b: { elements: {} } } } };
  expect(check(mixed, [{ a: 1 }])).toBe('[0].b: is required');
  const code = { type: 'string', pattern: '^[A-Z]+$' };
  expect(check({ anyOf: [code, { properties: { s: code } }] }, { s: 'a' })).toBe('s: must match ^[A-Z]+$ (got "a")');
  expect(normalizeSchema({ enum: [{ elements: 1 }], const: { elements: 1 }, allOf: [{ type: 'uint8' }] })).toEqual({
    enum: [{ elements: 1 }],
    const: { elements: 1 },
    allOf: [{ type: 'integer', minimum: 0, maximum: 255 }],
  });
});

test.each<[object, unknown, string]>([
  [{ patternProperties: { '^x': { type: 'uint8' } } }, { x: 300 }, 'x: must be 255 or less (got 300)'],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'b: is required because there is a'],
  [{ dependentSchemas: { a: { properties: { b: {} } } } }, { a: 1 }, 'b: is required'],
  [{ dependencies: { a: ['b'] } }, { a: 1 }, 'b: is required because there is a'],
  [{ contains: { type: 'string' } }, [1], ': must have 1 items that match "contains" or more'],
  [{ unevaluatedProperties: false }, { a: 1 }, 'a: is not allowed'],
])('%j is a JSON Schema', (schema, value, outcome) => {
  expect(check(schema, value)).toBe(outcome);
});

interface Pair {
  schema: Record<string, unknown>;
  value: unknown;
}

/** A definition and a value that is valid for it. */
const { pair } = fc.letrec<{ pair: Pair; leaf: Pair }>((tie) => ({
  leaf: fc.oneof(
    fc.string().map((value) => ({ schema: { type: 'string' }, value })),
    fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
    fc.integer({ min: -128, max: 127 }).map((value) => ({ schema: { type: 'int8' }, value })),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ schema: { type: 'float64' }, value })),
    fc.constant({ schema: { type: 'string', nullable: true }, value: null }),
  ),
  pair: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc.tuple(tie('pair'), fc.nat(3)).map(([{ schema, value }, times]) => ({
      schema: { elements: schema },
      value: Array.from({ length: times }, () => value),
    })),
    fc.dictionary(fc.string(), tie('pair'), { maxKeys: 4 }).map((fields) => ({
      schema: { properties: Object.fromEntries(Object.entries(fields).map(([key, { schema }]) => [key, schema])) },
      value: Object.fromEntries(Object.entries(fields).map(([key, { value }]) => [key, value])),
    })),
  ),
}));

test('every value of a definition is valid and unchanged', () => {
  fc.assert(
    fc.property(pair, ({ schema, value }) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      expect(checkJson(normalizeSchema(schema), plain)).toEqual({ value: plain });
    }),
  );
});

test('a missing property and an additional property are reported', () => {
  const fields = fc.dictionary(fc.string(), pair, { minKeys: 1, maxKeys: 4 });
  fc.assert(
    fc.property(fields, (pairs) => {
      const entries = Object.entries(pairs);
      const properties = Object.fromEntries(entries.map(([key, { schema }]) => [key, schema]));
      const values = entries.map(([key, { value }]) => [key, value] as const);
      expect(check({ properties }, Object.fromEntries(values.slice(1)))).toBe(`${values[0]?.[0]}: is required`);
      const rest = Object.fromEntries(entries.slice(1).map(([key, { schema }]) => [key, schema]));
      expect(check({ properties: rest }, Object.fromEntries(values))).toBe(`${values[0]?.[0]}: is not allowed`);
    }),
  );
});
