// What the actions of `parley mcp` share: the directories, and the servers that a session in this directory would use.
import { join } from 'node:path';
import { Fault } from '../../../base/index.ts';
import type { McpServerDefinition, McpServers } from '../../../contracts/index.ts';
import { createMcpServers } from '../../../mcp/index.ts';
import { resolveAgentDirectory, type SettingValues } from '../../../settings/index.ts';
import { homeDirectory } from '../../../support/home-directory.ts';
import { version } from '../../../support/version.ts';
import {
  createResourceLocator,
  filterExisting,
  listProjectMcpFiles,
  loadProjectSettings,
} from '../../../trust/index.ts';
import { createMcpCredentials } from '../../mcp/credentials.ts';
import { readMcpDefinitions } from '../../mcp/read-definitions.ts';
import { createSystemPorts } from '../../system-ports/index.ts';

export interface McpSetup {
  readonly agentDirectory: string;
  readonly ports: ReturnType<typeof createSystemPorts>;
  readonly cwd: string;
  readonly userFile: string;
  /** The file of `--project`. */
  readonly projectFile: string;
  /** Existing files of the project, relative to it. They are not used when it is not trusted. */
  readonly projectFiles: readonly string[];
}

export async function createMcpSetup(): Promise<McpSetup> {
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const ports = createSystemPorts({ agentDirectory });
  const cwd = process.cwd();
  return {
    agentDirectory,
    ports,
    cwd,
    userFile: join(agentDirectory, 'mcp.json'),
    projectFile: join(cwd, '.mcp.json'),
    projectFiles: await filterExisting(ports.files, cwd, listProjectMcpFiles(cwd)),
  };
}

export interface ConfiguredServers {
  readonly definitions: readonly McpServerDefinition[];
  readonly settings: SettingValues;
  readonly isTrusted: boolean;
}

/** Reports problems of files with `warn`. */
export async function readConfiguredServers(
  { agentDirectory, ports, cwd }: McpSetup,
  warn: (line: string) => void,
): Promise<ConfiguredServers> {
  const home = homeDirectory();
  const { files } = ports;
  const { decision, values: settings } = await loadProjectSettings({ files, agentDirectory, cwd, home, warn });
  const { trusted, inventory } = decision;
  const locator = createResourceLocator({ files, cwd, agentDirectory, home, trusted, inventory, report: warn });
  const { definitions, problems } = await readMcpDefinitions({ ports, settings }, locator);
  for (const problem of problems) warn(problem);
  return { definitions, settings, isTrusted: trusted };
}

export function findServer(
  { projectFiles }: McpSetup,
  { definitions, isTrusted }: ConfiguredServers,
  name: string,
): McpServerDefinition {
  const found = definitions.find((definition) => definition.name === name);
  if (found) return found;
  const names = definitions.map((definition) => definition.name).join(', ') || 'none';
  const hint = !isTrusted && projectFiles.length > 0 ? ' The project is not trusted: run `parley trust`.' : '';
  throw new Fault('config', `There is no MCP server ${name}. Servers: ${names}.${hint}`);
}

/** `notices` gets what the server reports. */
export function connectServer(
  { agentDirectory, ports, cwd }: McpSetup,
  definition: McpServerDefinition,
  { startupTimeoutMs, notices }: { startupTimeoutMs: number; notices: string[] },
): McpServers {
  return createMcpServers([definition], {
    ...{ ports, cwd, startupTimeoutMs },
    version: version(),
    credentials: createMcpCredentials({ ports, agentDirectory, redact: ports.redact }),
    host: () => undefined,
    notify: ({ message }) => void notices.push(message),
  });
}
