// The TypeBox-compatible schema builder: its output serializes to plain JSON Schema.
import { expect, test } from 'vitest';
import { StringEnum, Type } from '../../src/extensions/compat/typebox.ts';

const serialize = (schema: unknown) => JSON.parse(JSON.stringify(schema));

test('objects list their required properties', () => {
  const schema = Type.Object({ a: Type.String(), b: Type.Optional(Type.Number({ minimum: 1 })) }, { description: 'd' });
  expect(serialize(schema)).toEqual({
    description: 'd',
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' }, b: { minimum: 1, type: 'number' } },
  });
  expect(serialize(Type.Partial(schema))).not.toHaveProperty('required');
  expect(serialize(Type.Required(Type.Partial(schema)))).toMatchObject({ required: ['a', 'b'] });
  expect(Object.keys(serialize(Type.Omit(schema, ['a'])).properties)).toEqual(['b']);
});

test('unions, enums and arrays are serialized', () => {
  expect(serialize(Type.Union([Type.Literal('a'), Type.Null()]))).toEqual({
    anyOf: [{ const: 'a', type: 'string' }, { type: 'null' }],
  });
  expect(StringEnum(['x', 'y'], { default: 'x' })).toEqual({ default: 'x', type: 'string', enum: ['x', 'y'] });
  expect(serialize(Type.Array(Type.Boolean()))).toEqual({ type: 'array', items: { type: 'boolean' } });
});
