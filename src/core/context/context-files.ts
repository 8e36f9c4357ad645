// First floor, core: finds the notes that projects leave for agents. Text only: nothing here is configuration or code.
import type { Files } from '../../contracts/index.ts';

export interface ContextFile {
  path: string;
  content: string;
}

const NAMES = ['AGENTS.md', 'CLAUDE.md'];
/** A note longer than this is a mistake; the model gets its beginning. */
const MOST_BYTES = 256 * 1024;

/** The user's own note first, then one per directory from the root of the file system down to `cwd`. */
export async function findContextFiles(files: Files, agentDirectory: string, cwd: string): Promise<ContextFile[]> {
  const found = await Promise.all([agentDirectory, ...ancestors(cwd)].map((directory) => noteIn(files, directory)));
  const seen = new Set<string>();
  return found.filter((note): note is ContextFile => {
    if (!note || seen.has(note.path)) return false;
    seen.add(note.path);
    return true;
  });
}

async function noteIn(files: Files, directory: string): Promise<ContextFile | undefined> {
  for (const name of NAMES) {
    const path = `${directory.replace(/\/$/, '')}/${name}`;
    try {
      const info = await files.info(path);
      if (info?.kind !== 'file' || info.size === 0) continue;
      const bytes = await files.read(path, { length: MOST_BYTES });
      return { path, content: new TextDecoder().decode(bytes) };
    } catch {
      // An unreadable note is no reason to refuse the prompt.
    }
  }
  return undefined;
}

function ancestors(cwd: string): string[] {
  const parts = cwd.split('/').filter((part) => part !== '');
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)];
}
