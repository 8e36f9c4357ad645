// First floor, core: finds the notes that projects leave for agents. Text only: nothing here is configuration or code.
import { dirname } from 'node:path';
import type { FileInfo, Files } from '../../contracts/index.ts';
import { othersDecide, resolveInside } from '../resources/own-files.ts';

export interface ContextFile {
  path: string;
  content: string;
}

export interface ContextFiles {
  readonly found: readonly ContextFile[];
  /** One sentence for each file that is there and not used. */
  readonly refused: readonly string[];
}

type Reading = Pick<Files, 'info' | 'read' | 'resolve' | 'userId'>;
/** Where a file is read from, with every link resolved, or why it is not used. */
type Judge = (path: string, info: FileInfo) => Promise<{ real: string } | { reason: string }>;

const NAMES = ['AGENTS.md', 'CLAUDE.md'];
/** A note longer than this is a mistake; the model gets its beginning. */
const MOST_BYTES = 256 * 1024;

/** The user's own note first, then one per directory from the root of the file system down to `cwd`. */
export async function findContextFiles(files: Reading, agentDirectory: string, cwd: string): Promise<ContextFiles> {
  const refused: string[] = [];
  // The user's own may be a link to anywhere: many keep such files in another directory.
  const own = noteIn(files, agentDirectory, async (path) => ({ real: path }), refused);
  const directories = ancestors(cwd).filter((directory) => directory !== agentDirectory);
  const found = await Promise.all([
    own,
    ...directories.map((directory) => noteIn(files, directory, judgeFor(files, directory, cwd), refused)),
  ]);
  return { found: found.filter((note) => note !== undefined), refused: refused.sort() };
}

async function noteIn(
  files: Reading,
  directory: string,
  judge: Judge,
  refused: string[],
): Promise<ContextFile | undefined> {
  for (const name of NAMES) {
    const path = `${directory.replace(/\/$/, '')}/${name}`;
    try {
      const info = await files.info(path);
      if (info?.kind !== 'file' || info.size === 0) continue;
      const verdict = await judge(path, info);
      if ('real' in verdict) {
        const bytes = await files.read(verdict.real, { length: MOST_BYTES });
        return { path, content: new TextDecoder().decode(bytes) };
      }
      refused.push(`${path} is not used: ${verdict.reason}`);
    } catch {
      // An unreadable note is no reason to refuse the prompt.
    }
  }
  return undefined;
}

function judgeFor(files: Reading, directory: string, cwd: string): Judge {
  return async (path, info) => {
    const real = await resolveInside(files, directory, path);
    if (real === undefined) {
      const target = await files.resolve(path);
      return { reason: `it is a link to ${target}, outside ${directory}. Put a copy in its place to use it.` };
    }
    const reason =
      directory === cwd ? await otherOwner(files, cwd, info) : await othersDecideAbove(files, { directory, cwd, info });
    return reason === undefined ? { real } : { reason };
  };
}

/** The user chose the working directory, whomever it belongs to. A third user's file in it was not chosen, in /tmp for example. */
async function otherOwner(files: Reading, cwd: string, { owner }: FileInfo): Promise<string | undefined> {
  const directory = await files.info(cwd);
  const known = [files.userId, 0, directory?.owner];
  if (owner === undefined || files.userId === undefined || known.includes(owner)) return undefined;
  return `it belongs to another user (id ${owner}) than ${cwd}. Change its owner to use it.`;
}

/** Above the working directory, up to the first directory in which other users decide what is there. */
async function othersDecideAbove(
  files: Reading,
  { directory, cwd, info }: { directory: string; cwd: string; info: FileInfo },
): Promise<string | undefined> {
  const remedy = 'Change owner or mode to use it.';
  for (let at = dirname(cwd); ; at = dirname(at)) {
    const above = await files.info(at);
    const reason = above && othersDecide(above, files.userId);
    if (reason) return `${at} ${reason}. ${remedy}`;
    if (at === directory) break;
  }
  const reason = othersDecide(info, files.userId);
  return reason && `it ${reason}. ${remedy}`;
}

function ancestors(cwd: string): string[] {
  const parts = cwd.split('/').filter((part) => part !== '');
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)];
}
