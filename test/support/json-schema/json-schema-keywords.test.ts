// The keywords of JSON Schema, draft 4 to 2020-12, and schemas of other parties that are wrong, hostile or very large.
import { describe, expect, test } from 'vitest';
import { checkJson } from '../../../src/support/json-schema/json-schema.ts';

const describeResult = (schema: unknown, value: unknown) => {
  const checked = checkJson(schema, value);
  return 'value' in checked ? 'valid' : `${checked.problem.path}: ${checked.problem.message}`;
};

const NOT_STRING = { not: { type: 'string' } };
// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
const CARD = { if: { properties: { by: { const: 'card' } }, required: ['by'] }, then: { required: ['number'] } };
const DEPENDENT = { dependentRequired: { card: ['address'] }, dependentSchemas: { a: { required: ['b'] } } };
const ONE_STRING = { contains: { type: 'string' } };
const TREE = {
  $id: 'https://example.com/tree',
  $dynamicAnchor: 'node',
  properties: { children: { type: 'array', items: { $dynamicRef: '#node' } } },
};
const STRICT_TREE = {
  $id: 'https://example.com/strict-tree',
  $dynamicAnchor: 'node',
  $ref: 'tree',
  unevaluatedProperties: false,
  $defs: { tree: TREE },
};
const RECURSIVE = {
  $id: 'https://example.com/strict',
  $recursiveAnchor: true,
  allOf: [{ $ref: 'loose' }],
  required: ['name'],
  $defs: {
    loose: { $id: 'loose', $recursiveAnchor: true, properties: { child: { $recursiveRef: '#' } } },
  },
};

describe('keywords', () => {
  test.each<[unknown, unknown, string]>([
    [NOT_STRING, 1, 'valid'],
    [NOT_STRING, 'a', ': must not match the schema in "not" (got "a")'],
    [{ oneOf: [{ minimum: 2 }, { multipleOf: 2 }] }, 3, 'valid'],
    [
      { oneOf: [{ minimum: 2 }, { multipleOf: 2 }] },
      4,
      ': must match only one of the alternatives in "oneOf", not 2 (got 4)',
    ],
    [{ oneOf: [{ type: 'null' }, { minimum: 2 }] }, 1, ': must be null (got 1)'],
    [CARD, { by: 'cash' }, 'valid'],
    [CARD, { by: 'card' }, 'number: is required'],
    [{ ...CARD, else: { maxProperties: 0 } }, { by: 'cash' }, ': must have at most 0 properties'],
    [DEPENDENT, { address: 1 }, 'valid'],
    [DEPENDENT, { card: 1 }, 'address: is required because there is card'],
    [DEPENDENT, { a: 1 }, 'b: is required'],
    [{ dependencies: { a: ['b'], c: { required: ['d'] } } }, { a: 1 }, 'b: is required because there is a'],
    [{ dependencies: { a: ['b'], c: { required: ['d'] } } }, { c: 1 }, 'd: is required'],
    [{ patternProperties: { '^x-': { type: 'array' } } }, { 'x-a': 1 }, 'x-a: must be an array (got 1)'],
    [{ patternProperties: { '^x-': {} }, additionalProperties: false }, { 'x-a': 1, y: 1 }, 'y: is not allowed'],
    [{ propertyNames: { maxLength: 2 } }, { abc: 1 }, 'abc: has a name that is not allowed'],
    [{ minProperties: 1 }, {}, ': must have 1 properties or more'],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 'b'], '[1]: is not allowed'],
    [
      { items: [{ type: 'string' }], additionalItems: { type: 'null' } },
      ['a', null, []],
      '[2]: must be null (got array)',
    ],
    [ONE_STRING, [1], ': must have 1 items that match "contains" or more'],
    [ONE_STRING, [], ': must have 1 items that match "contains" or more'],
    [
      { ...ONE_STRING, minContains: 0, maxContains: 1 },
      ['a', 'b'],
      ': must have at most 1 items that match "contains"',
    ],
    [{ ...ONE_STRING, minContains: 0 }, [], 'valid'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ': must not have the same item twice',
    ],
    [{ uniqueItems: true }, [1, true, '1', [1], ['1']], 'valid'],
    [{ const: { a: 1, b: [2] } }, { b: [2], a: 1 }, 'valid'],
    [{ enum: [0] }, false, ': must be 0 (got boolean)'],
    [{ multipleOf: 0.01 }, 0.29, 'valid'],
    [{ multipleOf: 0.01 }, 0.295, ': must be a multiple of 0.01 (got 0.295)'],
    [{ minLength: 2 }, '💩', ': must have 2 characters or more (got "💩")'],
    [{ minimum: 1, exclusiveMinimum: true }, 1, ': must be more than 1 (got 1)'],
    [{ type: 'string', nullable: true }, null, 'valid'],
    [{ type: ['string', 'null'] }, [], ': must be a string or null (got array)'],
    [
      { properties: { a: {} }, anyOf: [{ properties: { b: {} } }], unevaluatedProperties: false },
      { a: 1, b: 1 },
      'valid',
    ],
    [{ properties: { a: {} }, unevaluatedProperties: { type: 'null' } }, { a: 1, b: 1 }, 'b: must be null (got 1)'],
    [{ if: { required: ['a'], properties: { a: {} } }, unevaluatedProperties: false }, { a: 1 }, 'valid'],
    [
      { not: { properties: { a: {} } }, unevaluatedProperties: false },
      { a: 1 },
      ': must not match the schema in "not" (got object)',
    ],
    [{ ...ONE_STRING, unevaluatedItems: { type: 'number' } }, ['a', 1], 'valid'],
    [{ prefixItems: [{}], unevaluatedItems: false }, [1, 2], '[1]: is not allowed'],
    [{ anyOf: [{ unevaluatedItems: true }], unevaluatedItems: false }, [1, 2], 'valid'],
  ])('%j and %j: %s', (schema, value, outcome) => {
    expect(describeResult(schema, value)).toBe(outcome);
  });
});

describe('references', () => {
  test.each<[unknown, unknown, string]>([
    [{ $ref: '#/$defs/a~1b%25', $defs: { 'a/b%': { type: 'null' } } }, 1, ': must be null (got 1)'],
    [{ allOf: [{ type: 'null' }], $ref: '#/allOf/0' }, 1, ': must be null (got 1)'],
    [{ $ref: '#/$defs/n', maximum: 1, $defs: { n: { minimum: 0 } } }, 2, ': must be 1 or less (got 2)'],
    [{ $ref: '#n', $defs: { x: { $anchor: 'n', type: 'null' } } }, 1, ': must be null (got 1)'],
    [{ $ref: '#n', definitions: { x: { $id: '#n', type: 'null' } } }, 1, ': must be null (got 1)'],
    [
      { $ref: 'Node', $defs: { Node: { $id: 'Node', items: { $ref: 'Node' }, type: 'array' } } },
      [[1]],
      '[0][0]: must be an array (got 1)',
    ],
    [{ $id: 'T0', properties: { c: { $ref: 'T0' } }, required: ['c'] }, { c: {} }, 'c.c: is required'],
    [{ $id: 'urn:uuid:1', $ref: '#/$defs/a', $defs: { a: { type: 'null' } } }, 1, ': must be null (got 1)'],
    [
      { $ref: '#/components/a', components: { a: { $ref: '#/components/b' }, b: { type: 'null' } } },
      1,
      ': must be null (got 1)',
    ],
    [
      { id: 'http://x/root', properties: { a: { $ref: 'root#/definitions/n' } }, definitions: { n: { type: 'null' } } },
      { a: 1 },
      'a: must be null (got 1)',
    ],
    [TREE, { children: [{ kids: 1 }] }, 'valid'],
    [STRICT_TREE, { children: [{ kids: 1 }] }, 'children[0].kids: is not allowed'],
    [RECURSIVE, { name: 'a', child: { name: 'b' } }, 'valid'],
    [RECURSIVE, { name: 'a', child: {} }, 'child.name: is required'],
  ])('%j and %j: %s', (schema, value, outcome) => {
    expect(describeResult(schema, value)).toBe(outcome);
  });

  test.each([
    'https://example.com/remote.json',
    'file:///etc/passwd',
    '#/missing',
    '#missing',
    '#/__proto__',
    '#/constructor/prototype',
    '#/%',
    'http://[',
  ])('%s leads nowhere: every value is allowed, and nothing is loaded', ($ref) => {
    expect(checkJson({ $ref }, 7)).toEqual({ value: 7 });
  });
});

describe('conversions', () => {
  test('an alternative that needs no conversion is preferred', () => {
    const either = { anyOf: [{ type: 'number' }, { type: 'string' }] };
    const schema = {
      properties: { either, one: { oneOf: [{ type: 'boolean' }, { type: 'null' }] }, n: { type: 'integer' } },
    };
    expect(checkJson(schema, { either: '5', one: 'true', n: '7' })).toEqual({
      value: { either: '5', one: true, n: 7 },
    });
  });

  test('conditions see the value as it is', () => {
    const schema = {
      properties: { n: { type: 'number' } },
      if: { properties: { n: { type: 'string' } } },
      else: false,
    };
    expect(checkJson(schema, { n: '5' })).toEqual({ value: { n: 5 } });
  });
});

describe('schemas that are wrong', () => {
  test.each<[object, unknown]>([
    [{ type: 'object', properties: { a: { type: 'string', required: true } } }, { a: 'x' }],
    [{ type: 'any', required: 'a', enum: 'b', minLength: '3', properties: [], items: 7 }, {}],
    [{ allOf: 'x', anyOf: [], oneOf: {}, dependencies: 1, patternProperties: null }, {}],
    [{ type: ['anything'], uniqueItems: 'yes', minItems: null, format: 'nothing', $async: true }, []],
    [{ pattern: '(', patternProperties: { '(': {} } }, { a: 1 }],
  ])('%j allows %j', (schema, value) => {
    expect(checkJson(schema, value)).toEqual({ value });
  });
});

describe('hostile schemas and values', () => {
  test.each(['anyOf', 'oneOf'])('the time does not double with each level of nested %s', (keyword) => {
    let schema: object = { type: 'number' };
    for (let level = 0; level < 100; level += 1) schema = { [keyword]: [schema, { type: 'null' }] };
    expect(checkJson(schema, 5)).toEqual({ value: 5 });
    expect(checkJson(schema, '5')).toEqual({ value: 5 });
    expect(describeResult(schema, {})).toContain('must be');
    expect(describeResult({ not: schema }, {})).toBe('valid');
  });

  test('inherited names are ordinary keys', () => {
    const value = JSON.parse('{"__proto__":"5","constructor":"6","toString":"7"}');
    const properties = JSON.parse('{"__proto__":{"type":"integer"},"constructor":{"type":"integer"}}');
    const checked = checkJson({ properties, required: ['__proto__', 'toString'] }, value) as { value: object };
    expect(JSON.stringify(checked.value)).toBe('{"__proto__":5,"constructor":6,"toString":"7"}');
    expect(Object.getPrototypeOf(checked.value)).toBe(Object.prototype);
    expect(describeResult({ required: ['valueOf'] }, {})).toBe('valueOf: is required');
    expect(describeResult({ const: { valueOf: 1 } }, { valueOf: 1 })).toBe('valid');
    expect(describeResult({ properties, additionalProperties: false }, { valueOf: 1 })).toBe('valueOf: is not allowed');
  });

  test('time does not double with each level of the value for ever', () => {
    const list = { type: 'array', items: { $ref: '#' } };
    const value = JSON.parse(`${'['.repeat(60)}1${']'.repeat(60)}`);
    expect(() => checkJson({ anyOf: [list, list] }, value)).toThrow(
      'the schema has too many alternatives to be checked',
    );
  });

  test.each<[string, object, unknown]>([
    [
      '10 MB',
      {
        properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`p${n}`, { title: 'x'.repeat(180) }])),
      },
      { p1: 1 },
    ],
    ['a chain of references', createChain(2000), [[1]]],
    [
      'many alternatives',
      {
        allOf: Array.from({ length: 1000 }, (_, n) => ({ properties: { [`p${n}`]: {} } })),
        unevaluatedProperties: false,
      },
      { p9: 1 },
    ],
    ['deep nesting', JSON.parse(`${'{"items":'.repeat(20_000)}{}${'}'.repeat(20_000)}`), [[1]]],
    ['many equal items', { uniqueItems: true }, Array.from({ length: 20_000 }, (_, n) => ({ n }))],
  ])('%s', (_, schema, value) => {
    expect(checkJson(schema, value)).toEqual({ value });
  });

  function createChain(length: number) {
    const names = Array.from({ length }, (_, n) => [`d${n}`, { items: { $ref: `#/$defs/d${(n + 1) % length}` } }]);
    return { $ref: '#/$defs/d0', $defs: Object.fromEntries(names) };
  }
});
