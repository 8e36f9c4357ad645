// First floor, core: brings patches into the main working tree: all of them or none. Works it out on objects first.
import type { Ports } from '../../../contracts/index.ts';
import { createGit, type Git } from '../../git/git.ts';
import { applyToTree, writePatch } from './capture.ts';
import { currentTree, type Workshop } from './snapshot.ts';

/** The patches of one repository, in order. */
export interface Pile {
  readonly root: string;
  readonly patches: readonly string[];
}

/** `false` when one of them does not fit; then nothing was touched. */
export async function mergePatches(shop: Workshop, piles: readonly Pile[]): Promise<boolean> {
  const ready: { git: Git; patch: string }[] = [];
  for (const { root, patches } of piles) {
    const git = createGit(shop.ports, root);
    const before = await currentTree(shop, root);
    let tree: string | undefined = before;
    for (const patch of patches) tree = tree && (await applyToTree(shop, git, tree, patch));
    if (!tree) return false;
    const patch = await writePatch(shop, git, [before, tree], scratchFile(shop));
    if (patch) ready.push({ git, patch });
  }
  for (const { git, patch } of ready) if (!(await applies(git, ['--check', patch]))) return false;
  const done: typeof ready = [];
  for (const item of ready) {
    if (await applies(item.git, [item.patch])) done.push(item);
    else {
      // Only a file that changed this very moment comes here: what was done is undone.
      for (const { git, patch } of done.reverse()) await applies(git, ['--reverse', patch]);
      return false;
    }
  }
  return true;
}

export async function applies(git: Git, args: readonly string[]): Promise<boolean> {
  return (await git.run(['apply', '--whitespace=nowarn', ...args])).code === 0;
}

export function scratchFile({ scratch, ports }: { scratch: string; ports: Pick<Ports, 'ids'> }): string {
  return `${scratch}/${ports.ids.uuid()}.patch`;
}
