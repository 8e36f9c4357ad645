// Tools of extensions: regular expressions in their schemas are only tested with a time limit.
import { expect, test } from 'vitest';
import { type TestPatterns, type Tool, validate } from '../../../src/contracts/index.ts';
import { createExtension } from '../../../src/core/extension/extension.ts';
import { createExtensionTools } from '../../../src/core/extension/extension-tools.ts';

/** Practically never finishes on the text below. */
const ENDLESS = '^(a+)+$';
const TEXT = `${'a'.repeat(50)}!`;

function createTool(parameters: Record<string, unknown>, testPatterns: TestPatterns): Tool {
  const extension = createExtension({ path: '/x.ts' } as never);
  extension.tools.set('t', { name: 't', description: '', parameters, execute: async () => 'done' } as never);
  return createExtensionTools([extension], () => undefined, testPatterns)[0] as Tool;
}

const schema = { type: 'object', properties: { name: { type: 'string', pattern: ENDLESS } } };

test('params accept the arguments without testing patterns; validateInput tests them', async () => {
  const testedPairs: unknown[] = [];
  const tool = createTool(schema, async (pairs) => {
    testedPairs.push(...pairs);
    return pairs.map(() => true);
  });
  expect(validate(tool.params, { name: TEXT })).toEqual({ name: TEXT });
  expect(testedPairs).toEqual([]);
  await tool.validateInput?.({ name: TEXT });
  expect(testedPairs).toEqual([{ expression: ENDLESS, text: TEXT }]);
});

test('an argument that does not match is reported', async () => {
  const tool = createTool(schema, async (pairs) => pairs.map(() => false));
  await expect(tool.validateInput?.({ name: 'b' })).rejects.toThrow(`name must match ${ENDLESS} (got "b")`);
});

test('a pattern that times out refuses the call', async () => {
  const tool = createTool(schema, async (pairs) => pairs.map(() => undefined));
  await expect(tool.validateInput?.({ name: TEXT })).rejects.toThrow(`the pattern ${ENDLESS} takes too long to check`);
});

test('validateInput returns the converted arguments', async () => {
  const typed = { ...schema, properties: { ...schema.properties, count: { type: 'integer' } } };
  const tool = createTool(typed, async (pairs) => pairs.map(() => true));
  expect(await tool.validateInput?.({ name: 'a', count: '5' })).toEqual({ name: 'a', count: 5 });
  await expect(createTool({ ...typed, required: ['name'] }, async () => []).validateInput?.({})).rejects.toThrow(
    /^name: is required$/,
  );
});

test('patterns of property names are tested with a time limit', async () => {
  const byName = { type: 'object', patternProperties: { [ENDLESS]: { type: 'integer' } }, additionalProperties: false };
  const matching = createTool(byName, async (pairs) => pairs.map(({ text }) => text === 'aa'));
  expect(validate(matching.params, { [TEXT]: 1 })).toEqual({ [TEXT]: 1 });
  expect(await matching.validateInput?.({ aa: '1' })).toEqual({ aa: 1 });
  await expect(matching.validateInput?.({ [TEXT]: 1 })).rejects.toThrow(`${TEXT}: is not allowed`);
  const slow = createTool(byName, async (pairs) => pairs.map(() => undefined));
  await expect(slow.validateInput?.({ [TEXT]: 1 })).rejects.toThrow(`the pattern ${ENDLESS} takes too long to check`);
});

test('without patterns no thread is needed, nor for a record of TypeBox', async () => {
  const refuse = () => Promise.reject(new Error('not needed'));
  const propertyNamedPattern = createTool({ type: 'object', properties: { pattern: { type: 'string' } } }, refuse);
  expect(await propertyNamedPattern.validateInput?.({ pattern: 5 })).toEqual({ pattern: '5' });
  const record = { type: 'object', patternProperties: { '^.*$': { type: 'integer' } } };
  const tool = createTool({ type: 'object', properties: { record } }, refuse);
  expect(await tool.validateInput?.({ record: { a: '1' } })).toEqual({ record: { a: 1 } });
  await expect(tool.validateInput?.({ record: { a: 'x' } })).rejects.toThrow('record.a must be an integer (got "x")');
});
