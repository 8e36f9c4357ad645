// First floor, core: puts the commit of one task on top of the main tree's HEAD. What is staged and changed there stays.
import { createGit } from '../../git/git.ts';
import type { MergeNotes } from './batch-notes.ts';
import { applies, applyToTree, commitTree, scratchFile, writePatch } from './capture.ts';
import { takeSnapshot, type Workshop } from './snapshot.ts';
import { undoable } from './undo-merge.ts';

/** `false` when it does not fit with what is there; then nothing was touched. */
export async function mergeBranch(shop: Workshop, place: MergeNotes, root: string, branch: string): Promise<boolean> {
  const git = createGit(shop.ports, root);
  const now = await takeSnapshot(shop, root);
  if (now.isMerging) return false;
  const commit = await git.text(['rev-parse', '--verify', `refs/heads/${branch}^{commit}`]);
  const patch = await writePatch(shop, git, [`${commit}^`, commit], scratchFile(shop));
  if (!patch) return true;
  const tree = await applyToTree(shop, git, `${now.head}^{tree}`, patch);
  const staged = await applyToTree(shop, git, now.staged, patch);
  const files = await applyToTree(shop, git, now.tree, patch);
  if (!tree || !staged || !files) return false;
  const toIndex = await writePatch(shop, git, [now.staged, staged], scratchFile(shop));
  const toFiles = await writePatch(shop, git, [now.tree, files], scratchFile(shop));
  if (toFiles && !(await applies(git, ['--check', toFiles]))) return false;
  const message = await git.text(['log', '-1', '--format=%B', commit]);
  const merged = await commitTree(git, tree, now.head, message);
  const step = { root, before: now.tree, after: files, head: now.head, staged: [now.staged, staged] as const };
  return undoable(shop, place, [step], async () => {
    if (toIndex && !(await applies(git, ['--cached', toIndex]))) return false;
    if (toFiles && !(await applies(git, [toFiles]))) return false;
    // Last, so that whoever finds us dead knows by it whether everything was done.
    await git.text(['update-ref', '-m', `parley: ${branch}`, 'HEAD', merged, now.head]);
    return true;
  });
}
