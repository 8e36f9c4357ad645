// The MCP client of a session. Everything that needs the MCP SDK is loaded with the first connection.
import type { McpContext, McpServerDefinition, McpServers } from '../contracts/index.ts';
import type { ServerSet } from './server-set.ts';

export { parseMcpServers } from './parse-servers.ts';
export { formatResourceUri, parseResourceUri } from './resource-uri.ts';
export { toolNameFor } from './tool-name.ts';

export function createMcpServers(definitions: readonly McpServerDefinition[], context: McpContext): McpServers {
  const listeners: (() => void)[] = [];
  let loading: Promise<ServerSet> | undefined;
  let loaded: ServerSet | undefined;
  let connecting: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  async function loadSet(): Promise<ServerSet> {
    const { ServerSet } = await import('./server-set.ts');
    loaded = new ServerSet(definitions, context, () => {
      for (const act of listeners) act();
    });
    return loaded;
  }
  function load(): Promise<ServerSet> {
    loading ??= loadSet();
    return loading;
  }
  async function connect(): Promise<void> {
    if (definitions.length === 0) return;
    const set = await load();
    if (!closing) await set.connect();
  }
  return {
    connect() {
      connecting ??= connect();
      return connecting;
    },
    get tools() {
      return loaded?.tools ?? [];
    },
    get prompts() {
      return loaded?.prompts ?? [];
    },
    listResources: async (server) => (await load()).listResources(server),
    readResource: async (server, uri, signal) => (await load()).readResource(server, uri, signal),
    getPrompt: async (server, name, args, signal) => (await load()).getPrompt(server, name, args, signal),
    getStatus: () =>
      loaded?.getStatus() ?? definitions.map(({ name }) => ({ name, state: 'connecting', toolCount: 0 })),
    onChange: (act) => void listeners.push(act),
    close() {
      closing ??= (async () => (await loading)?.close())();
      return closing;
    },
  };
}
