// Plans how to apply patches to the main working tree and its nested repositories. Works on git objects and changes no file.
import { createGit } from '../../git/git.ts';
import { applyPatchToTree, createScratchPath, tryApply, writePatch } from './capture-change.ts';
import { installRepository, isPathFree, type SavedRepository } from './saved-repository.ts';
import { type GitScratch, writeCurrentTree } from './snapshot.ts';
import type { MergePlan } from './undo-merge.ts';

/** The patches of one repository, in order. */
export interface RepositoryPatches {
  readonly root: string;
  readonly patches: readonly string[];
  /** Repositories to copy into it, to paths where nothing exists. */
  readonly newRepositories?: readonly SavedRepository[] | undefined;
}

/** `undefined` when a patch does not apply or the path of a new repository is taken. */
export async function planPatchMerge(
  gitScratch: GitScratch,
  repositories: readonly RepositoryPatches[],
): Promise<MergePlan[] | undefined> {
  const plans: MergePlan[] = [];
  for (const { root, patches, newRepositories: placed = [] } of repositories) {
    const git = createGit(gitScratch.ports, root);
    const before = await writeCurrentTree(gitScratch, root);
    let tree: string | undefined = before;
    for (const patch of patches) tree = tree && (await applyPatchToTree(gitScratch, git, tree, patch));
    if (!tree) return undefined;
    const patch = await writePatch(gitScratch, git, [before, tree], createScratchPath(gitScratch));
    for (const repository of placed) if (!(await isPathFree(gitScratch.ports, root, repository))) return undefined;
    if (!patch && placed.length === 0) continue;
    if (patch && !(await tryApply(git, ['--check', patch]))) return undefined;
    plans.push({
      step: { root, before, after: tree, placed },
      async apply() {
        for (const repository of placed) await installRepository(gitScratch.ports, root, repository);
        return !patch || tryApply(git, [patch]);
      },
    });
  }
  return plans;
}
