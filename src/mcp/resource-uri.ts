// The URIs by which the `read` tool names a resource of an MCP server: mcp://SERVER/URI.

const PREFIX = 'mcp://';

export function formatResourceUri(server: string, uri: string): string {
  return `${PREFIX}${encodeURIComponent(server)}/${uri}`;
}

/** `undefined` when the text is not such a URI. */
export function parseResourceUri(text: string): { server: string; uri: string } | undefined {
  const slash = text.indexOf('/', PREFIX.length);
  if (!text.startsWith(PREFIX) || slash === -1 || slash === text.length - 1) return undefined;
  return { server: decode(text.slice(PREFIX.length, slash)), uri: text.slice(slash + 1) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
