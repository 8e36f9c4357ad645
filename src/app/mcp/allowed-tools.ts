// Which tools of MCP servers the flags --tools and --exclude-tools select. `mcp__server` selects all tools of a server.
import type { McpServers } from '../../contracts/index.ts';
import type { FlagOptions } from '../../settings/index.ts';

type ToolFlags = Pick<FlagOptions, 'toolNames' | 'excludedTools'>;

export function isAllowed(name: string, { toolNames, excludedTools = [] }: ToolFlags): boolean {
  const isSelectedBy = (pattern: string) => matches(name, pattern);
  return (toolNames?.some(isSelectedBy) ?? true) && !excludedTools.some(isSelectedBy);
}

/** One sentence for each name of a flag that selects no tool. Empty while a server is not connected: it may have the tool. */
export function findUnknownNames({ toolNames = [], excludedTools = [] }: ToolFlags, servers?: McpServers): string[] {
  if (!servers || servers.getStatus().some(({ state }) => state !== 'connected')) return [];
  const names = servers.tools.map(({ name }) => name);
  const isUnknown = (pattern: string) => pattern.startsWith('mcp__') && !names.some((name) => matches(name, pattern));
  const describe = (flag: string) => (name: string) => `${flag} ${name}: no MCP server has this tool`;
  return [
    ...toolNames.filter(isUnknown).map(describe('--tools')),
    ...excludedTools.filter(isUnknown).map(describe('--exclude-tools')),
  ];
}

function matches(name: string, pattern: string): boolean {
  return name === pattern || (pattern.startsWith('mcp__') && name.startsWith(`${pattern}__`));
}
