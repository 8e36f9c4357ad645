// First floor, core: brings patches into the main working tree: all of them or none. Works it out on objects first.
import { createGit, type Git } from '../../git/git.ts';
import type { MergeNotes, MergeStep } from './batch-notes.ts';
import { applies, applyToTree, scratchFile, writePatch } from './capture.ts';
import { isFree, type KeptRepository, placeRepository } from './new-repository.ts';
import { currentTree, type Workshop } from './snapshot.ts';
import { undoable } from './undo-merge.ts';

/** The patches of one repository, in order. */
export interface Pile {
  readonly root: string;
  readonly patches: readonly string[];
  /** Repositories to be put into it, where nothing is. */
  readonly made?: readonly KeptRepository[] | undefined;
}

/** `false` when one of them does not fit; then nothing was touched. */
export async function mergePatches(shop: Workshop, place: MergeNotes, piles: readonly Pile[]): Promise<boolean> {
  const ready: { git: Git; patch: string | undefined; step: MergeStep }[] = [];
  for (const { root, patches, made: placed = [] } of piles) {
    const git = createGit(shop.ports, root);
    const before = await currentTree(shop, root);
    let tree: string | undefined = before;
    for (const patch of patches) tree = tree && (await applyToTree(shop, git, tree, patch));
    if (!tree) return false;
    const patch = await writePatch(shop, git, [before, tree], scratchFile(shop));
    for (const one of placed) if (!(await isFree(shop.ports, root, one))) return false;
    if (patch || placed.length > 0) ready.push({ git, patch, step: { root, before, after: tree, placed } });
  }
  for (const { git, patch } of ready) if (patch && !(await applies(git, ['--check', patch]))) return false;
  return undoable(
    shop,
    place,
    ready.map(({ step }) => step),
    async () => {
      for (const { git, patch, step } of ready) {
        for (const one of step.placed ?? []) await placeRepository(shop.ports, step.root, one);
        if (patch && !(await applies(git, [patch]))) return false;
      }
      return true;
    },
  );
}
