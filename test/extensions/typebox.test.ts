// TypeBox for extensions: schemas serialize to plain JSON Schema, and functions that TypeBox 1 removed or changed work under the old name.
import { describe, expect, test } from 'vitest';
import { loadTypebox, StringEnum } from '../../src/extensions/compat/typebox.ts';
import { mayUseTypebox } from '../../src/extensions/discover-extensions.ts';

const serialize = (schema: unknown) => JSON.parse(JSON.stringify(schema));
const { byName } = await loadTypebox();
// biome-ignore lint/suspicious/noExplicitAny: extensions use these modules without types.
const typebox = (name: string): any => byName[name];
const { Type } = typebox('typebox');
const old = typebox('@sinclair/typebox/value').Value;

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
  expect(Object.keys(serialize(Type.Pick(schema, ['a'])).properties)).toEqual(['a']);
});

test('unions, enums and arrays are serialized', () => {
  expect(serialize(Type.Union([Type.Literal('a'), Type.Null()]))).toEqual({
    anyOf: [{ const: 'a', type: 'string' }, { type: 'null' }],
  });
  expect(StringEnum(['x', 'y'], { default: 'x' })).toEqual({ default: 'x', type: 'string', enum: ['x', 'y'] });
  expect(serialize(Type.Array(Type.Boolean()))).toEqual({ type: 'array', items: { type: 'boolean' } });
  expect(serialize(Type.Object({ e: Type.Optional(StringEnum(['x'])) }))).toEqual({
    type: 'object',
    properties: { e: { type: 'string', enum: ['x'] } },
  });
});

const BUILDERS = [
  ...['String', 'Number', 'Integer', 'Boolean', 'Null', 'Any', 'Unknown', 'Never', 'Literal', 'Object', 'Array'],
  ...['Tuple', 'Record', 'Union', 'Intersect', 'Composite', 'Enum', 'Optional', 'Readonly', 'Partial', 'Required'],
  ...['Pick', 'Omit', 'KeyOf', 'Unsafe', 'Ref', 'Recursive', 'Cyclic'],
];

test.each(['typebox', '@sinclair/typebox'])('%s has all builders, value functions and compilers', (name) => {
  expect(BUILDERS.filter((builder) => typeof typebox(name).Type[builder] !== 'function')).toEqual([]);
  expect(typebox(name).StringEnum).toBe(StringEnum);
  const { Value } = typebox(`${name}/value`);
  for (const member of ['Check', 'Errors', 'Convert', 'Parse', 'Decode', 'Clean', 'Default', 'Clone', 'Equal']) {
    expect(Value[member], member).toBeTypeOf('function');
  }
  const schema = Type.Object({ n: Type.Number() });
  const { TypeCompiler } = typebox(`${name}/compiler`);
  for (const compile of [
    typebox(`${name}/compile`).Compile,
    typebox(`${name}/compiler`).Compile,
    TypeCompiler.Compile,
  ]) {
    expect([compile(schema).Check({ n: 1 }), compile(schema).Check({})]).toEqual([true, false]);
  }
});

describe('functions of 0.34', () => {
  const schema = Type.Object({ n: Type.Number(), s: Type.Optional(Type.String({ default: 'd' })) });

  test('errors have paths, and First()', () => {
    expect(old.Errors(schema, { n: 'x' })[0]).toMatchObject({ path: '/n', message: 'must be number' });
    expect(old.Errors(schema, {}).First()).toMatchObject({ path: '/n', message: 'is required' });
    expect(old.Errors(schema, { n: 1 }).First()).toBeUndefined();
    expect([...typebox('@sinclair/typebox/compiler').TypeCompiler.Compile(schema).Errors(7)]).toHaveLength(1);
  });

  test('Parse converts, sets defaults and does not change its argument; Decode does not convert', () => {
    const input = { n: '5' };
    expect(old.Parse(schema, input)).toEqual({ n: 5, s: 'd' });
    expect(input).toEqual({ n: '5' });
    expect(() => old.Parse(schema, { n: 'x' })).toThrow('/n must be number');
    expect(() => old.Decode(schema, input)).toThrow('/n must be number');
    expect(old.Decode(schema, { n: 5 })).toMatchObject({ n: 5 });
  });

  test('Composite merges objects; Recursive refers to itself', () => {
    const composite = Type.Composite([schema, Type.Object({ b: Type.Boolean() })], { title: 't' });
    expect(serialize(composite)).toMatchObject({ title: 't', required: ['n', 'b'], type: 'object' });
    const tree = Type.Recursive((self: unknown) => Type.Object({ children: Type.Array(self) }));
    expect(serialize(tree)).toMatchObject({ $id: 'T0', properties: { children: { items: { $ref: 'T0' } } } });
    expect(old.Check(tree, { children: [{ children: [] }] })).toBe(true);
    expect(old.Check(tree, { children: [{ children: 1 }] })).toBe(false);
  });
});

test.each([
  ["import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';\nimport fs from 'fs';", false],
  ['import{x}from"node:path"', false],
  ["import { Type } from 'typebox';", true],
  ["import { Type } from '@mariozechner/pi-ai';", true],
  ['export default (pi) => pi.typebox.Type.String()', true],
  ["import { tools } from './tools.ts';", true],
  ["export { default } from 'a-package';", true],
  ["const lib = require('a-package');", true],
])('%j may use TypeBox: %j', async (text, expected) => {
  const files = { read: async () => new TextEncoder().encode(text) } as never;
  expect(await mayUseTypebox(files, [{ path: '/x.ts', location: 'user' }])).toBe(expected);
});
