// Protects the configuration and hooks of git repositories in writable directories. The rest of `.git` stays writable.
import { join, resolve } from 'node:path';
import type { Planner } from './planner.ts';

/** Files of a git directory that make git run programs. A missing one must not be created either. All are in `GIT_CONTROL_NAMES`. */
const GIT_PROGRAM_CONFIGURATION: readonly { readonly name: string; readonly content: string | undefined }[] = [
  // `content` of a file that stands for a missing one; `undefined`: a directory.
  { name: 'hooks', content: undefined },
  { name: 'config', content: '' },
  // Read only with extensions.worktreeConfig, which the protected configuration may contain.
  { name: 'config.worktree', content: '' },
  // Names the directory that contains the configuration. A dot stands for the directory itself, which is what git uses without the file.
  { name: 'commondir', content: '.\n' },
];

/** Submodules may be nested, and their names may contain slashes. */
const MAX_MODULE_DEPTH = 8;
/** With more submodules or worktrees, the directory that contains them is read-only as a whole: each mount takes time. */
const MAX_SEPARATE_DIRECTORIES = 16;
const MAX_POINTER_BYTES = 4096;

/** `root` is a writable directory. */
export async function protectRepository(planner: Planner, root: string): Promise<void> {
  const path = join(root, '.git');
  const kind = (await planner.list(root)).get('.git');
  if (kind === 'directory' && (await isGitDirectory(planner, path))) return protectGitDirectory(planner, path);
  // Missing, a link, a directory that git does not use, or a file that names the git directory of a worktree or submodule.
  await planner.protect(path);
  if (kind === 'file') await protectNamedDirectory(planner, path, root);
  // A bare repository, or the git directory of a repository that is elsewhere.
  if (await isGitDirectory(planner, root)) await protectGitDirectory(planner, root);
}

async function protectGitDirectory(planner: Planner, directory: string): Promise<void> {
  await protectControlFiles(planner, directory);
  const entries = await planner.list(directory);
  if (entries.has('modules')) await protectModules(planner, join(directory, 'modules'));
  if (entries.has('worktrees')) await protectWorktrees(planner, join(directory, 'worktrees'));
}

async function protectControlFiles(planner: Planner, directory: string): Promise<void> {
  for (const { name, content } of GIT_PROGRAM_CONFIGURATION) await planner.protect(join(directory, name), content);
}

async function protectModules(planner: Planner, directory: string): Promise<void> {
  const modules = await findModules(planner, directory, MAX_MODULE_DEPTH);
  if (!modules || modules.length > MAX_SEPARATE_DIRECTORIES) return planner.protect(directory);
  for (const module of modules) await protectControlFiles(planner, module);
}

/** `undefined` when not all of them can be found. */
async function findModules(planner: Planner, directory: string, depth: number): Promise<string[] | undefined> {
  if (depth === 0) return undefined;
  const found: string[] = [];
  for (const [name, kind] of await planner.list(directory)) {
    if (kind === 'link') return undefined;
    if (kind !== 'directory') continue;
    const path = join(directory, name);
    const isModule = await isGitDirectory(planner, path);
    if (isModule) found.push(path);
    const inner = isModule ? join(path, 'modules') : path;
    if (isModule && !(await planner.list(path)).has('modules')) continue;
    const nested = await findModules(planner, inner, depth - 1);
    if (!nested) return undefined;
    found.push(...nested);
  }
  return found;
}

async function protectWorktrees(planner: Planner, directory: string): Promise<void> {
  const names = [...(await planner.list(directory)).keys()];
  if (names.length > MAX_SEPARATE_DIRECTORIES) return planner.protect(directory);
  for (const name of names) await protectWorktree(planner, join(directory, name));
}

async function protectWorktree(planner: Planner, directory: string): Promise<void> {
  const entries = await planner.list(directory).catch(() => undefined);
  // Git does not use a worktree without these files.
  if (!entries?.has('commondir') || !entries.has('gitdir')) return planner.protect(directory);
  for (const name of ['commondir', 'gitdir']) await planner.protect(join(directory, name));
  await planner.protect(join(directory, 'config.worktree'), '');
}

/** `path` is a file `gitdir: DIRECTORY`. The directory may be in a writable directory, too. */
async function protectNamedDirectory(planner: Planner, path: string, root: string): Promise<void> {
  const directory = await readPointer(planner, path, root, /^gitdir: (.+)$/m);
  if (directory === undefined || !(await isGitDirectory(planner, directory))) return;
  if (planner.findRoot(directory) !== undefined) await protectGitDirectory(planner, directory);
  if (!(await planner.list(directory)).has('commondir')) return;
  const common = await readPointer(planner, join(directory, 'commondir'), directory, /^(.+)$/m);
  if (common === undefined || planner.findRoot(common) === undefined) return;
  if (await isGitDirectory(planner, common)) await protectGitDirectory(planner, common);
}

async function readPointer(planner: Planner, path: string, base: string, pattern: RegExp): Promise<string | undefined> {
  const text = Buffer.from(await planner.files.read(path, { length: MAX_POINTER_BYTES })).toString('utf8');
  const target = pattern.exec(text)?.[1];
  return target === undefined ? undefined : planner.files.realPath(resolve(base, target));
}

async function isGitDirectory(planner: Planner, directory: string): Promise<boolean> {
  const entries = await planner.list(directory).catch(() => undefined);
  if (!entries?.has('HEAD')) return false;
  return entries.has('commondir') || (entries.has('objects') && entries.has('refs'));
}
