// First floor, core: how the commit of one task comes on top of the main tree's HEAD. What is staged and changed there stays.
import { createGit } from '../../git/git.ts';
import { applies, applyToTree, commitTree, scratchFile, writePatch } from './capture.ts';
import { takeSnapshot, type Workshop } from './snapshot.ts';
import type { MergePlan } from './undo-merge.ts';

/** `undefined` when it does not fit with what is there; nothing to do when it changes nothing. */
export async function planBranch(shop: Workshop, root: string, branch: string): Promise<MergePlan[] | undefined> {
  const git = createGit(shop.ports, root);
  const now = await takeSnapshot(shop, root);
  if (now.isMerging) return undefined;
  const commit = await git.text(['rev-parse', '--verify', `refs/heads/${branch}^{commit}`]);
  const patch = await writePatch(shop, git, [`${commit}^`, commit], scratchFile(shop));
  if (!patch) return [];
  const tree = await applyToTree(shop, git, `${now.head}^{tree}`, patch);
  const staged = await applyToTree(shop, git, now.staged, patch);
  const files = await applyToTree(shop, git, now.tree, patch);
  if (!tree || !staged || !files) return undefined;
  const toIndex = await writePatch(shop, git, [now.staged, staged], scratchFile(shop));
  const toFiles = await writePatch(shop, git, [now.tree, files], scratchFile(shop));
  if (toFiles && !(await applies(git, ['--check', toFiles]))) return undefined;
  const message = await git.text(['log', '-1', '--format=%B', commit]);
  const merged = await commitTree(git, tree, now.head, message);
  const step = {
    ...{ root, before: now.tree, after: files },
    ...{ head: now.head, commit: merged, staged: [now.staged, staged] as const },
  };
  const act = async () => {
    if (toIndex && !(await applies(git, ['--cached', toIndex]))) return false;
    return !toFiles || (await applies(git, [toFiles]));
  };
  const commitIt = () => git.text(['update-ref', '-m', `parley: ${branch}`, 'HEAD', merged, now.head]);
  return [{ step, act, commit: async () => void (await commitIt()) }];
}
