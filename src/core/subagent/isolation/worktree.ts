// Creates a worktree in exactly the state of a snapshot, and removes it.
import { Fault } from '../../../base/index.ts';
import type { Files } from '../../../contracts/index.ts';
import type { Git } from '../../git/git.ts';
import { createGit } from '../../git/git.ts';
import { applyPatchToTree, createScratchPath, tryApply, writePatch } from './capture-change.ts';
import type { GitScratch, Snapshot } from './snapshot.ts';

/** Creates a worktree of the same repository. Nested repositories become clones that share the objects of the original. */
export async function createWorktree(gitScratch: GitScratch, snapshot: Snapshot, directory: string): Promise<void> {
  const { ports, signal } = gitScratch;
  const git = createGit(ports, snapshot.root);
  await git.text(['worktree', 'add', '--detach', '--no-checkout', '-f', directory, snapshot.head], { signal });
  await checkOutSnapshot(gitScratch, snapshot, directory);
}

async function checkOutSnapshot(gitScratch: GitScratch, snapshot: Snapshot, directory: string): Promise<void> {
  const { ports, signal } = gitScratch;
  const git = createGit(ports, directory);
  await git.text(['read-tree', snapshot.tree], { signal });
  await git.text(['checkout-index', '-a', '-f', '-q'], { signal });
  await git.text(['read-tree', snapshot.staged], { signal });
  // Exits with an error when files differ from the index, which is expected here.
  await git.run(['update-index', '-q', '--refresh'], { signal });
  for (const { path, snapshot: inner } of snapshot.nested)
    await cloneNestedRepository(gitScratch, git, inner, `${directory}/${path}`);
}

/** Applies a patch to the files of a new worktree. The snapshot stays its base, so that the patch is part of its change. */
export async function applyToWorktree(
  gitScratch: GitScratch,
  snapshot: Snapshot,
  directory: string,
  patch: string,
): Promise<void> {
  const git = createGit(gitScratch.ports, directory);
  const tree = await applyPatchToTree(gitScratch, git, snapshot.tree, patch);
  const path = createScratchPath(gitScratch);
  const difference = tree && (await writePatch(gitScratch, git, [snapshot.tree, tree], path));
  if (!tree || (difference && !(await tryApply(git, [difference]))))
    throw new Fault('refused', `${patch} does not apply to the current working tree.`);
}

async function cloneNestedRepository(
  gitScratch: GitScratch,
  git: Git,
  inner: Snapshot,
  directory: string,
): Promise<void> {
  const { ports, signal } = gitScratch;
  // No template: it could contain hooks.
  await git.text(['clone', '-q', '--shared', '--no-checkout', '--template=', inner.root, directory], { signal });
  await createGit(ports, directory).text(['update-ref', '--no-deref', 'HEAD', inner.head], { signal });
  await checkOutSnapshot(gitScratch, inner, directory);
}

/** Also removes a partly created worktree. Starts no program, because it also runs while this process shuts down. Never rejects. */
export async function removeWorktree(files: Files, commonDirectory: string, directory: string): Promise<void> {
  await unregisterWorktree(files, commonDirectory, directory);
  await files.remove(directory, { recursive: true }).catch(() => {});
}

/** Removes the entry of a worktree from `.git/worktrees`. Its `gitdir` file holds the path of the worktree. Never rejects. */
export async function unregisterWorktree(files: Files, commonDirectory: string, directory: string): Promise<void> {
  const registrations = `${commonDirectory}/worktrees`;
  const directoryName = directory.slice(directory.lastIndexOf('/') + 1);
  for (const { name } of await files.list(registrations).catch(() => [])) {
    const path = `${registrations}/${name}`;
    const worktreePath = await files.read(`${path}/gitdir`).then(decodeText, () => undefined);
    // Matches also worktrees inside this one. An entry without `gitdir` was interrupted during creation; its unique name identifies it.
    const isOurs = worktreePath === undefined ? name === directoryName : worktreePath.startsWith(`${directory}/`);
    if (isOurs) await files.remove(path, { recursive: true }).catch(() => {});
  }
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).trimEnd();
}
