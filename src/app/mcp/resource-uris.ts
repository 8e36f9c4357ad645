// Resources of MCP servers for the read tool: mcp://SERVER/URI, and mcp://SERVER/ for the list of a server's resources.
import { Fault } from '../../base/index.ts';
import type { HostUriContent, HostUris, McpServers } from '../../contracts/index.ts';
import { formatResourceUri, parseResourceUri } from '../../mcp/index.ts';

const LIST_URI = /^mcp:\/\/[^/]+\/?$/;
const MAX_LISTED = 1000;

export function createResourceUris(open: () => Promise<McpServers>): HostUris {
  return {
    findScheme: (uri) => (uri.startsWith('mcp://') ? { scheme: 'mcp', writable: false } : undefined),
    async read(uri, signal) {
      const servers = await open();
      const isList = LIST_URI.test(uri);
      const { server, uri: resource } = parseResourceUri(isList ? `${uri}/all` : uri) ?? { server: '', uri: '' };
      requireServer(servers, server);
      if (isList) return listResources(servers, server);
      const { text, images } = await servers.readResource(server, resource, signal);
      return { content: text, images, notes: [] };
    },
    async write(uri) {
      throw new Fault('tool_failed', `Cannot write ${uri}: resources of MCP servers are read-only`);
    },
  };
}

function requireServer(servers: McpServers, server: string): void {
  const names = servers.getStatus().map(({ name }) => name);
  if (names.includes(server)) return;
  throw new Fault('not_found', `There is no MCP server ${JSON.stringify(server)}. Servers: ${names.join(', ')}`);
}

async function listResources(servers: McpServers, server: string): Promise<HostUriContent> {
  const resources = await servers.listResources(server);
  const lines = resources.slice(0, MAX_LISTED).map(({ uri, name, description, mimeType }) => {
    const about = [name, description, mimeType].filter(Boolean).join(', ').replace(/\s+/g, ' ');
    return `${formatResourceUri(server, uri)}  ${about}`;
  });
  const rest = resources.length - lines.length;
  return {
    content: lines.join('\n') || `The MCP server ${server} has no resources.`,
    notes: rest > 0 ? [`${rest} more resources are not listed`] : [],
  };
}

/** Schemes of the host have precedence. */
export function combineUris(host: HostUris | undefined, mcp: HostUris): HostUris {
  if (!host) return mcp;
  const choose = (uri: string) => (host.findScheme(uri) ? host : mcp);
  return {
    findScheme: (uri) => choose(uri).findScheme(uri),
    read: (uri, signal) => choose(uri).read(uri, signal),
    write: (uri, content, signal) => choose(uri).write(uri, content, signal),
  };
}
