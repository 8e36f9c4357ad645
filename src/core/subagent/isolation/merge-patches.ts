// First floor, core: how patches come into the main working tree and the repositories inside it. Works it out on objects.
import { createGit } from '../../git/git.ts';
import { applies, applyToTree, scratchFile, writePatch } from './capture.ts';
import { isFree, type KeptRepository, placeRepository } from './new-repository.ts';
import { currentTree, type Workshop } from './snapshot.ts';
import type { MergePlan } from './undo-merge.ts';

/** The patches of one repository, in order. */
export interface Pile {
  readonly root: string;
  readonly patches: readonly string[];
  /** Repositories to be put into it, where nothing is. */
  readonly made?: readonly KeptRepository[] | undefined;
}

/** `undefined` when one of them does not fit. */
export async function planPatches(shop: Workshop, piles: readonly Pile[]): Promise<MergePlan[] | undefined> {
  const plans: MergePlan[] = [];
  for (const { root, patches, made: placed = [] } of piles) {
    const git = createGit(shop.ports, root);
    const before = await currentTree(shop, root);
    let tree: string | undefined = before;
    for (const patch of patches) tree = tree && (await applyToTree(shop, git, tree, patch));
    if (!tree) return undefined;
    const patch = await writePatch(shop, git, [before, tree], scratchFile(shop));
    for (const one of placed) if (!(await isFree(shop.ports, root, one))) return undefined;
    if (!patch && placed.length === 0) continue;
    if (patch && !(await applies(git, ['--check', patch]))) return undefined;
    plans.push({
      step: { root, before, after: tree, placed },
      async act() {
        for (const one of placed) await placeRepository(shop.ports, root, one);
        return !patch || applies(git, [patch]);
      },
    });
  }
  return plans;
}
