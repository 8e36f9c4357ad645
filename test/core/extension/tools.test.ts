// Tools of extensions: regular expressions in their schemas are tried where they can be ended, never here.
import { expect, test } from 'vitest';
import { check, type Tool, type TryPatterns } from '../../../src/contracts/index.ts';
import { emptyExtension } from '../../../src/core/extension/extension.ts';
import { toolsOf } from '../../../src/core/extension/tools.ts';

/** On the text below it takes longer than anybody waits. */
const ENDLESS = '^(a+)+$';
const TEXT = `${'a'.repeat(50)}!`;

function toolWith(parameters: Record<string, unknown>, tryPatterns: TryPatterns): Tool {
  const extension = emptyExtension({ path: '/x.ts' } as never);
  extension.tools.set('t', { name: 't', description: '', parameters, execute: async () => 'done' } as never);
  return toolsOf([extension], () => undefined, tryPatterns)[0] as Tool;
}

const schema = { type: 'object', properties: { name: { type: 'string', pattern: ENDLESS } } };

test('arguments are accepted at once, and their patterns are tried elsewhere', async () => {
  const tried: unknown[] = [];
  const tool = toolWith(schema, async (pairs) => {
    tried.push(...pairs);
    return pairs.map(() => true);
  });
  expect(check(tool.params, { name: TEXT })).toEqual({ name: TEXT });
  expect(tried).toEqual([]);
  await tool.verify?.({ name: TEXT });
  expect(tried).toEqual([{ expression: ENDLESS, text: TEXT }]);
});

test('an argument that does not match is named', async () => {
  const tool = toolWith(schema, async (pairs) => pairs.map(() => false));
  await expect(tool.verify?.({ name: 'b' })).rejects.toThrow(`name must match ${ENDLESS} (got "b")`);
});

test('a pattern that takes too long refuses the call', async () => {
  const tool = toolWith(schema, async (pairs) => pairs.map(() => undefined));
  await expect(tool.verify?.({ name: TEXT })).rejects.toThrow(`the pattern ${ENDLESS} takes too long to check`);
});

test('schemas without a pattern need no second check', () => {
  const named = { type: 'object', properties: { pattern: { type: 'string' } } };
  expect(toolWith(named, async () => []).verify).toBe(undefined);
});
