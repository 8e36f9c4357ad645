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

test('a schema without patterns has no validateInput', () => {
  const propertyNamedPattern = { type: 'object', properties: { pattern: { type: 'string' } } };
  expect(createTool(propertyNamedPattern, async () => []).validateInput).toBe(undefined);
});
