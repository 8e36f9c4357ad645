// Manages the files that hold the change of one task: patches and copies of new repositories. Each capture replaces the last one.
import type { Files } from '../../../contracts/index.ts';
import { captureChange, type RepositoryChange } from './capture-change.ts';
import type { GitScratch, Snapshot } from './snapshot.ts';

export interface ChangeFiles {
  /** Captures the working tree of the task. When it fails, the files of the last capture are unchanged. */
  capture(): Promise<RepositoryChange>;
  /** Removes the files of the last capture. */
  discard(): Promise<void>;
}

/** `target` is the path of the files without their extensions. */
export function createChangeFiles(
  gitScratch: GitScratch,
  { snapshot, directory, target }: { snapshot: Snapshot; directory: string; target: string },
): ChangeFiles {
  const { files, ids } = gitScratch.ports;
  let lastPaths: readonly string[] = [];
  return {
    async capture() {
      const staged = `${target}.capture-${ids.uuid()}`;
      try {
        const change = await captureChange(gitScratch, snapshot, directory, staged);
        const final = renamePaths(change, (path) => `${target}${path.slice(staged.length)}`);
        const paths = listPaths(final);
        for (const [at, path] of listPaths(change).entries()) await replacePath(files, path, paths[at] as string);
        for (const path of lastPaths) if (!paths.includes(path)) await files.remove(path, { recursive: true });
        lastPaths = paths;
        return final;
      } catch (thrown) {
        await removeStagedFiles(files, staged);
        throw thrown;
      }
    },
    async discard() {
      for (const path of lastPaths) await files.remove(path, { recursive: true });
      lastPaths = [];
    },
  };
}

function listPaths({ patch, nestedPatches, newRepositories }: RepositoryChange): string[] {
  return [
    ...(patch ? [patch] : []),
    ...nestedPatches.map((inner) => inner.patch),
    ...newRepositories.map(({ keptPath }) => keptPath),
  ];
}

function renamePaths(
  { patch, nestedPatches, newRepositories }: RepositoryChange,
  rename: (path: string) => string,
): RepositoryChange {
  return {
    patch: patch && rename(patch),
    nestedPatches: nestedPatches.map((inner) => ({ ...inner, patch: rename(inner.patch) })),
    newRepositories: newRepositories.map((repository) => ({ ...repository, keptPath: rename(repository.keptPath) })),
  };
}

/** rename(2) fails when the target is a folder that is not empty. */
async function replacePath(files: Files, from: string, to: string): Promise<void> {
  if ((await files.info(to))?.kind !== 'directory') return files.rename(from, to);
  const old = `${from}.old`;
  await files.rename(to, old);
  await files.rename(from, to);
  await files.remove(old, { recursive: true });
}

async function removeStagedFiles(files: Files, staged: string): Promise<void> {
  const slash = staged.lastIndexOf('/');
  const folder = staged.slice(0, slash);
  for (const { name } of await files.list(folder).catch(() => [])) {
    if (!name.startsWith(staged.slice(slash + 1))) continue;
    await files.remove(`${folder}/${name}`, { recursive: true }).catch(() => {});
  }
}
