// The built-in tools: names, arguments, effects and the size of their descriptions.
import { toJsonSchema } from '@valibot/to-json-schema';
import { expect, test } from 'vitest';
import { builtinTools } from '../../src/tools/index.ts';

const getSchema = (tool: (typeof builtinTools)[number]) =>
  toJsonSchema(tool.params) as { properties: Record<string, unknown>; required: string[] };

test('names and arguments', () => {
  const shapes = builtinTools.map((tool) => {
    const { properties, required } = getSchema(tool);
    return [tool.name, ...Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`))].join(
      ' ',
    );
  });
  expect(shapes).toEqual([
    'read path offset? limit?',
    'bash command timeout?',
    'edit path edits? oldText? newText?',
    'write path content',
    'grep pattern path? glob? ignoreCase? literal? context? limit?',
    'find pattern path? limit?',
    'ls path? limit?',
  ]);
});

test('effects', () => {
  expect(Object.fromEntries(builtinTools.map((tool) => [tool.name, tool.effect]))).toEqual({
    read: 'read',
    bash: 'execute',
    edit: 'write',
    write: 'write',
    grep: 'read',
    find: 'read',
    ls: 'read',
  });
});

test('tool descriptions and snippets stay small', () => {
  const descriptions = builtinTools.map((tool) => {
    const { $schema, ...parameters } = getSchema(tool) as { $schema?: string };
    return { name: tool.name, description: tool.doc, parameters };
  });
  expect(Buffer.byteLength(JSON.stringify(descriptions))).toBeLessThanOrEqual(2800);
  const lines = builtinTools.flatMap((tool) => [`- ${tool.name}: ${tool.snippet}`, ...(tool.guidelines ?? [])]);
  expect(Buffer.byteLength(lines.join('\n'))).toBeLessThanOrEqual(700);
  for (const tool of builtinTools) expect(tool.snippet).toMatch(/^[^\n]+$/);
});
