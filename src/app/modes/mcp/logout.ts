// `parley mcp logout`: removes the stored login of an MCP server.
import { parseArgs } from 'node:util';
import { Fault } from '../../../base/index.ts';
import { getLoginKey } from '../../../mcp/oauth/stored-login.ts';
import { createMcpCredentials } from '../../mcp/credentials.ts';
import { parseWithHelp } from '../parse-with-help.ts';
import { formatMcpHelp } from './help.ts';
import { checkDefinition } from './login.ts';
import { createMcpSetup, findServer, readConfiguredServers } from './setup.ts';

/** Returns the text to print. */
export async function runMcpLogout(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const [name, ...extra] = parseWithHelp(formatMcpHelp(), () =>
    parseArgs({ args: [...argv], allowPositionals: true }),
  ).positionals;
  if (name === undefined || extra.length > 0)
    throw new Fault('config', `parley mcp logout needs one NAME\n\n${formatMcpHelp()}`);
  const setup = await createMcpSetup();
  // A server that is no longer defined is named by its URL.
  const server = URL.canParse(name)
    ? { url: name }
    : checkDefinition(findServer(setup, await readConfiguredServers(setup, warn), name)).server;
  let wasStored = false;
  const credentials = createMcpCredentials(setup);
  await credentials.update(getLoginKey(server), async (current) => {
    wasStored = current !== undefined;
    return undefined;
  });
  if (!wasStored) throw new Fault('not_found', `No login of ${name} is stored.`);
  return `Removed the login of ${name}.\n`;
}
