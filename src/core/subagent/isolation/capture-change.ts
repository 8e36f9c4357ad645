// Captures the changes of a worktree since its snapshot as patch files or as a commit. Changes no working tree.
import { Fault } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { createGit, type Git } from '../../git/git.ts';
import { type SavedRepository, saveRepositories } from './saved-repository.ts';
import { type GitScratch, listNestedRepositories, type Snapshot, writeCurrentTree } from './snapshot.ts';

export interface RepositoryChange {
  /** The patch of the repository itself; `undefined` when nothing changed. */
  readonly patch: string | undefined;
  readonly nestedPatches: readonly { readonly path: string; readonly patch: string }[];
  /** Repositories that the task created inside it. */
  readonly newRepositories: readonly SavedRepository[];
}

/** `target` is the path of the patch file without its extension. */
export async function captureChange(
  gitScratch: GitScratch,
  snapshot: Snapshot,
  directory: string,
  target: string,
): Promise<RepositoryChange> {
  const git = createGit(gitScratch.ports, directory);
  const repositories = await listNestedRepositories(gitScratch, git, directory);
  const nestedPatches: { path: string; patch: string }[] = [];
  const knownPaths = new Set(snapshot.nested.map(({ path }) => path));
  const newPaths = repositories.filter((path) => !knownPaths.has(path));
  const newRepositories = await saveRepositories(gitScratch, directory, newPaths, target);
  for (const [index, { path, snapshot: inner }] of snapshot.nested.entries()) {
    // A nested repository that was deleted in the worktree is not deleted in the main tree.
    if (!repositories.includes(path)) continue;
    const change = await captureChange(gitScratch, inner, `${directory}/${path}`, `${target}.nested-${index + 1}`);
    if (change.patch) nestedPatches.push({ path, patch: change.patch });
    nestedPatches.push(...change.nestedPatches.map((deeper) => ({ ...deeper, path: `${path}/${deeper.path}` })));
    newRepositories.push(...change.newRepositories.map((deeper) => ({ ...deeper, path: `${path}/${deeper.path}` })));
  }
  const tree = await writeCurrentTree(gitScratch, directory);
  const patch = await writePatch(gitScratch, git, [snapshot.tree, tree], `${target}.patch`);
  return { patch, nestedPatches, newRepositories };
}

/** `undefined` when the trees are the same. */
export async function writePatch(
  { ports }: Pick<GitScratch, 'ports'>,
  git: Git,
  [from, to]: readonly [string, string],
  path: string,
): Promise<string | undefined> {
  if (from === to) return undefined;
  // Create the file first: git would create it with permissions that let other users read it.
  await ports.files.write(path, new Uint8Array(), { mode: 0o600 });
  const flags = ['-p', '--binary', '--full-index', '-M', '--ignore-submodules=all', '--no-color'];
  await git.text(['diff-tree', ...flags, `--output=${path}`, from, to]);
  if ((await ports.files.info(path))?.size) return path;
  await ports.files.remove(path);
  return undefined;
}

/** The tree with the patch applied; `undefined` when it does not apply. A patch that is already applied changes nothing. */
export async function applyPatchToTree(
  { ports, scratchDirectory }: GitScratch,
  git: Git,
  tree: string,
  patch: string,
): Promise<string | undefined> {
  const env = { GIT_INDEX_FILE: `${scratchDirectory}/index-${ports.ids.uuid()}` };
  await git.text(['read-tree', tree], { env });
  const flags = ['--cached', '--whitespace=nowarn'];
  const { code } = await git.run(['apply', ...flags, '--3way', patch], { env });
  if (code === 0) return git.text(['write-tree'], { env });
  await git.text(['read-tree', tree], { env });
  const reverse = await git.run(['apply', ...flags, '--reverse', '--check', patch], { env });
  return reverse.code === 0 ? tree : undefined;
}

/** Creates a commit with `head` as its parent. Changes no working tree. */
export async function commitPatch(
  gitScratch: GitScratch,
  git: Git,
  { head, patch, message }: { head: string; patch: string; message: string },
): Promise<string> {
  const tree = await applyPatchToTree(gitScratch, git, `${head}^{tree}`, patch);
  if (!tree)
    throw new Fault('refused', `the change does not apply to ${head.slice(0, 12)} without the uncommitted changes`);
  return commitTree(git, tree, head, message);
}

export async function commitTree(git: Git, tree: string, parent: string, message: string): Promise<string> {
  const hasIdentity = (await git.run(['var', 'GIT_AUTHOR_IDENT'])).code === 0;
  const defaultIdentity = { NAME: 'Parley', EMAIL: 'parley@localhost' };
  const identityVariables = Object.entries(defaultIdentity).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const env = hasIdentity ? {} : (Object.fromEntries(identityVariables) as Record<string, string>);
  return git.text(['commit-tree', tree, '-p', parent, '-m', message], { env });
}

export async function tryApply(git: Git, args: readonly string[]): Promise<boolean> {
  return (await git.run(['apply', '--whitespace=nowarn', ...args])).code === 0;
}

export function createScratchPath({
  scratchDirectory,
  ports,
}: {
  scratchDirectory: string;
  ports: Pick<Ports, 'ids'>;
}): string {
  return `${scratchDirectory}/${ports.ids.uuid()}.patch`;
}
