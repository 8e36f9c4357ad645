// Uses MCP servers with the built program: parley mcp, tools, find_tools, prompts, resources and sampling.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHAT_MODEL_FLAGS, startChatProvider } from '../../support/chat-provider.ts';
import { createDirectories } from '../../support/program.ts';
import { closeProgram, promptAndSettle, runProgram, startRpc, writeFiles } from './feature-program.ts';

const SERVER = join(import.meta.dirname, '../../mcp/scripted-server.mjs');
const defineTool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } });
const message = { role: 'user', content: { type: 'text', text: 'Expanded.' } };
const SCRIPT = {
  lists: {
    tools: [['echo', 'ask', 'env'].map(defineTool)],
    prompts: [[{ name: 'expand' }]],
    resources: [[{ uri: 'doc:///a', name: 'A' }]],
  },
  replies: {
    'prompts/get': { result: { messages: [message] } },
    'resources/read': { result: { contents: [{ uri: 'doc:///a', text: 'content of A' }] } },
  },
};
const sample = { method: 'sampling/createMessage', params: { messages: [message], maxTokens: 9 } };

export function tryMcp(): void {
  describe('MCP servers', () => {
    test('parley mcp adds, lists, tests and removes them', async () => {
      const directories = createDirectories();
      writeFiles(directories.home, { 'mcp.json': '{\n  // comment\n  "mcpServers": {}\n}\n' });
      const run = (...args: string[]) => runProgram(['mcp', ...args], '', { directories });
      expect((await run()).stdout).toContain('Usage: parley mcp list');
      expect(await run('add', 'one', '--', process.execPath, SERVER, JSON.stringify(SCRIPT))).toMatchObject({
        code: 0,
      });
      expect(await run('add', 'bad', '--env', 'A=1', '--', '/missing/program')).toMatchObject({ code: 0 });
      expect(readFileSync(join(directories.home, 'mcp.json'), 'utf8')).toContain('// comment');
      expect((await run('list')).stdout).toMatch(/^bad +stdio +\/missing\/program/m);
      const tested = await run('test');
      expect(tested.code).toBe(1);
      expect(tested.stdout).toMatch(/^one: connected in \d+ ms, 3 tools, 1 prompt, 1 resource$/m);
      expect(tested.stdout).toContain('bad: Cannot start /missing/program');
      expect(await run('remove', 'bad')).toMatchObject({ code: 0 });
      expect(await run('test', 'one')).toMatchObject({ code: 0 });
      expect(await run('remove', 'bad')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no MCP server bad'),
      });
      expect(await run('tests')).toMatchObject({ code: 2, stderr: expect.stringContaining('parley mcp test') });
    });

    test('tools that are found first, prompts, resources and requests to the model', async () => {
      const provider = await startChatProvider();
      const directories = provider.createDirectories();
      const settings = { 'mcp.maxInlineTools': 1, 'mcp.sampling': true };
      const servers = { one: { command: process.execPath, args: [SERVER, JSON.stringify(SCRIPT)] } };
      writeFiles(directories.home, {
        'settings.json': JSON.stringify(settings),
        'mcp.json': JSON.stringify({ mcpServers: servers }),
      });
      const program = startRpc([...CHAT_MODEL_FLAGS], { directories });
      provider.add(
        { calls: [{ name: 'find_tools', arguments: { query: 'mcp__one__echo' } }] },
        { calls: [{ name: 'call_tool', arguments: { name: 'mcp__one__echo', arguments: { a: 1 } } }] },
        { calls: [{ name: 'read', arguments: { path: 'mcp://one/' } }] },
        { calls: [{ name: 'read', arguments: { path: 'mcp://one/doc:///a' } }] },
        { calls: [{ name: 'call_tool', arguments: { name: 'mcp__one__ask', arguments: sample } }] },
        { text: 'Sampled.' },
        { text: 'Done.' },
      );
      await promptAndSettle(program, '/mcp__one__expand');
      const ends = program.frames.filter(({ type }) => type === 'tool_execution_end');
      expect(ends.map(({ toolName, isError }) => [toolName, isError])).toEqual(
        ['find_tools', 'mcp__one__echo', 'read', 'read', 'mcp__one__ask'].map((name) => [name, false]),
      );
      const texts = ends.map(({ result }) => JSON.stringify(result));
      expect(texts[2]).toContain('mcp://one/doc:///a  A');
      expect(texts[3]).toContain('content of A');
      expect(texts[4]).toContain('Sampled.');
      expect(await program.call({ type: 'get_mcp_servers' })).toMatchObject({
        data: { servers: [{ name: 'one', state: 'connected', toolCount: 3 }] },
      });
      expect(await program.call({ type: 'get_commands' })).toMatchObject({
        data: { commands: expect.arrayContaining([expect.objectContaining({ name: 'mcp__one__expand' })]) },
      });
      await closeProgram(program);
    });

    test('a file of --mcp-config that cannot be used is an error in every mode', async () => {
      const directories = createDirectories();
      writeFiles(directories.home, { 'broken.json': '{' });
      const path = join(directories.home, 'broken.json');
      for (const mode of [['hi'], ['--mode', 'rpc'], ['--mode', 'rpc', '--dialect', 'opal']]) {
        const { code, stderr } = await runProgram(['--mcp-config', path, ...mode], '', { directories });
        expect([code, stderr]).toEqual([2, expect.stringContaining(`--mcp-config ${path}: line 1 is not JSON`)]);
      }
    });
  });
}
