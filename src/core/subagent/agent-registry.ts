// Loads agent definitions from folders and adds the bundled ones. When several have the same name, the first one is used.
import { getErrorMessage } from '../../base/index.ts';
import type { Files } from '../../contracts/index.ts';
import { type AgentDefinition, type AgentSource, parseAgentDefinition } from './agent-definition.ts';
import { BUNDLED_AGENTS } from './bundled-agents.ts';

export interface AgentFolder {
  readonly path: string;
  readonly source: AgentSource;
}

export interface AgentRegistry {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** The first project folder with an agent file; `null` when there is none or the project is not trusted. */
  readonly projectAgentsFolder: string | null;
  /** Files that could not be parsed or read. */
  readonly problems: readonly { readonly path: string; readonly reason: string }[];
}

/** Only this many bytes of an agent file are read. */
const MAX_FILE_BYTES = 256 * 1024;

type ReadonlyFiles = Pick<Files, 'info' | 'list' | 'read'>;

export async function loadAgentRegistry(files: ReadonlyFiles, folders: readonly AgentFolder[]): Promise<AgentRegistry> {
  const agents = new Map<string, AgentDefinition>();
  const problems: { path: string; reason: string }[] = [];
  let projectAgentsFolder: string | null = null;
  const add = (agent: AgentDefinition) => {
    if (!agents.has(agent.name)) agents.set(agent.name, agent);
  };
  for (const { path, source } of folders) {
    for (const file of await listDefinitionFiles(files, path)) {
      // The reader returns `undefined` for a file that the project may not use, and has already reported it.
      if (!(await files.info(file))) continue;
      if (source === 'project') projectAgentsFolder ??= path;
      try {
        const text = new TextDecoder().decode(await files.read(file, { start: 0, length: MAX_FILE_BYTES }));
        add(await parseAgentDefinition(text, source));
      } catch (thrown) {
        problems.push({ path: file, reason: getErrorMessage(thrown) });
      }
    }
  }
  for (const agent of BUNDLED_AGENTS) add(agent);
  return { agents, projectAgentsFolder, problems };
}

async function listDefinitionFiles(files: ReadonlyFiles, folder: string): Promise<string[]> {
  const entries = await files.list(folder).catch(() => []);
  const names = entries.filter(({ kind, name }) => kind === 'file' && name.endsWith('.md')).map(({ name }) => name);
  return names.sort().map((name) => `${folder}/${name}`);
}
