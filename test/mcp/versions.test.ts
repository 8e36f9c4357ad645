// Protocol versions over stdio.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createToolFixture, getText } from '../tools/tool-fixture.ts';
import { createMcpFixture, defineScripted, defineTool } from './mcp-fixture.ts';

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'a server that answers with %s',
  async (version) => {
    const { servers, tool } = createMcpFixture([
      defineScripted('one', { version, lists: { tools: [[defineTool('echo')]] } }),
    ]);
    await servers.connect();
    expect(getText(await tool('echo').run({ a: 1 }, createToolFixture()))).toBe('{"a":1}');
  },
);

test('an unknown version is named', async () => {
  const { servers, notices } = createMcpFixture([defineScripted('one', { version: '1999-01-01' })]);
  await servers.connect();
  expect(notices).toEqual([
    `MCP server "one" is not connected: Server's protocol version is not supported: 1999-01-01`,
  ]);
});

test.each(['both', 'modern'])('a server of the SDK that speaks %s versions', async (versions) => {
  const args = [join(import.meta.dirname, 'sdk-server.mjs'), versions];
  const server = { type: 'stdio' as const, command: process.execPath, args, env: {} };
  const { servers, tool, notices } = createMcpFixture([{ name: 'one', source: 'test', server }]);
  await servers.connect();
  const meta = getText(await tool('version').run({}, createToolFixture()));
  expect([meta.includes('2026-07-28'), notices]).toEqual([versions === 'modern', []]);
});
