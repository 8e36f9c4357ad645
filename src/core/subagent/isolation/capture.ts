// First floor, core: what was changed in a copy since its snapshot, as a patch file or as a branch. Touches no working tree.
import { Fault } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { createGit, type Git } from '../../git/git.ts';
import { type KeptRepository, keepRepositories } from './new-repository.ts';
import { currentTree, nestedIn, type Snapshot, type Workshop } from './snapshot.ts';

export interface Change {
  /** The patch of the repository itself; `undefined` when nothing changed. */
  readonly patch: string | undefined;
  readonly nested: readonly { readonly path: string; readonly patch: string }[];
  /** Repositories that were made inside it. */
  readonly made: readonly KeptRepository[];
}

/** `target` is the patch file's path without its ending. */
export async function captureChange(
  shop: Workshop,
  snapshot: Snapshot,
  directory: string,
  target: string,
): Promise<Change> {
  const git = createGit(shop.ports, directory);
  const there = await nestedIn(shop, git, directory);
  const nested: { path: string; patch: string }[] = [];
  const known = new Set(snapshot.nested.map(({ path }) => path));
  const fresh = there.filter((path) => !known.has(path));
  const made = await keepRepositories(shop, directory, fresh, target);
  for (const [index, { path, snapshot: inner }] of snapshot.nested.entries()) {
    // One that was taken away in the copy stays where it is in the main tree.
    if (!there.includes(path)) continue;
    const change = await captureChange(shop, inner, `${directory}/${path}`, `${target}.nested-${index + 1}`);
    if (change.patch) nested.push({ path, patch: change.patch });
    nested.push(...change.nested.map((deeper) => ({ ...deeper, path: `${path}/${deeper.path}` })));
    made.push(...change.made.map((deeper) => ({ ...deeper, path: `${path}/${deeper.path}` })));
  }
  const tree = await currentTree(shop, directory);
  const patch = await writePatch(shop, git, [snapshot.tree, tree], `${target}.patch`);
  return { patch, nested, made };
}

/** `undefined` when the trees are the same. */
export async function writePatch(
  { ports }: Pick<Workshop, 'ports'>,
  git: Git,
  [from, to]: readonly [string, string],
  path: string,
): Promise<string | undefined> {
  if (from === to) return undefined;
  // Made first, because git would let others read it.
  await ports.files.write(path, new Uint8Array(), { mode: 0o600 });
  const flags = ['-p', '--binary', '--full-index', '-M', '--ignore-submodules=all', '--no-color'];
  await git.text(['diff-tree', ...flags, `--output=${path}`, from, to]);
  if ((await ports.files.info(path))?.size) return path;
  await ports.files.remove(path);
  return undefined;
}

/** A tree with a patch applied to it, or `undefined` when it does not fit. A patch that is already there changes nothing. */
export async function applyToTree(
  { ports, scratch }: Workshop,
  git: Git,
  tree: string,
  patch: string,
): Promise<string | undefined> {
  const env = { GIT_INDEX_FILE: `${scratch}/index-${ports.ids.uuid()}` };
  await git.text(['read-tree', tree], { env });
  const flags = ['--cached', '--whitespace=nowarn'];
  const { code } = await git.run(['apply', ...flags, '--3way', patch], { env });
  if (code === 0) return git.text(['write-tree'], { env });
  await git.text(['read-tree', tree], { env });
  const reverse = await git.run(['apply', ...flags, '--reverse', '--check', patch], { env });
  return reverse.code === 0 ? tree : undefined;
}

/** One commit on top of `head`, without touching any working tree. */
export async function commitPatch(
  shop: Workshop,
  git: Git,
  { head, patch, message }: { head: string; patch: string; message: string },
): Promise<string> {
  const tree = await applyToTree(shop, git, `${head}^{tree}`, patch);
  if (!tree)
    throw new Fault('refused', `the change does not fit on ${head.slice(0, 12)} without what is not committed`);
  return commitTree(git, tree, head, message);
}

export async function commitTree(git: Git, tree: string, parent: string, message: string): Promise<string> {
  const hasName = (await git.run(['var', 'GIT_AUTHOR_IDENT'])).code === 0;
  const someone = { NAME: 'Parley', EMAIL: 'parley@localhost' };
  const named = Object.entries(someone).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const env = hasName ? {} : (Object.fromEntries(named) as Record<string, string>);
  return git.text(['commit-tree', tree, '-p', parent, '-m', message], { env });
}

export async function applies(git: Git, args: readonly string[]): Promise<boolean> {
  return (await git.run(['apply', '--whitespace=nowarn', ...args])).code === 0;
}

export function scratchFile({ scratch, ports }: { scratch: string; ports: Pick<Ports, 'ids'> }): string {
  return `${scratch}/${ports.ids.uuid()}.patch`;
}
