// `parley mcp add`: adds an MCP server to the user's mcp.json or to the .mcp.json of the project.
import { parseArgs } from 'node:util';
import { Fault } from '../../../base/index.ts';
import { parseMcpServers } from '../../../mcp/index.ts';
import { parseWithHelp } from '../parse-with-help.ts';
import { editMcpFile } from './edit-file.ts';
import { formatMcpHelp } from './help.ts';
import { createMcpSetup, type McpSetup } from './setup.ts';

const OPTIONS = {
  env: { type: 'string', multiple: true },
  header: { type: 'string', multiple: true },
  transport: { type: 'string' },
  project: { type: 'boolean' },
} as const;

interface AddRequest {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly isForProject: boolean;
}

export async function runMcpAdd(argv: readonly string[]): Promise<string> {
  const { name, entry, isForProject } = parseWithHelp(formatMcpHelp(), () => parseRequest(argv));
  const setup = await createMcpSetup();
  const file = isForProject ? setup.projectFile : setup.userFile;
  checkEntry(setup, file, name, entry);
  await editMcpFile(setup.ports, file, name, entry);
  const next = isForProject
    ? 'Run `parley trust` to use the servers of this project.'
    : `Try it: parley mcp test ${name}`;
  return `Added ${name} to ${file}. ${next}\n`;
}

function parseRequest(argv: readonly string[]): AddRequest {
  const separator = argv.indexOf('--');
  const before = separator === -1 ? argv : argv.slice(0, separator);
  const commandLine = separator === -1 ? [] : argv.slice(separator + 1);
  const { values, positionals } = parseArgs({ args: [...before], options: OPTIONS, allowPositionals: true });
  const [name, url, ...extra] = positionals;
  if (name === undefined || extra.length > 0) throw new Error('parley mcp add needs a NAME, and a URL or -- COMMAND');
  const { env, header, transport, project: isForProject = false } = values;
  if (url !== undefined && commandLine.length > 0) throw new Error('A URL and a COMMAND exclude each other');
  if (url === undefined) {
    const [command, ...args] = commandLine;
    if (command === undefined) throw new Error(`parley mcp add ${name} needs a URL, or -- COMMAND ARGS...`);
    if (header || transport) throw new Error('--header and --transport are for servers with a URL');
    const variables = env ? { env: Object.fromEntries(env.map((pair) => splitPair(pair, '=', '--env'))) } : {};
    return { name, entry: { command, args, ...variables }, isForProject };
  }
  if (!/^https?:|\$\{/i.test(url))
    throw new Error(`Not a URL: ${url}. A command follows --: parley mcp add ${name} -- ${url}`);
  if (env) throw new Error('--env is for servers with a COMMAND');
  const headers = header ? { headers: Object.fromEntries(header.map((pair) => splitPair(pair, ':', '--header'))) } : {};
  return { name, entry: { type: transport ?? 'http', url, ...headers }, isForProject };
}

function splitPair(pair: string, separator: string, flag: string): [string, string] {
  const at = pair.indexOf(separator);
  if (at < 1) throw new Error(`${flag} needs NAME${separator}VALUE, not ${JSON.stringify(pair)}`);
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}

/** The variables of the entry need not be set now. */
function checkEntry({ ports }: McpSetup, source: string, name: string, entry: AddRequest['entry']): void {
  const names = [...JSON.stringify(entry).matchAll(/\$\{(\w+)/g)].map(([, variable = '']) => variable);
  // Valid at the beginning and inside a URL.
  const unset = Object.fromEntries(names.map((variable) => [variable, 'http://x']));
  const { problems } = parseMcpServers(
    { mcpServers: { [name]: entry } },
    { source, env: { ...unset, ...ports.toolEnv } },
  );
  if (problems[0] !== undefined) throw new Fault('config', problems[0]);
}
