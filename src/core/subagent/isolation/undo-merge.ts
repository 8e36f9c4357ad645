// Executes merges and undoes interrupted ones: restores the main tree to its state before the merge. Later changes of the user are kept.
import { createGit, type Git } from '../../git/git.ts';
import type { MergeJournal, MergeStep } from './batch-journal.ts';
import { createScratchPath, tryApply, writePatch } from './capture-change.ts';
import { removeInstalledRepository } from './saved-repository.ts';
import { type GitScratch, writeCurrentTree } from './snapshot.ts';

interface TreeEntry {
  readonly mode: string;
  readonly blob: string;
}

/** Git's raw diff entry of a file that does not exist. */
const ABSENT_ENTRY: TreeEntry = { mode: '000000', blob: '0'.repeat(40) };

/** A merge in one repository, computed on git objects. No file changes before `apply`. */
export interface MergePlan {
  readonly step: MergeStep;
  /** `false` when the patch does not apply after all. */
  apply(): Promise<boolean>;
  /** Called after `apply` has succeeded in all repositories. The commit tells a later process that the merge was complete. */
  commit?(): Promise<void>;
}

/** Atomic: the plan is written to the journal first. When the merge fails or this process is killed, everything is undone. */
export async function executeMerge(
  gitScratch: GitScratch,
  journal: MergeJournal,
  plans: readonly MergePlan[],
): Promise<boolean> {
  const steps = plans.map(({ step }) => step);
  if (steps.length === 0) return true;
  await journal.recordMerge(steps);
  const undo = async () => {
    await undoMerge(gitScratch, steps, 0);
    await journal.recordMerge([]);
  };
  try {
    const isDone = await applyAll(plans);
    if (isDone) await journal.recordMerge([]);
    else await undo();
    return isDone;
  } catch (thrown) {
    await undo();
    throw thrown;
  }
}

async function applyAll(plans: readonly MergePlan[]): Promise<boolean> {
  for (const plan of plans) if (!(await plan.apply())) return false;
  for (const plan of plans) await plan.commit?.();
  return true;
}

/** Returns a message for each repository in which something was undone. Throws when a tree cannot be restored now. */
export async function undoMerge(
  gitScratch: GitScratch,
  steps: readonly MergeStep[],
  recordedMs: number,
): Promise<string[]> {
  for (const step of steps) if (await isCommitted(gitScratch, step)) return [];
  const messages: string[] = [];
  for (const step of steps) messages.push(...(await undoStep(gitScratch, step, recordedMs)));
  return messages;
}

/** The commit is the last step of a merge. When it exists, the changes in all repositories are complete. */
async function isCommitted({ ports }: GitScratch, { root, head, commit }: MergeStep): Promise<boolean> {
  if (head === undefined || !(await ports.files.info(root))) return false;
  const git = createGit(ports, root);
  if ((await git.text(['rev-parse', 'HEAD'])) === head) return false;
  return commit === undefined || (await git.run(['merge-base', '--is-ancestor', commit, 'HEAD'])).code === 0;
}

async function undoStep(gitScratch: GitScratch, step: MergeStep, recordedMs: number): Promise<string[]> {
  const { root, before, after, head, staged } = step;
  if (!(await gitScratch.ports.files.info(root))) return [];
  const git = createGit(gitScratch.ports, root);
  if (head !== undefined && (await git.text(['rev-parse', 'HEAD'])) !== head) {
    return [`A merge of subagent changes into ${root} was interrupted. There are newer commits, so it is not undone.`];
  }
  if (staged) {
    await removeStaleIndexLock(gitScratch, git, root, recordedMs);
    await restoreIndex(git, staged);
  }
  const remainingRepositories: string[] = [];
  for (const repository of step.placed ?? [])
    if (!(await removeInstalledRepository(gitScratch.ports, root, repository)))
      remainingRepositories.push(repository.path);
  const current = await writeCurrentTree(gitScratch, root);
  const { target, changedPaths } = await computeRevertedTree(gitScratch, git, { current, before, after });
  const patch = await writePatch(gitScratch, git, [current, target], createScratchPath(gitScratch));
  if (patch && !(await tryApply(git, [patch])))
    throw new Error(`${root} cannot be restored to its state before the merge`);
  const remaining = [...remainingRepositories, ...changedPaths];
  const remainingText = remaining.length > 0 ? ` Changed since then and not reverted: ${remaining.join(', ')}.` : '';
  if (!patch && remaining.length === 0 && !step.placed?.length) return [];
  return [
    `A merge of subagent changes into ${root} was interrupted and has been undone. The patches are saved.${remainingText}`,
  ];
}

/** The current tree without the changes of the merge. */
async function computeRevertedTree(
  gitScratch: GitScratch,
  git: Git,
  { current, before, after }: { current: string; before: string; after: string },
): Promise<{ target: string; changedPaths: string[] }> {
  const mergeChanges = await diffTrees(git, before, after);
  const currentChanges = await diffTrees(git, before, current);
  const env = { GIT_INDEX_FILE: `${gitScratch.scratchDirectory}/index-${gitScratch.ports.ids.uuid()}` };
  await git.text(['read-tree', current], { env });
  const changedPaths: string[] = [];
  for (const [path, [oldEntry, mergedEntry]] of mergeChanges) {
    const currentEntry = currentChanges.get(path)?.[1];
    if (!currentEntry) continue;
    if (!(await isPartialWrite(git, currentEntry, mergedEntry))) {
      changedPaths.push(path);
      continue;
    }
    const remove = ['update-index', '--force-remove', '--', path];
    const put = ['update-index', '--add', '--cacheinfo', `${oldEntry.mode},${oldEntry.blob},${path}`];
    await git.text(oldEntry.mode === ABSENT_ENTRY.mode ? remove : put, { env });
  }
  return { target: await git.text(['write-tree'], { env }), changedPaths };
}

/** Whether the current file is the merged file, the beginning of it, or absent. */
async function isPartialWrite(git: Git, currentEntry: TreeEntry, mergedEntry: TreeEntry): Promise<boolean> {
  if (currentEntry.mode === ABSENT_ENTRY.mode || currentEntry.blob === mergedEntry.blob) return true;
  if (mergedEntry.mode === ABSENT_ENTRY.mode) return false;
  const [part, whole] = await Promise.all(
    [currentEntry, mergedEntry].map(async ({ blob }) => (await git.run(['cat-file', 'blob', blob])).stdout),
  );
  return Buffer.from(whole ?? [])
    .subarray(0, part?.length)
    .equals(Buffer.from(part ?? []));
}

/** Entries that differ, by path: the entry in `from` and the entry in `to`. */
async function diffTrees(git: Git, from: string, to: string): Promise<Map<string, [TreeEntry, TreeEntry]>> {
  const listed = await git.text(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', from, to]);
  const fields = listed.split('\0');
  const found = new Map<string, [TreeEntry, TreeEntry]>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [fromMode = '', toMode = '', fromBlob = '', toBlob = ''] = (fields[at] ?? '').slice(1).split(' ');
    found.set(fields[at + 1] ?? '', [
      { mode: fromMode, blob: fromBlob },
      { mode: toMode, blob: toBlob },
    ]);
  }
  return found;
}

/** Git updates the index right after the merge was recorded. An index lock from this window belongs to the git that was killed with its parent. */
const STAGING_WINDOW_MS = 10_000;

async function removeStaleIndexLock({ ports }: GitScratch, git: Git, root: string, recordedMs: number): Promise<void> {
  const lockPath = await git.text(['rev-parse', '--git-path', 'index.lock']);
  const path = lockPath.startsWith('/') ? lockPath : `${root}/${lockPath}`;
  const age = ((await ports.files.info(path))?.modifiedMs ?? 0) - recordedMs;
  if (age >= 0 && age < STAGING_WINDOW_MS) await ports.files.remove(path).catch(() => {});
}

/** Restores the index only when it still holds exactly what the merge staged. */
async function restoreIndex(git: Git, [before, after]: readonly [string, string]): Promise<void> {
  const written = await git.run(['write-tree']);
  if (written.code !== 0 || new TextDecoder().decode(written.stdout).trim() !== after || before === after) return;
  await git.text(['read-tree', before]);
  await git.run(['update-index', '-q', '--refresh']);
}
