// First floor, core: takes back a merge that was cut short, so that the main tree is as it was before. What somebody changed
// since then stays.
import { createGit, type Git } from '../../git/git.ts';
import type { MergeNotes, MergeStep } from './batch-notes.ts';
import { applies, scratchFile, writePatch } from './capture.ts';
import { takeBack } from './new-repository.ts';
import { currentTree, type Workshop } from './snapshot.ts';

interface Entry {
  readonly mode: string;
  readonly blob: string;
}

/** What stands for a file that is not there. */
const NOTHING: Entry = { mode: '000000', blob: '0'.repeat(40) };

/** What a merge does in one repository, worked out on objects: nothing is touched before `act`. */
export interface MergePlan {
  readonly step: MergeStep;
  /** `false` when it does not fit after all. */
  act(): Promise<boolean>;
  /** When everything else is done, in all repositories: whoever finds us dead knows by it that it was. */
  commit?(): Promise<void>;
}

/** All of it or nothing, on paper first: when it fails, or we die of it, everything is put back. */
export async function carryOut(shop: Workshop, place: MergeNotes, plans: readonly MergePlan[]): Promise<boolean> {
  const steps = plans.map(({ step }) => step);
  if (steps.length === 0) return true;
  await place.noteMerge(steps);
  const undo = async () => {
    await undoMerge(shop, steps, 0);
    await place.noteMerge([]);
  };
  try {
    const isDone = await doAll(plans);
    if (isDone) await place.noteMerge([]);
    else await undo();
    return isDone;
  } catch (thrown) {
    await undo();
    throw thrown;
  }
}

async function doAll(plans: readonly MergePlan[]): Promise<boolean> {
  for (const plan of plans) if (!(await plan.act())) return false;
  for (const plan of plans) await plan.commit?.();
  return true;
}

/** Gives a sentence for each repository where there was something to undo. Throws when it cannot be done now. */
export async function undoMerge(shop: Workshop, steps: readonly MergeStep[], notedMs: number): Promise<string[]> {
  for (const step of steps) if (await isCommitted(shop, step)) return [];
  const told: string[] = [];
  for (const step of steps) told.push(...(await undoStep(shop, step, notedMs)));
  return told;
}

/** The commit is the last thing that is done: when it is there, so is everything else, in all repositories. */
async function isCommitted({ ports }: Workshop, { root, head, commit }: MergeStep): Promise<boolean> {
  if (head === undefined || !(await ports.files.info(root))) return false;
  const git = createGit(ports, root);
  if ((await git.text(['rev-parse', 'HEAD'])) === head) return false;
  return commit === undefined || (await git.run(['merge-base', '--is-ancestor', commit, 'HEAD'])).code === 0;
}

async function undoStep(shop: Workshop, step: MergeStep, notedMs: number): Promise<string[]> {
  const { root, before, after, head, staged } = step;
  if (!(await shop.ports.files.info(root))) return [];
  const git = createGit(shop.ports, root);
  if (head !== undefined && (await git.text(['rev-parse', 'HEAD'])) !== head) {
    return [`A merge of subagents' work into ${root} was cut short; there are commits since, so it is left as it is.`];
  }
  if (staged) {
    await removeLock(shop, git, root, notedMs);
    await unstage(git, staged);
  }
  const stays: string[] = [];
  for (const one of step.placed ?? []) if (!(await takeBack(shop.ports, root, one))) stays.push(one.path);
  const now = await currentTree(shop, root);
  const { target, foreign } = await taken(shop, git, { now, before, after });
  const patch = await writePatch(shop, git, [now, target], scratchFile(shop));
  if (patch && !(await applies(git, [patch]))) throw new Error(`${root} cannot be put back`);
  const left = [...stays, ...foreign];
  const kept = left.length > 0 ? ` Changed since, and left alone: ${left.join(', ')}.` : '';
  if (!patch && left.length === 0 && !step.placed?.length) return [];
  return [`A merge of subagents' work into ${root} was cut short and taken back; the patches are kept.${kept}`];
}

/** The tree that lies there now, but for what the merge did. */
async function taken(
  shop: Workshop,
  git: Git,
  { now, before, after }: { now: string; before: string; after: string },
): Promise<{ target: string; foreign: string[] }> {
  const merged = await changes(git, before, after);
  const since = await changes(git, before, now);
  const env = { GIT_INDEX_FILE: `${shop.scratch}/index-${shop.ports.ids.uuid()}` };
  await git.text(['read-tree', now], { env });
  const foreign: string[] = [];
  for (const [path, [old, wanted]] of merged) {
    const lying = since.get(path)?.[1];
    if (!lying) continue;
    if (!(await isCutShort(git, lying, wanted))) {
      foreign.push(path);
      continue;
    }
    const remove = ['update-index', '--force-remove', '--', path];
    const put = ['update-index', '--add', '--cacheinfo', `${old.mode},${old.blob},${path}`];
    await git.text(old.mode === NOTHING.mode ? remove : put, { env });
  }
  return { target: await git.text(['write-tree'], { env }), foreign };
}

/** It is all of what was to be written, the beginning of it, or nothing. */
async function isCutShort(git: Git, lying: Entry, wanted: Entry): Promise<boolean> {
  if (lying.mode === NOTHING.mode || lying.blob === wanted.blob) return true;
  if (wanted.mode === NOTHING.mode) return false;
  const [part, whole] = await Promise.all(
    [lying, wanted].map(async ({ blob }) => (await git.run(['cat-file', 'blob', blob])).stdout),
  );
  return Buffer.from(whole ?? [])
    .subarray(0, part?.length)
    .equals(Buffer.from(part ?? []));
}

/** By path: what it was in one tree, and what it is in the other. */
async function changes(git: Git, from: string, to: string): Promise<Map<string, [Entry, Entry]>> {
  const listed = await git.text(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', from, to]);
  const fields = listed.split('\0');
  const found = new Map<string, [Entry, Entry]>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [fromMode = '', toMode = '', fromBlob = '', toBlob = ''] = (fields[at] ?? '').slice(1).split(' ');
    found.set(fields[at + 1] ?? '', [
      { mode: fromMode, blob: fromBlob },
      { mode: toMode, blob: toBlob },
    ]);
  }
  return found;
}

/** Git stages at once after the note was written: a lock of that moment is of the git that was killed with us. */
const STAGING_MS = 10_000;

async function removeLock({ ports }: Workshop, git: Git, root: string, notedMs: number): Promise<void> {
  const said = await git.text(['rev-parse', '--git-path', 'index.lock']);
  const path = said.startsWith('/') ? said : `${root}/${said}`;
  const age = ((await ports.files.info(path))?.modifiedMs ?? 0) - notedMs;
  if (age >= 0 && age < STAGING_MS) await ports.files.remove(path).catch(() => {});
}

/** Where what is staged is what the merge staged, what was staged before takes its place. */
async function unstage(git: Git, [before, after]: readonly [string, string]): Promise<void> {
  const written = await git.run(['write-tree']);
  if (written.code !== 0 || new TextDecoder().decode(written.stdout).trim() !== after || before === after) return;
  await git.text(['read-tree', before]);
  await git.run(['update-index', '-q', '--refresh']);
}
