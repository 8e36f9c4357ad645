// Tools of MCP servers: names, effects, arguments, results, progress and aborts.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import { createToolFixture, getText } from '../tools/tool-fixture.ts';
import { createMcpFixture, defineScripted, defineTool, type Script } from './mcp-fixture.ts';

const lists = (...tools: unknown[]) => ({ lists: { tools: [tools] } });

async function connect(script: Script) {
  const fixture = createMcpFixture([defineScripted('files', script)]);
  await fixture.servers.connect();
  return fixture;
}

describe('definitions', () => {
  test('tools have the name, the description, the schema and the effect that the server declares', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const { servers } = await connect(
      lists(
        defineTool('look', { inputSchema, annotations: { readOnlyHint: true } }),
        defineTool('change', { annotations: { readOnlyHint: false } }),
        defineTool('other', { annotations: { readOnlyHint: 'yes' } }),
      ),
    );
    expect(servers.tools.map(({ name, effect }) => [name, effect])).toEqual([
      ['mcp__files__look', 'read'],
      ['mcp__files__change', 'execute'],
      ['mcp__files__other', 'execute'],
    ]);
    expect(servers.tools[0]).toMatchObject({ doc: 'The tool look', jsonSchema: inputSchema });
    expect(servers.getStatus()).toEqual([{ name: 'files', state: 'connected', toolCount: 3 }]);
  });

  test('arguments are checked against the schema before the call', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const { tool } = await connect(lists(defineTool('echo', { inputSchema })));
    await expect(tool('echo').validateInput?.({})).rejects.toThrow(Fault);
    await expect(tool('echo').validateInput?.({ a: 'x' })).rejects.toThrow('a must be a number');
    expect(await tool('echo').validateInput?.({ a: '5' })).toEqual({ a: 5 });
  });
});

describe('calls', () => {
  test('returns the text of the server', async () => {
    const { tool } = await connect(lists(defineTool('echo')));
    const result = await tool('echo').run({ a: 1 }, createToolFixture());
    expect(result).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      details: { server: 'files', tool: 'echo' },
    });
  });

  test('a long text is shown in part, with an artifact', async () => {
    const text = Array.from({ length: 5000 }, (_, line) => `line ${line + 1}`).join('\n');
    const { tool } = await connect({
      ...lists(defineTool('long')),
      results: { long: { content: [{ type: 'text', text }] } },
    });
    const result = await tool('long').run({}, createToolFixture());
    const { fullOutputPath } = result.details as { fullOutputPath: string };
    expect(getText(result)).toContain(`line 2000\n\n[Showing lines 1-2000 of 5000. Full output: ${fullOutputPath}]`);
    expect(existsSync(fullOutputPath) && readFileSync(fullOutputPath, 'utf8')).toBe(text);
  });
});
