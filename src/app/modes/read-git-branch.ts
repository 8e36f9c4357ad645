// Reads the git branch of a directory from the file HEAD. Does not run git.
import { dirname, isAbsolute, join } from 'node:path';
import type { Files } from '../../contracts/index.ts';

type BranchFiles = Pick<Files, 'info' | 'read'>;

const MAX_HEAD_BYTES = 1024;
const SHORT_ID_LENGTH = 7;
/** Folders above the directory in which a repository is searched. */
const MAX_DEPTH = 64;

/** The name of the branch, or a short commit id if no branch is checked out. `undefined` outside of a repository. */
export async function readGitBranch(files: BranchFiles, directory: string): Promise<string | undefined> {
  const gitDirectory = await findGitDirectory(files, directory);
  if (gitDirectory === undefined) return undefined;
  const head = await readText(files, join(gitDirectory, 'HEAD'));
  const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
  // With reftables, HEAD contains this name, and the branch is in another file.
  if (branch !== undefined) return branch === '.invalid' ? undefined : branch;
  return /^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, SHORT_ID_LENGTH) : undefined;
}

async function findGitDirectory(files: BranchFiles, directory: string): Promise<string | undefined> {
  let folder = directory;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const path = join(folder, '.git');
    const info = await files.info(path).catch(() => undefined);
    if (info?.kind === 'directory') return path;
    // In worktrees and submodules, .git is a file with the path of the directory.
    if (info?.kind === 'file') {
      const [, target] = /^gitdir: (.+)$/.exec(await readText(files, path)) ?? [];
      if (target === undefined) return undefined;
      return isAbsolute(target) ? target : join(folder, target);
    }
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return undefined;
}

/** The first line; empty if the file cannot be read. */
async function readText(files: BranchFiles, path: string): Promise<string> {
  try {
    // Reading a named pipe would wait for a writer forever.
    if ((await files.info(path))?.kind !== 'file') return '';
    const bytes = await files.read(path, { length: MAX_HEAD_BYTES });
    return new TextDecoder().decode(bytes).split('\n', 1)[0]?.trimEnd() ?? '';
  } catch {
    return '';
  }
}
