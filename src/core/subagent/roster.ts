// First floor, core: which agents there are: the project's, the user's, the bundled ones. Of one name the first counts.
import { messageOf } from '../../base/index.ts';
import type { Files } from '../../contracts/index.ts';
import { BUNDLED } from './bundled.ts';
import { type AgentDefinition, type AgentSource, parseAgent } from './definition.ts';

export interface AgentFolder {
  readonly path: string;
  readonly source: AgentSource;
}

export interface Roster {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** The first folder of the project that describes any; `null` when there is none, or it is not trusted. */
  readonly projectFolder: string | null;
  /** Files that could not be used, and why. */
  readonly problems: readonly { readonly path: string; readonly reason: string }[];
}

/** An agent is a page; what is longer is something else. */
const LONGEST = 256 * 1024;

type Reading = Pick<Files, 'info' | 'list' | 'read'>;

export async function readRoster(files: Reading, folders: readonly AgentFolder[]): Promise<Roster> {
  const agents = new Map<string, AgentDefinition>();
  const problems: { path: string; reason: string }[] = [];
  let projectFolder: string | null = null;
  const add = (agent: AgentDefinition) => {
    if (!agents.has(agent.name)) agents.set(agent.name, agent);
  };
  for (const { path, source } of folders) {
    for (const file of await definitionsIn(files, path)) {
      // One that may not be used has been reported.
      if (!(await files.info(file))) continue;
      if (source === 'project') projectFolder ??= path;
      try {
        add(parseAgent(new TextDecoder().decode(await files.read(file, { start: 0, length: LONGEST })), source));
      } catch (thrown) {
        problems.push({ path: file, reason: messageOf(thrown) });
      }
    }
  }
  for (const agent of BUNDLED) add(agent);
  return { agents, projectFolder, problems };
}

async function definitionsIn(files: Reading, folder: string): Promise<string[]> {
  const entries = await files.list(folder).catch(() => []);
  const names = entries.filter(({ kind, name }) => kind === 'file' && name.endsWith('.md')).map(({ name }) => name);
  return names.sort().map((name) => `${folder}/${name}`);
}
