// The lists of a server: pages, bad entries, changes; and its resources and prompts.
import { describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { createToolFixture } from '../tools/tool-fixture.ts';
import { createMcpFixture, defineScripted, defineTool, type Script } from './mcp-fixture.ts';

const signal = new AbortController().signal;
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function connect(script: Script) {
  const fixture = createMcpFixture([defineScripted('one', script)]);
  await fixture.servers.connect();
  return fixture;
}

describe('tools', () => {
  test('all pages are read, in the order of the server', async () => {
    const pages = [[defineTool('a'), defineTool('b')], [defineTool('c')], [], [defineTool('d')]];
    const { servers, notices } = await connect({ lists: { tools: pages } });
    expect(servers.tools.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'].map((name) => `mcp__one__${name}`));
    expect(notices).toEqual([]);
  });

  test('tools with bad entries are left out and named once', async () => {
    const tools = [
      defineTool('good'),
      defineTool('array', { inputSchema: { type: 'array' } }),
      defineTool('none', { inputSchema: undefined }),
      defineTool('huge', { inputSchema: { type: 'object', description: 'x'.repeat(100_001) } }),
      defineTool('odd', { inputSchema: { type: 'object', properties: 5 } }),
      { name: 5 },
      'text',
      null,
      defineTool('last', { description: 5, title: 'The last one' }),
    ];
    const { servers, notices } = await connect({ lists: { tools: [tools] } });
    expect(servers.tools.map(({ name, doc }) => [name, doc])).toEqual([
      ['mcp__one__good', 'The tool good'],
      ['mcp__one__last', 'The last one'],
    ]);
    expect(notices).toEqual([
      'MCP server "one" has problems: the tool "array" is left out: its schema does not describe an object; ' +
        'the tool "none" is left out: its schema is not an object; ' +
        'the tool "huge" is left out: its schema has more than 100000 characters, and 2 more',
    ]);
  });

  test('long descriptions are shortened', async () => {
    const { servers } = await connect({ lists: { tools: [[defineTool('a', { description: 'x'.repeat(50_000) })]] } });
    expect(servers.tools[0]?.doc).toHaveLength(2001);
  });

  test('at most 1,000 tools are used', async () => {
    const page = (start: number) => Array.from({ length: 300 }, (_, index) => defineTool(`t${start + index}`));
    const { servers, notices } = await connect({
      lists: { tools: [page(0), page(300), page(600), page(900), page(1200)] },
    });
    expect(servers.tools).toHaveLength(1000);
    expect(notices).toEqual(['MCP server "one" has problems: only its first 1000 tools are used']);
  });

  test('pages without end are read up to a limit', async () => {
    const { servers, notices } = await connect({ lists: { tools: [[defineTool('a')]] }, endlessPages: true });
    expect(servers.tools).toHaveLength(1);
    expect(notices).toEqual(['MCP server "one" has problems: only the first 100 pages of its tools are used']);
  });

  test('pages that repeat are read once', async () => {
    const result = { tools: [defineTool('a')], nextCursor: 'same' };
    const { servers, notices } = await connect({ replies: { 'tools/list': { result } } });
    expect(servers.tools).toHaveLength(1);
    expect(notices).toEqual(['MCP server "one" has problems: its pages of tools repeat']);
  });

  test('a server without the capability has no tools', async () => {
    const { servers, notices } = await connect({ capabilities: {}, lists: { tools: [[defineTool('a')]] } });
    expect([servers.tools, servers.getStatus()[0]?.state, notices]).toEqual([[], 'connected', []]);
  });

  test('tools keep the order of the definitions', async () => {
    const { servers } = createMcpFixture([
      defineScripted('b', { lists: { tools: [[defineTool('x')]] } }),
      defineScripted('a', { lists: { tools: [[defineTool('x')]] } }),
    ]);
    await servers.connect();
    expect(servers.tools.map(({ name }) => name)).toEqual(['mcp__b__x', 'mcp__a__x']);
  });
});

test('changed lists are read again, and the listener is called', async () => {
  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true },
  };
  const { servers, tool } = await connect({ capabilities, lists: { tools: [[defineTool('change')]], prompts: [[]] } });
  let changes = 0;
  servers.onChange(() => {
    changes += 1;
  });
  const lists = { tools: [[defineTool('new')]], prompts: [[{ name: 'p' }]], resources: [[]] };
  await tool('change').run({ lists }, createToolFixture());
  await waitUntil(() => changes > 0 && servers.tools[0]?.name === 'mcp__one__new');
  expect(servers.prompts).toEqual([{ server: 'one', name: 'p', arguments: [] }]);
  expect(changes).toBeLessThan(3);
});

describe('resources', () => {
  const resources = [
    [{ uri: 'file:///a', name: 'A', description: 'first', mimeType: 'text/plain' }, { name: 'no uri' }, 5],
    [{ uri: 'x://b' }],
  ];

  test('are listed', async () => {
    const { servers } = createMcpFixture([
      defineScripted('one', { lists: { resources } }),
      defineScripted('bad', { exit: 1 }),
    ]);
    await servers.connect();
    const expected = [
      { server: 'one', uri: 'file:///a', name: 'A', description: 'first', mimeType: 'text/plain' },
      { server: 'one', uri: 'x://b', name: 'x://b' },
    ];
    expect(await servers.listResources('one')).toEqual(expected);
    expect(await servers.listResources()).toEqual(expected);
    await expect(servers.listResources('bad')).rejects.toThrow(
      'MCP server "bad" is not connected: it exited with code 1',
    );
    await expect(servers.listResources('none')).rejects.toThrow('There is no MCP server "none". Servers: one, bad');
  });

  test('are read as text and images', async () => {
    const contents = [
      { uri: 'x://b', text: 'one' },
      { uri: 'x://b', blob: PNG, mimeType: 'image/png' },
      { uri: 'x://b', blob: 'AAAA', mimeType: 'application/zip' },
      { uri: 'x://b', text: 'two' },
    ];
    const { servers } = await connect({ replies: { 'resources/read': { result: { contents } } } });
    expect(await servers.readResource('one', 'x://b', signal)).toEqual({
      text: 'one\n\n[Resource x://b: application/zip, 3B, not shown]\n\ntwo',
      images: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
    });
  });

  test('a failed read names the server', async () => {
    const error = { code: -32002, message: 'Resource not found' };
    const { servers } = await connect({ replies: { 'resources/read': { error } } });
    await expect(servers.readResource('one', 'x://b', signal)).rejects.toThrow(
      /MCP server "one": .*Resource not found/,
    );
  });
});

describe('prompts', () => {
  test('are listed with their arguments', async () => {
    const prompts = [
      [{ name: 'review', description: 'Review', arguments: [{ name: 'file', required: true }, { name: 'x' }, 5] }, 7],
    ];
    const { servers } = await connect({ lists: { prompts } });
    expect(servers.prompts).toEqual([
      {
        server: 'one',
        name: 'review',
        description: 'Review',
        arguments: [
          { name: 'file', required: true },
          { name: 'x', required: false },
        ],
      },
    ]);
  });

  test('are read with arguments', async () => {
    const messages = [
      { role: 'user', content: { type: 'text', text: 'Review this' } },
      { role: 'user', content: { type: 'resource', resource: { uri: 'file:///a', text: 'code' } } },
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
    ];
    const { servers } = await connect({ replies: { 'prompts/get': { result: { messages } } } });
    expect(await servers.getPrompt('one', 'review', { file: 'a' }, signal)).toEqual({
      text: 'Review this\n\n[Resource file:///a]\ncode',
      images: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
    });
  });
});
