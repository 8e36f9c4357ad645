// Reads the definitions of MCP servers: of the host, of flags, of the trusted project and of the user.
import { Fault, getErrorMessage, isRecord } from '../../base/index.ts';
import type { Files, McpServerDefinition, Ports, ResourceLocator } from '../../contracts/index.ts';
import { parseMcpServers } from '../../mcp/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { parseJsonc } from '../../support/jsonc.ts';

export interface McpSources {
  /** Servers of the host. */
  readonly mcpServers?: readonly McpServerDefinition[] | undefined;
  /** Files of `--mcp-config`. The last one has the highest precedence. */
  readonly mcpConfigPaths?: readonly string[] | undefined;
  readonly settings: Pick<SettingValues, 'mcp.disabledServers'>;
  readonly ports: Pick<Ports, 'files' | 'toolEnv'>;
}

export interface McpDefinitions {
  readonly definitions: readonly McpServerDefinition[];
  /** One sentence for each definition or file that is not used. */
  readonly problems: readonly string[];
}

/** The content of one file. */
interface McpFile extends McpDefinitions {
  /** All names, also of servers that are disabled or invalid: they hide servers of lower precedence. */
  readonly names: readonly string[];
}

const MAX_FILE_BYTES = 1024 * 1024;

/** Of several servers with the same name, the first in this order counts: host, flags, project, user. */
export async function readMcpDefinitions(
  options: McpSources,
  resourceLocator: Pick<ResourceLocator, 'listMcpFiles' | 'reader'>,
): Promise<McpDefinitions> {
  const { mcpServers = [], mcpConfigPaths = [], settings, ports } = options;
  const files: McpFile[] = [{ definitions: mcpServers, problems: [], names: mcpServers.map(({ name }) => name) }];
  for (const path of [...mcpConfigPaths].reverse()) files.push(await readFlagFile(ports, path));
  for (const { path } of resourceLocator.listMcpFiles())
    files.push(await readFile(ports, resourceLocator.reader, path));
  const hidden = new Set(settings['mcp.disabledServers']);
  const definitions: McpServerDefinition[] = [];
  for (const file of files) {
    definitions.push(...file.definitions.filter(({ name }) => !hidden.has(name)));
    for (const name of file.names) hidden.add(name);
  }
  return { definitions, problems: files.flatMap(({ problems }) => problems) };
}

/** Throws a Fault for a file of `--mcp-config` that cannot be used. Called at start. */
export async function checkMcpConfigFiles({ mcpConfigPaths = [], ports }: McpSources): Promise<void> {
  for (const path of mcpConfigPaths) await readFlagFile(ports, path);
}

async function readFlagFile(ports: McpSources['ports'], path: string): Promise<McpFile> {
  const file = await readContent(ports, ports.files, path).catch((thrown: unknown) => {
    throw new Fault('config', `--mcp-config ${path}: ${getErrorMessage(thrown)}`, { cause: thrown });
  });
  if (!file) throw new Fault('config', `--mcp-config ${path}: there is no such file`);
  const [problem] = file.problems;
  if (file.names.length === 0 && problem !== undefined) throw new Fault('config', `--mcp-config ${problem}`);
  return file;
}

async function readFile(
  ports: McpSources['ports'],
  reader: Pick<Files, 'info' | 'read'>,
  path: string,
): Promise<McpFile> {
  const createEmpty = (problems: string[]): McpFile => ({ definitions: [], problems, names: [] });
  try {
    return (await readContent(ports, reader, path)) ?? createEmpty([]);
  } catch (thrown) {
    return createEmpty([`${path}: ${getErrorMessage(thrown)}; its MCP servers are not used`]);
  }
}

/** `undefined` when there is no such file. */
export async function readContent(
  { toolEnv }: Pick<Ports, 'toolEnv'>,
  reader: Pick<Files, 'info' | 'read'>,
  path: string,
): Promise<McpFile | undefined> {
  const info = await reader.info(path);
  if (!info) return undefined;
  if (info.kind !== 'file') throw new Fault('config', 'it is not a file');
  if (info.size > MAX_FILE_BYTES) throw new Fault('config', `it is larger than ${MAX_FILE_BYTES / 1024} KB`);
  const value = await parseJsonc(new TextDecoder().decode(await reader.read(path)));
  const parsed = parseMcpServers(value, { source: path, env: toolEnv });
  const servers = isRecord(value) ? (value.mcpServers ?? value.servers) : undefined;
  return { ...parsed, names: isRecord(servers) ? Object.keys(servers) : [] };
}
