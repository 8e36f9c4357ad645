// First floor, core: a second working tree in exactly the state of a snapshot, and its removal.
import type { Git } from '../../git/git.ts';
import { createGit } from '../../git/git.ts';
import type { Snapshot, Workshop } from './snapshot.ts';

/** A worktree of the same repository; repositories inside it become clones that share the original's objects. */
export async function makeCopy(shop: Workshop, snapshot: Snapshot, directory: string): Promise<void> {
  const { ports, signal } = shop;
  const git = createGit(ports, snapshot.root);
  await git.text(['worktree', 'add', '--detach', '--no-checkout', '-f', directory, snapshot.head], { signal });
  await fill(shop, snapshot, directory);
}

async function fill(shop: Workshop, snapshot: Snapshot, directory: string): Promise<void> {
  const { ports, signal } = shop;
  const git = createGit(ports, directory);
  await git.text(['read-tree', snapshot.tree], { signal });
  await git.text(['checkout-index', '-a', '-f', '-q'], { signal });
  await git.text(['read-tree', snapshot.staged], { signal });
  // Says no when something differs, which is what it should.
  await git.run(['update-index', '-q', '--refresh'], { signal });
  for (const { path, snapshot: inner } of snapshot.nested) await cloneInto(shop, git, inner, `${directory}/${path}`);
}

async function cloneInto(shop: Workshop, git: Git, inner: Snapshot, directory: string): Promise<void> {
  const { ports, signal } = shop;
  // No template: it could bring hooks along.
  await git.text(['clone', '-q', '--shared', '--no-checkout', '--template=', inner.root, directory], { signal });
  await createGit(ports, directory).text(['update-ref', '--no-deref', 'HEAD', inner.head], { signal });
  await fill(shop, inner, directory);
}

/** Nothing of it is left, also when it was made only in part. Never rejects. */
export async function removeCopy({ ports }: Workshop, root: string, directory: string): Promise<void> {
  const git = createGit(ports, root);
  // Twice: also when somebody locked it. What git does not know any more is removed by hand, and then git forgets it.
  const remove = () => git.run(['worktree', 'remove', '--force', '--force', directory]).catch(() => undefined);
  const first = await remove();
  await ports.files.remove(directory, { recursive: true }).catch(() => {});
  if (first?.code !== 0) await remove();
}
