// Where the definitions of MCP servers come from, which of two with the same name counts, and what is reported.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkMcpConfigFiles, readMcpDefinitions } from '../../../src/app/mcp/read-definitions.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import type { McpServerDefinition } from '../../../src/contracts/index.ts';
import { createResourceLocator } from '../../../src/trust/resource-locator.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const ports = createSystemPorts({});

function createProject(files: Readonly<Record<string, unknown>>) {
  const root = createTemporaryDirectory();
  const cwd = join(root, 'project');
  const agentDirectory = join(root, 'home');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const read = async (
    options: {
      flags?: readonly string[];
      host?: readonly McpServerDefinition[];
      disabled?: readonly string[];
      trusted?: boolean;
      isBare?: boolean;
    } = {},
  ) => {
    const { flags = [], host, disabled = [], trusted = true, isBare } = options;
    const locator = createResourceLocator({ files: ports.files, cwd, agentDirectory, home: root, trusted, isBare });
    const sources = {
      ports,
      settings: { 'mcp.disabledServers': [...disabled] },
      mcpConfigPaths: flags.map((path) => join(root, path)),
      mcpServers: host,
    };
    const { definitions, problems } = await readMcpDefinitions(sources, locator);
    const from = definitions.map(({ name, server }) => `${name}: ${'command' in server ? server.command : server.url}`);
    return { from, problems };
  };
  return { root, cwd, read };
}

const servers = (...commands: string[]) => ({
  mcpServers: Object.fromEntries(
    commands.map((pair) => {
      const [name = '', command] = pair.split('=');
      return [name, { command }];
    }),
  ),
});

const host: McpServerDefinition = {
  name: 'a',
  source: 'the host',
  server: { type: 'stdio', command: 'host', args: [], env: {} },
};

const FILES = {
  'home/mcp.json': servers('a=user', 'b=user', 'c=user', 'd=user', 'e=user'),
  'project/.mcp.json': servers('a=shared', 'b=shared', 'c=shared', 'd=shared'),
  'project/.parley/mcp.json': servers('a=project', 'b=project', 'c=project'),
  'one.json': servers('a=flag', 'b=flag'),
  'two.json': servers('b=second flag'),
};

describe('precedence', () => {
  test('host, flags, .parley/mcp.json, .mcp.json, user', async () => {
    const { read } = createProject(FILES);
    const { from, problems } = await read({ host: [host], flags: ['one.json', 'two.json'] });
    expect(from).toEqual(['a: host', 'b: second flag', 'c: project', 'd: shared', 'e: user']);
    expect(problems).toEqual([]);
  });

  test('an untrusted project is not read, and --bare uses only flags and host', async () => {
    const { read } = createProject(FILES);
    expect((await read({ trusted: false })).from).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `${name}: user`));
    expect((await read({ isBare: true, host: [host], flags: ['one.json'] })).from).toEqual(['a: host', 'b: flag']);
  });

  test('mcp.disabledServers and `disabled` remove a server of every source', async () => {
    const { read } = createProject({
      'home/mcp.json': servers('a=user', 'b=user', 'c=user'),
      'project/.mcp.json': { mcpServers: { b: { command: 'x', disabled: true } } },
    });
    expect((await read({ disabled: ['a'], host: [host] })).from).toEqual(['c: user']);
  });
});

describe('problems', () => {
  test('name the file, the server and the field, and the other servers are used', async () => {
    const { read, root } = createProject({
      'home/mcp.json':
        '{ // comment\n "mcpServers": {"good": {"command": "x"}, "bad": {"command": "x", "args": "y"}} }',
      'project/.mcp.json': '{"mcpServers": ',
      'project/.parley/mcp.json': '[]',
    });
    const { from, problems } = await read();
    expect(from).toEqual(['good: x']);
    expect(problems).toEqual([
      expect.stringContaining(`${root}/project/.parley/mcp.json: must be an object`),
      `${root}/project/.mcp.json: line 1 is not JSON (value expected); its MCP servers are not used`,
      `${root}/home/mcp.json: MCP server "bad": "args" must be an array of strings.`,
    ]);
  });

  test.each([
    ['missing.json', 'there is no such file'],
    ['broken.json', 'line 1 is not JSON'],
    ['list.json', 'must be an object with "mcpServers"'],
    ['folder', 'it is not a file'],
  ])('--mcp-config %s is an error', async (name, message) => {
    const { root } = createProject({ 'broken.json': '{', 'list.json': '[]', 'folder/x': '' });
    const checked = checkMcpConfigFiles({
      ports,
      settings: { 'mcp.disabledServers': [] },
      mcpConfigPaths: [join(root, name)],
    });
    await expect(checked).rejects.toMatchObject({ code: 'config', message: expect.stringContaining(message) });
    await expect(checked).rejects.toThrow(`--mcp-config ${join(root, name)}`);
  });
});
