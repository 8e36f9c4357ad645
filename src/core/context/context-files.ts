// Finds AGENTS.md and CLAUDE.md files and skips those that another user could have written.
import { dirname } from 'node:path';
import type { FileInfo, Files } from '../../contracts/index.ts';
import { findOwnershipProblem, resolveInside } from '../../support/path-checks.ts';

export interface ContextFile {
  path: string;
  content: string;
}

export interface ContextFiles {
  readonly found: readonly ContextFile[];
  /** One sentence for each file that exists but is not used. */
  readonly warnings: readonly string[];
}

type ContextFileAccess = Pick<Files, 'info' | 'read' | 'realPath' | 'userId'>;
/** Returns the path with symbolic links resolved, or the reason why the file is not used. */
type FileCheck = (path: string, info: FileInfo) => Promise<{ real: string } | { reason: string }>;

const FILE_NAMES = ['AGENTS.md', 'CLAUDE.md'];
/** Of a longer file the model gets only the first part. */
const MAX_BYTES = 256 * 1024;

/** Order: the user's file, then one file per directory from the file system root down to `cwd`. */
export async function findContextFiles(
  files: ContextFileAccess,
  agentDirectory: string,
  cwd: string,
): Promise<ContextFiles> {
  const warnings: string[] = [];
  // The user's own file may be a link to any place: many users keep such files in another directory.
  const userFile = readContextFile(files, agentDirectory, async (path) => ({ real: path }), warnings);
  const directories = listAncestors(cwd).filter((directory) => directory !== agentDirectory);
  const found = await Promise.all([
    userFile,
    ...directories.map((directory) =>
      readContextFile(files, directory, createFileCheck(files, directory, cwd), warnings),
    ),
  ]);
  return { found: found.filter((file) => file !== undefined), warnings: warnings.sort() };
}

async function readContextFile(
  files: ContextFileAccess,
  directory: string,
  checkFile: FileCheck,
  warnings: string[],
): Promise<ContextFile | undefined> {
  for (const name of FILE_NAMES) {
    const path = `${directory.replace(/\/$/, '')}/${name}`;
    try {
      const info = await files.info(path);
      if (info?.kind !== 'file' || info.size === 0) continue;
      const checked = await checkFile(path, info);
      if ('real' in checked) {
        const bytes = await files.read(checked.real, { length: MAX_BYTES });
        return { path, content: new TextDecoder().decode(bytes) };
      }
      warnings.push(`${path} is not used: ${checked.reason}`);
    } catch {
      // An unreadable context file must not fail the prompt.
    }
  }
  return undefined;
}

function createFileCheck(files: ContextFileAccess, directory: string, cwd: string): FileCheck {
  return async (path, info) => {
    const real = await resolveInside(files, directory, path);
    if (real === undefined) {
      const target = await files.realPath(path);
      return { reason: `it is a link to ${target}, outside ${directory}. Replace the link with a copy to use it.` };
    }
    const reason =
      directory === cwd
        ? await checkOwner(files, cwd, info)
        : await checkParentDirectories(files, { directory, cwd, info });
    return reason === undefined ? { real } : { reason };
  };
}

/**
 * In the working directory the file may belong to the user, to root or to the owner of the directory. A file of any other user
 * is not trusted: the directory may be writable by everyone, like /tmp.
 */
async function checkOwner(files: ContextFileAccess, cwd: string, { owner }: FileInfo): Promise<string | undefined> {
  const directory = await files.info(cwd);
  const allowedOwners = [files.userId, 0, directory?.owner];
  if (owner === undefined || files.userId === undefined || allowedOwners.includes(owner)) return undefined;
  return `its owner (user id ${owner}) is not the owner of ${cwd}. Change its owner to use it.`;
}

/** A file above the working directory is used only if no other user can write to it or to a directory between the two. */
async function checkParentDirectories(
  files: ContextFileAccess,
  { directory, cwd, info }: { directory: string; cwd: string; info: FileInfo },
): Promise<string | undefined> {
  const remedy = 'Change owner or mode to use it.';
  for (let at = dirname(cwd); ; at = dirname(at)) {
    const parent = await files.info(at);
    const reason = parent && findOwnershipProblem(parent, files.userId);
    if (reason) return `${at} ${reason}. ${remedy}`;
    if (at === directory) break;
  }
  const reason = findOwnershipProblem(info, files.userId);
  return reason && `it ${reason}. ${remedy}`;
}

function listAncestors(cwd: string): string[] {
  const parts = cwd.split('/').filter((part) => part !== '');
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)];
}
