// What the actions of `parley mcp` share: the directories, and the servers that a session in this directory would use.
import { join } from 'node:path';
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
import { readMcpDefinitions } from '../../mcp/read-definitions.ts';
import { createSystemPorts } from '../../system-ports/index.ts';

export interface McpSetup {
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
  { ports, cwd }: McpSetup,
  warn: (line: string) => void,
): Promise<ConfiguredServers> {
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const home = homeDirectory();
  const { files } = ports;
  const { decision, values: settings } = await loadProjectSettings({ files, agentDirectory, cwd, home, warn });
  const { trusted, inventory } = decision;
  const locator = createResourceLocator({ files, cwd, agentDirectory, home, trusted, inventory, report: warn });
  const { definitions, problems } = await readMcpDefinitions({ ports, settings }, locator);
  for (const problem of problems) warn(problem);
  return { definitions, settings, isTrusted: trusted };
}

/** `notices` gets what the server reports. */
export function connectServer(
  { ports, cwd }: McpSetup,
  definition: McpServerDefinition,
  { startupTimeoutMs, notices }: { startupTimeoutMs: number; notices: string[] },
): McpServers {
  return createMcpServers([definition], {
    ...{ ports, cwd, startupTimeoutMs },
    version: version(),
    host: () => undefined,
    notify: ({ message }) => void notices.push(message),
  });
}
