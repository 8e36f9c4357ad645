// `parley mcp list`: the MCP servers that a session in this directory would use.
import { parseArgs } from 'node:util';
import type { McpServerDefinition } from '../../../contracts/index.ts';
import { formatTable } from '../format-table.ts';
import { parseWithHelp } from '../parse-with-help.ts';
import { formatMcpHelp } from './help.ts';
import { createMcpSetup, readConfiguredServers } from './setup.ts';

export async function runMcpList(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const { json } = parseWithHelp(
    formatMcpHelp(),
    () => parseArgs({ args: [...argv], options: { json: { type: 'boolean' } } }).values,
  );
  const setup = await createMcpSetup();
  const { definitions, isTrusted, settings } = await readConfiguredServers(setup, warn);
  if (!isTrusted && setup.projectFiles.length > 0)
    warn(`This project is not trusted: ${setup.projectFiles.join(', ')} ignored. Run \`parley trust\` to use them.`);
  if (!settings['mcp.enabled']) warn('The setting mcp.enabled is false: sessions use no MCP servers.');
  if (json) return `${JSON.stringify(definitions.map(toJson), null, 2)}\n`;
  if (definitions.length === 0) return 'No MCP servers are defined. Add one: parley mcp add NAME -- COMMAND ARGS...\n';
  const rows = definitions.map(({ name, server, source }) => [
    name,
    server.type,
    server.type === 'stdio' ? [server.command, ...server.args].join(' ') : hideQuery(server.url),
    source,
  ]);
  return formatTable(['server', 'type', 'command or URL', 'from'], rows);
}

/** Without the values of variables and headers, which may be secret. */
function toJson({ name, server, source }: McpServerDefinition) {
  if (server.type !== 'stdio') {
    return { name, type: server.type, url: hideQuery(server.url), headers: Object.keys(server.headers), source };
  }
  const { type, command, args, env, cwd } = server;
  return { name, type, command, args, env: Object.keys(env), ...(cwd === undefined ? {} : { cwd }), source };
}

/** The query of a URL may contain a key. */
function hideQuery(text: string): string {
  const url = new URL(text);
  for (const name of [...url.searchParams.keys()]) url.searchParams.set(name, '***');
  url.username = '';
  url.password = '';
  return url.href;
}
