// Applies the captured changes of isolated tasks to the main tree, as patches or as branches.
import { getErrorMessage } from '../../../base/index.ts';
import type { SubagentResult } from '../../../protocol/index.ts';
import { createGit } from '../../git/git.ts';
import { listChangeLocations, markAllUnapplied, markApplied, markUnapplied } from '../unapplied-changes.ts';
import type { MergeResult } from '../workspace.ts';
import type { MergeJournal } from './batch-journal.ts';
import { planBranchMerge } from './merge-branch.ts';
import { planPatchMerge, type RepositoryPatches } from './plan-merge.ts';
import type { GitScratch } from './snapshot.ts';
import { executeMerge } from './undo-merge.ts';

interface MergeTarget {
  /** The root of the main working tree. */
  readonly root: string;
  readonly gitScratch: GitScratch;
  readonly journal: MergeJournal;
}

/** Sets `applied` and `error` of the results. */
export function mergeResults(
  target: MergeTarget,
  method: 'patch' | 'branch',
  results: readonly SubagentResult[],
): Promise<MergeResult> {
  return method === 'branch' ? mergeBranches(target, results) : mergePatches(target, results);
}

/** Applies all patches, or none when a task failed or a patch does not apply. */
async function mergePatches(
  { root, gitScratch, journal }: MergeTarget,
  results: readonly SubagentResult[],
): Promise<MergeResult> {
  const failed = results.filter(({ exitCode }) => exitCode !== 0);
  if (failed.length > 0)
    return markAllUnapplied(results, `${failed.map(describeFailedTask).join(', ')} did not succeed`);
  if (results.flatMap(listChangeLocations).length === 0) return { text: 'No changes to apply.', isComplete: true };
  try {
    const plans = await planPatchMerge(gitScratch, groupPatches(root, results));
    const isApplied = plans && (await executeMerge(gitScratch, journal, plans));
    if (!isApplied) return markAllUnapplied(results, 'they do not apply to the current working tree');
    markApplied(results);
    return { text: 'Applied patches: yes', isComplete: true };
  } catch (thrown) {
    return markAllUnapplied(results, getErrorMessage(thrown));
  }
}

/** Adds the error when the budget stopped the task, because then the task itself did not fail. */
function describeFailedTask({ id, abortReason, error }: SubagentResult): string {
  return abortReason === 'budget_exceeded' && error !== undefined ? `${id} (${error})` : id;
}

function groupPatches(root: string, results: readonly SubagentResult[]): RepositoryPatches[] {
  const newRepositories = results.flatMap(({ newRepositories = [] }) => newRepositories);
  const patchesByRepository = new Map<string, string[]>(newRepositories.length > 0 ? [[root, []]] : []);
  const add = (repositoryRoot: string, patch: string) =>
    patchesByRepository.set(repositoryRoot, [...(patchesByRepository.get(repositoryRoot) ?? []), patch]);
  for (const { patchPath, nestedPatches = [] } of results) {
    if (patchPath) add(root, patchPath);
    for (const nested of nestedPatches) add(`${root}/${nested.path}`, nested.patchPath);
  }
  return [...patchesByRepository].map(([repositoryRoot, patches]) => ({
    root: repositoryRoot,
    patches,
    ...(repositoryRoot === root ? { newRepositories } : {}),
  }));
}

/** Merges in order up to the first branch that does not apply. That branch and all later ones are kept. */
async function mergeBranches(target: MergeTarget, results: readonly SubagentResult[]): Promise<MergeResult> {
  const git = createGit(target.gitScratch.ports, target.root);
  const merged: string[] = [];
  const unmerged: SubagentResult[] = [];
  const changed = results.filter((result) => listChangeLocations(result).length > 0);
  for (const result of changed.filter(({ exitCode }) => exitCode === 0)) {
    const { branchName } = result;
    const problem = unmerged.length > 0 ? 'an earlier branch was not merged' : await mergeBranch(target, result);
    if (problem !== undefined) {
      unmerged.push(result);
      markUnapplied(result, `Merge failed: ${problem}`);
      continue;
    }
    markApplied([result]);
    if (!branchName) continue;
    merged.push(branchName);
    await git.run(['update-ref', '-d', `refs/heads/${branchName}`]).catch(() => {});
  }
  const failed = changed.filter(({ exitCode }) => exitCode !== 0);
  for (const result of failed) markUnapplied(result, 'Merge failed: the task did not succeed');
  return {
    text: formatBranchReport(merged, unmerged, failed),
    isComplete: unmerged.length + failed.length === 0,
  };
}

/** Merges a branch together with its changes to nested repositories. Returns the problem; `undefined` on success. */
async function mergeBranch(
  { root, gitScratch, journal }: MergeTarget,
  result: SubagentResult,
): Promise<string | undefined> {
  const { branchName, patchPath, nestedPatches = [], newRepositories = [] } = result;
  try {
    if (patchPath && !branchName) return 'the change depends on uncommitted changes; its patch is saved';
    const branchPlans = branchName ? await planBranchMerge(gitScratch, root, branchName) : [];
    if (!branchPlans) return `${branchName} does not apply`;
    const patchesByRepository = nestedPatches.map(({ path, patchPath: patch }) => ({
      root: `${root}/${path}`,
      patches: [patch],
    }));
    const nestedPlans = await planPatchMerge(
      gitScratch,
      newRepositories.length > 0
        ? [...patchesByRepository, { root, patches: [], newRepositories }]
        : patchesByRepository,
    );
    if (!nestedPlans) return 'the change to a nested repository does not apply';
    const isApplied = await executeMerge(gitScratch, journal, [...nestedPlans, ...branchPlans]);
    return isApplied ? undefined : `${branchName ?? result.id} could not be applied`;
  } catch (thrown) {
    return getErrorMessage(thrown);
  }
}

function formatBranchReport(
  merged: readonly string[],
  unmerged: readonly SubagentResult[],
  failed: readonly SubagentResult[],
): string {
  const lines = merged.length > 0 ? [`Merged ${merged.length} branches: ${merged.join(', ')}`] : [];
  const unmergedNames = unmerged.map(({ branchName, patchPath, id }) => branchName ?? patchPath ?? id);
  if (unmerged.length > 0) lines.push(`Not merged, must be merged manually: ${unmergedNames.join(', ')}`);
  if (failed.length > 0)
    lines.push(`Saved changes of tasks that did not succeed: ${failed.flatMap(listChangeLocations).join(', ')}`);
  return lines.join('\n') || 'No changes to merge.';
}
