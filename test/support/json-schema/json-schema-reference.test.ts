// Compares the JSON Schema validator with ajv on random schemas and values. ajv is not part of the program: see decision 16.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkJson } from '../../../src/support/json-schema/json-schema.ts';

const KEYS = ['a', 'b', 't'];
const key = fc.constantFrom(...KEYS);
const size = fc.nat(3);
const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 3, 1.5, -1, '', 'a', 'ab', 'b', '💩');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
const pattern = fc.constantFrom('^a', 'b$', '^[ab]*$', '^t');
const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie('schema');
  const list = fc.array(inner, { minLength: 1, maxLength: 3 });
  const named = fc.dictionary(key, inner, { maxKeys: 2 });
  const names = fc.uniqueArray(key, { maxLength: 2 });
  const keywords = {
    ...{ type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 2 })), const: value },
    ...{ enum: fc.array(value, { minLength: 1, maxLength: 3 }), $ref: fc.constantFrom('#/$defs/a', '#b', 'c') },
    ...{ minimum: size, maximum: size, exclusiveMinimum: size, exclusiveMaximum: size, multipleOf: fc.constant(1.5) },
    ...{ minLength: size, maxLength: size, pattern, minItems: size, maxItems: size, uniqueItems: fc.boolean() },
    // Not `contains` and `unevaluatedItems`: ajv accepts `[]` for `contains` beside `prefixItems`, and does not combine the two.
    ...{ prefixItems: list, items: inner },
    ...{ required: names, minProperties: size, maxProperties: size, properties: named, additionalProperties: inner },
    ...{ patternProperties: fc.dictionary(pattern, inner, { maxKeys: 2 }), propertyNames: inner },
    ...{ dependentRequired: fc.dictionary(key, names, { maxKeys: 2 }), dependentSchemas: named },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ...{ allOf: list, anyOf: list, oneOf: list, not: inner, if: inner, then: inner, else: inner },
    ...{ unevaluatedProperties: inner },
  };
  // Few keywords in each schema, because with many of them no value is valid.
  const some = fc
    .subarray(Object.keys(keywords) as (keyof typeof keywords)[], { minLength: 1, maxLength: 3 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((name) => [name, keywords[name]]))));
  return { schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.boolean(), some) };
});

/** References lead only to schemas without references, so that none is endless. */
const withoutReferences = schema.filter((candidate) => !JSON.stringify(candidate).includes('"$ref"'));
const root = fc
  .record({ body: schema, a: withoutReferences, b: withoutReferences, c: withoutReferences })
  .map(({ body, a, b, c }) => ({
    ...(typeof body === 'object' ? body : { allOf: [body] }),
    $defs: { a, b: { $anchor: 'b', allOf: [b] }, c: { $id: 'c', allOf: [c] } },
  }));

function isValidForAjv(candidate: object, input: unknown): boolean {
  const options = { strict: false, ownProperties: true, validateFormats: false, meta: false, validateSchema: false };
  return new Ajv2020({ ...options, logger: false }).compile(candidate)(input);
}

test('ajv agrees on every schema and value', () => {
  const verdicts = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(root, value, (candidate, input) => {
      const checked = checkJson(candidate, input);
      // ajv does not convert, so a converted value counts as refused.
      const isValid = 'value' in checked && JSON.stringify(checked.value) === JSON.stringify(input);
      verdicts[isValid ? 'valid' : 'invalid'] += 1;
      expect(isValid).toBe(isValidForAjv(candidate, input));
    }),
    { numRuns: 1000, seed: 1 },
  );
  expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(50);
});
