// Decides which tools of MCP servers a request contains: all of them when they are few, otherwise only a list of their names.
import type { OfferedTools, Tool } from '../../contracts/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { createCallTool, createFindTools } from './find-tools.ts';
import { formatToolList } from './format-tool-list.ts';

export interface ToolPlanner {
  /** Marks these tools as tools of MCP servers. Returns them. */
  remember(tools: readonly Tool[]): readonly Tool[];
  plan(active: readonly Tool[], hasServers: boolean): OfferedTools;
}

const RESOURCES = 'Resources of MCP servers: read mcp://SERVER/ lists those of a server, mcp://SERVER/URI opens one.';

export function createToolPlanner(settings: Pick<SettingValues, 'mcp.maxInlineTools'>): ToolPlanner {
  const known = new WeakSet<Tool>();
  return {
    remember(tools) {
      for (const tool of tools) known.add(tool);
      return tools;
    },
    plan(active, hasServers) {
      const mcpTools = active.filter((tool) => known.has(tool));
      if (!hasServers) return { tools: active };
      const resources = active.some(({ fileAccess }) => fileAccess === 'read') ? [RESOURCES] : [];
      if (mcpTools.length <= settings['mcp.maxInlineTools']) {
        // Not described a second time in the list of tools of the system prompt.
        const tools = active.map((tool) => (known.has(tool) ? { ...tool, snippet: '' } : tool));
        return { tools, promptSection: resources.join('\n') };
      }
      const others = active.filter((tool) => !known.has(tool));
      return {
        tools: [...others, createFindTools(mcpTools), createCallTool(mcpTools)],
        promptSection: [formatToolList(mcpTools), ...resources].join('\n'),
      };
    },
  };
}
