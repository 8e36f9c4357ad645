// The MCP servers of an agent. Nothing is read, loaded or started before the first prompt, or before a host asks for them.
import type { Hooks, SessionMcp, Tool } from '../contracts/index.ts';
import type { AgentMcp, McpAgentContext } from './mcp/mcp-agent-context.ts';

export interface LazyMcp extends SessionMcp {
  readonly hooks: Hooks;
  /** The tools of the servers that are connected now. */
  readonly tools: readonly Tool[];
}

export function createLazyMcp(context: McpAgentContext): LazyMcp {
  const { options, resourceLocator } = context;
  let loading: Promise<AgentMcp | undefined> | undefined;
  let loaded: AgentMcp | undefined;
  const load = async () => {
    if (!(await hasDefinitions(context))) return undefined;
    const { createAgentMcp } = await import('./mcp/agent-mcp.ts');
    loaded ??= createAgentMcp(context);
    return loaded;
  };
  const isEnabled = () => options.settings['mcp.enabled'] && options.features?.mcp !== false;
  const open = async () => {
    if (!isEnabled()) return undefined;
    loading ??= load();
    return loading;
  };
  const getUsed = () => (isEnabled() ? loaded : undefined);
  resourceLocator.onTrusted(() => {
    loading = undefined;
    loaded?.reload();
  });
  return {
    prepare: async () => (await open())?.prepare(),
    get tools() {
      return getUsed()?.tools ?? [];
    },
    get toolsVersion() {
      return loaded?.toolsVersion ?? 0;
    },
    planTools: (active) => getUsed()?.planTools(active) ?? { tools: active },
    addUris: (hostUris) => getUsed()?.addUris(hostUris) ?? hostUris,
    getStatus: async () => (await open())?.getStatus() ?? [],
    async close() {
      await loading;
      await loaded?.close();
    },
    hooks: {
      input: async (input) => (input.text.startsWith('/mcp__') ? (await open())?.expandPrompt(input) : undefined),
      listSlashCommands: async () => getUsed()?.listSlashCommands() ?? [],
    },
  };
}

async function hasDefinitions({ options, resourceLocator }: McpAgentContext): Promise<boolean> {
  if (options.mcpServers?.length || options.mcpConfigPaths?.length) return true;
  const { files } = options.ports;
  const infos = resourceLocator.listMcpFiles().map(({ path }) => files.info(path).catch(() => undefined));
  return (await Promise.all(infos)).some((info) => info !== undefined);
}
