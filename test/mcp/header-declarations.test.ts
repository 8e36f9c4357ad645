// Which schemas of tools have valid declarations of headers.
import { expect, test } from 'vitest';
import { findHeaderProblem } from '../../src/mcp/header-declarations.ts';

const withProperties = (properties: object) => ({ type: 'object', properties });
const declare = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });

test.each([
  ['no declaration', withProperties({ a: { type: 'string' } })],
  ['several', withProperties({ a: declare('Region'), b: declare('Count', 'integer'), c: declare('Dry', 'boolean') })],
  ['nested', withProperties({ a: withProperties({ b: declare('Region') }) })],
  ['a property of that name', withProperties({ 'x-mcp-header': { type: 'string' } })],
])('valid: %s', (_, schema) => {
  expect(findHeaderProblem(schema)).toBeUndefined();
});

test.each([
  ['an empty name', withProperties({ a: declare('') }), 'invalid header name'],
  ['no text', withProperties({ a: declare(1) }), 'invalid header name'],
  ['a space', withProperties({ a: declare('My Region') }), 'invalid header name'],
  ['a colon', withProperties({ a: declare('Region:') }), 'invalid header name'],
  ['a line break', withProperties({ a: declare('Region\r\nX: 1') }), 'invalid header name'],
  ['not ASCII', withProperties({ a: declare('Région') }), 'invalid header name'],
  ['a number', withProperties({ a: declare('Region', 'number') }), 'cannot be a header'],
  ['an object', withProperties({ a: declare('Region', 'object') }), 'cannot be a header'],
  ['several types', withProperties({ a: declare('Region', ['string', 'null']) }), 'cannot be a header'],
  ['the root', { ...withProperties({}), 'x-mcp-header': 'Region' }, 'cannot be a header'],
  ['an item of a list', withProperties({ a: { type: 'array', items: declare('Region') } }), 'cannot be a header'],
  ['an alternative', withProperties({ a: { anyOf: [declare('Region')] } }), 'cannot be a header'],
  ['a definition', { ...withProperties({}), $defs: { a: declare('Region') } }, 'cannot be a header'],
  ['twice', withProperties({ a: declare('Region'), b: declare('region') }), 'the header region twice'],
])('invalid: %s', (_, schema, problem) => {
  expect(findHeaderProblem(schema)).toContain(problem);
});
