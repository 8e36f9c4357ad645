// Few MCP tools are part of the requests. Of many, requests contain a list of limited size, find_tools and call_tool.
import { unknown } from 'valibot';
import { describe, expect, test } from 'vitest';
import { createToolPlanner } from '../../../src/app/mcp/plan-tools.ts';
import type { Tool } from '../../../src/contracts/index.ts';
import { describeTool } from '../../../src/core/context/describe-tool.ts';
import { buildSystemPrompt } from '../../../src/core/context/system-prompt.ts';

const DOC = 'Create or update something in a project; returns what was changed.\nSecond line.';

function createTool(name: string, doc = DOC, jsonSchema: Record<string, unknown> = { type: 'object' }): Tool {
  const run = async () => ({ content: [{ type: 'text' as const, text: 'done' }] });
  return { name, doc, effect: 'execute', params: unknown(), jsonSchema, run };
}

function createTools(servers: number, perServer: number, nameLength = 16): Tool[] {
  return Array.from({ length: servers * perServer }, (_, index) => {
    const server = `server-${Math.floor(index / perServer)}`;
    return createTool(`mcp__${server}__${`tool_${index}_`.padEnd(nameLength, 'x')}`);
  });
}

const read: Tool = { ...createTool('read'), effect: 'read', fileAccess: 'read' };

function plan(tools: readonly Tool[], maxInlineTools = 20) {
  const planner = createToolPlanner({ 'mcp.maxInlineTools': maxInlineTools });
  planner.remember(tools);
  const { tools: offered, promptSection } = planner.plan([read, ...tools], tools.length > 0);
  return { offered, promptSection: promptSection ?? '', names: offered.map(({ name }) => name) };
}

/** What a request contains because of the tools: their definitions and the system prompt. */
function measure(offered: readonly Tool[], toolSection: string | undefined): number {
  const parts = { custom: undefined, append: undefined, contextFiles: [], date: '', cwd: '' };
  const systemPrompt = buildSystemPrompt({ ...parts, tools: offered, toolSection });
  return Buffer.byteLength(JSON.stringify({ systemPrompt, tools: offered.map(describeTool) }));
}

async function run(tools: readonly Tool[], name: string, params: unknown): Promise<string> {
  const found = plan(tools, 0).offered.find((tool) => tool.name === name);
  const { content } = (await found?.run(params, {} as never)) ?? { content: [] };
  return content[0]?.type === 'text' ? content[0].text : '';
}

describe('what a request contains', () => {
  test('without MCP tools nothing changes', () => {
    expect(plan([])).toMatchObject({ offered: [read], promptSection: '' });
  });

  test('up to mcp.maxInlineTools all tools, which the system prompt does not list again', () => {
    const { names, offered, promptSection } = plan(createTools(1, 20));
    expect(names).toHaveLength(21);
    expect(offered.slice(1).map(({ snippet }) => snippet)).toEqual(Array(20).fill(''));
    expect(promptSection).toContain('mcp://SERVER/');
  });

  test('above it a list of names with the beginning of their descriptions', () => {
    const { names, promptSection } = plan(createTools(3, 7));
    expect(names).toEqual(['read', 'find_tools', 'call_tool']);
    expect(promptSection).toContain(
      '\nmcp__server-0__ tool_0_xxxxxxxxx: Create or update something in a project, returns what',
    );
    expect(promptSection).not.toContain('Second line');
  });

  test.each([12, 16, 20, 30, 40])('ten servers with twenty tools of %d characters add at most 6 kB', (nameLength) => {
    const tools = createTools(10, 20, nameLength);
    const { offered, promptSection } = plan(tools);
    expect(measure(offered, promptSection) - measure([read], undefined)).toBeLessThanOrEqual(6000);
    if (nameLength <= 20) for (const { name } of tools) expect(promptSection).toContain(name.split('__')[2]);
  });

  test('of very many tools only their number', () => {
    const { promptSection } = plan(createTools(10, 100));
    expect(promptSection).toContain('\nmcp__server-0__ 100 tools\n');
    expect(plan(createTools(500, 3)).promptSection).toContain('1500 tools of 500 servers');
  });

  test('the same tools give the same bytes', () => {
    const tools = createTools(10, 20);
    expect(plan(tools).promptSection).toBe(plan(tools).promptSection);
  });
});

describe('find_tools', () => {
  const schema = { type: 'object', properties: { title: { type: 'string' } } };
  const tools = [
    createTool('mcp__git__create_issue', 'Open an issue.', schema),
    createTool('mcp__git__list_issues', 'List all issues.'),
    createTool('mcp__art__draw', 'Draw a picture of an issue.'),
  ];

  test('exact names give their schemas', async () => {
    const text = await run(tools, 'find_tools', { query: 'mcp__git__create_issue, mcp__art__draw' });
    expect(text).toBe(
      `mcp__git__create_issue\nOpen an issue.\nparameters: ${JSON.stringify(schema)}\n\nmcp__art__draw\nDraw a picture of an issue.\nparameters: {"type":"object"}`,
    );
  });

  test('words are searched in names first', async () => {
    const text = await run(tools, 'find_tools', { query: 'issue draw' });
    expect(text.indexOf('mcp__art__draw')).toBeLessThan(text.indexOf('mcp__git__list_issues'));
    expect(await run(tools, 'find_tools', { query: 'zebra' })).toBe(
      'No tool matches "zebra". mcp__git__create_issue, mcp__git__list_issues, mcp__art__draw',
    );
  });

  test('answers are bounded, and name what they leave out', async () => {
    const large = { type: 'object', properties: { a: { description: 'x'.repeat(20_000) } } };
    const many = Array.from({ length: 300 }, (_, index) => createTool(`mcp__a__t${index}`, 'Same.', large));
    const text = await run(many, 'find_tools', { query: 'same' });
    expect(text.length).toBeLessThan(35_000);
    expect(text).toContain('More matches, without their parameters: mcp__a__t1, ');
    expect(text).toContain(' and 199 more');
    const huge = { type: 'object', properties: { deep: { description: 'x'.repeat(100_000) } } };
    const single = await run([createTool('mcp__a__huge', 'Huge.', huge)], 'find_tools', { query: 'mcp__a__huge' });
    expect(single).toBe(
      `mcp__a__huge\nHuge.\nparameters: deep (the schema has ${JSON.stringify(huge).length} characters and is not shown)`,
    );
  });
});

describe('call_tool', () => {
  const tools = createTools(1, 2);
  const [first] = tools;
  const delegate = (args: Record<string, unknown>) =>
    plan(tools, 0)
      .offered.find(({ name }) => name === 'call_tool')
      ?.delegate?.(args);

  test('stands for the tool with that name', () => {
    expect(delegate({ name: first?.name, arguments: { a: 1 } })).toEqual({ tool: first, input: { a: 1 } });
    expect(delegate({ name: first?.name })).toEqual({ tool: first, input: {} });
    expect(delegate({ name: first?.name, arguments: '{"a":1}' })).toEqual({ tool: first, input: { a: 1 } });
  });

  test('fails for other names and arguments', async () => {
    expect(delegate({ name: 'read' })).toBeUndefined();
    expect(delegate({ name: first?.name, arguments: [1] })).toBeUndefined();
    expect(delegate({ name: first?.name, arguments: 'no JSON' })).toBeUndefined();
    await expect(run(tools, 'call_tool', { name: 'read' })).rejects.toThrow(
      'There is no MCP tool read. Use find_tools',
    );
  });
});
