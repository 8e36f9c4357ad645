// Plans how to commit one task's branch on top of HEAD of the main tree. Staged and unstaged changes there are preserved.
import { createGit } from '../../git/git.ts';
import { applyPatchToTree, commitTree, createScratchPath, tryApply, writePatch } from './capture-change.ts';
import { type GitScratch, takeSnapshot } from './snapshot.ts';
import type { MergePlan } from './undo-merge.ts';

/** `undefined` when the branch does not apply to the main tree; empty when it changes nothing. */
export async function planBranchMerge(
  gitScratch: GitScratch,
  root: string,
  branch: string,
): Promise<MergePlan[] | undefined> {
  const git = createGit(gitScratch.ports, root);
  const current = await takeSnapshot(gitScratch, root);
  if (current.isMerging) return undefined;
  const commit = await git.text(['rev-parse', '--verify', `refs/heads/${branch}^{commit}`]);
  const patch = await writePatch(gitScratch, git, [`${commit}^`, commit], createScratchPath(gitScratch));
  if (!patch) return [];
  const tree = await applyPatchToTree(gitScratch, git, `${current.head}^{tree}`, patch);
  const staged = await applyPatchToTree(gitScratch, git, current.staged, patch);
  const files = await applyPatchToTree(gitScratch, git, current.tree, patch);
  if (!tree || !staged || !files) return undefined;
  const indexPatch = await writePatch(gitScratch, git, [current.staged, staged], createScratchPath(gitScratch));
  const filesPatch = await writePatch(gitScratch, git, [current.tree, files], createScratchPath(gitScratch));
  if (filesPatch && !(await tryApply(git, ['--check', filesPatch]))) return undefined;
  const message = await git.text(['log', '-1', '--format=%B', commit]);
  const mergeCommit = await commitTree(git, tree, current.head, message);
  const step = {
    ...{ root, before: current.tree, after: files },
    ...{ head: current.head, commit: mergeCommit, staged: [current.staged, staged] as const },
  };
  const apply = async () => {
    if (indexPatch && !(await tryApply(git, ['--cached', indexPatch]))) return false;
    return !filesPatch || (await tryApply(git, [filesPatch]));
  };
  const moveHead = () => git.text(['update-ref', '-m', `parley: ${branch}`, 'HEAD', mergeCommit, current.head]);
  return [{ step, apply, commit: async () => void (await moveHead()) }];
}
