// The builder that extensions describe their arguments with: JSON Schema comes out, and nothing else reaches the wire.
import { expect, test } from 'vitest';
import { StringEnum, Type } from '../../../src/app/extensions/compat/typebox.ts';

const onTheWire = (schema: unknown) => JSON.parse(JSON.stringify(schema));

test('objects know what may be missing', () => {
  const schema = Type.Object({ a: Type.String(), b: Type.Optional(Type.Number({ minimum: 1 })) }, { description: 'd' });
  expect(onTheWire(schema)).toEqual({
    description: 'd',
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' }, b: { minimum: 1, type: 'number' } },
  });
  expect(onTheWire(Type.Partial(schema))).not.toHaveProperty('required');
  expect(onTheWire(Type.Required(Type.Partial(schema)))).toMatchObject({ required: ['a', 'b'] });
  expect(Object.keys(onTheWire(Type.Omit(schema, ['a'])).properties)).toEqual(['b']);
});

test('unions, enums and lists', () => {
  expect(onTheWire(Type.Union([Type.Literal('a'), Type.Null()]))).toEqual({
    anyOf: [{ const: 'a', type: 'string' }, { type: 'null' }],
  });
  expect(StringEnum(['x', 'y'], { default: 'x' })).toEqual({ default: 'x', type: 'string', enum: ['x', 'y'] });
  expect(onTheWire(Type.Array(Type.Boolean()))).toEqual({ type: 'array', items: { type: 'boolean' } });
});
