// First floor, core: a second working tree in exactly the state of a snapshot, and its removal.
import type { Files } from '../../../contracts/index.ts';
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

/** Nothing of it is left, also when it was made only in part. Starts no program, because a process that leaves has no time. Never rejects. */
export async function removeCopy(files: Files, commonDirectory: string, directory: string): Promise<void> {
  await forgetCopy(files, commonDirectory, directory);
  await files.remove(directory, { recursive: true }).catch(() => {});
}

/** Takes a worktree off git's list: a folder of notes, one of which says where the worktree is. Never rejects. */
export async function forgetCopy(files: Files, commonDirectory: string, directory: string): Promise<void> {
  const notes = `${commonDirectory}/worktrees`;
  const own = directory.slice(directory.lastIndexOf('/') + 1);
  for (const { name } of await files.list(notes).catch(() => [])) {
    const path = `${notes}/${name}`;
    const place = await files.read(`${path}/gitdir`).then(textOf, () => undefined);
    // Also worktrees that were made inside it. What was cut short before it said where it is has our own name, which nobody else gives.
    const isOurs = place === undefined ? name === own : place.startsWith(`${directory}/`);
    if (isOurs) await files.remove(path, { recursive: true }).catch(() => {});
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).trimEnd();
}
