// The files in which the change of one task is kept: patches, and copies of new repositories. Each capture replaces the last one.
import type { Files } from '../../../contracts/index.ts';
import { type Change, captureChange } from './capture.ts';
import type { Snapshot, Workshop } from './snapshot.ts';

export interface KeptChange {
  /** Captures the working tree of the task. When it fails, the files of the last capture are as they were. */
  take(): Promise<Change>;
  /** Removes the files of the last capture. */
  discard(): Promise<void>;
}

/** `target` is the path of the files without their endings. */
export function createKeptChange(
  shop: Workshop,
  { snapshot, directory, target }: { snapshot: Snapshot; directory: string; target: string },
): KeptChange {
  const { files, ids } = shop.ports;
  let last: readonly string[] = [];
  return {
    async take() {
      const staged = `${target}.capture-${ids.uuid()}`;
      try {
        const change = await captureChange(shop, snapshot, directory, staged);
        const final = renamed(change, (path) => `${target}${path.slice(staged.length)}`);
        const paths = pathsOf(final);
        for (const [at, path] of pathsOf(change).entries()) await replace(files, path, paths[at] as string);
        for (const path of last) if (!paths.includes(path)) await files.remove(path, { recursive: true });
        last = paths;
        return final;
      } catch (thrown) {
        await removeStaged(files, staged);
        throw thrown;
      }
    },
    async discard() {
      for (const path of last) await files.remove(path, { recursive: true });
      last = [];
    },
  };
}

function pathsOf({ patch, nested, made }: Change): string[] {
  return [...(patch ? [patch] : []), ...nested.map((inner) => inner.patch), ...made.map(({ keptPath }) => keptPath)];
}

function renamed({ patch, nested, made }: Change, rename: (path: string) => string): Change {
  return {
    patch: patch && rename(patch),
    nested: nested.map((inner) => ({ ...inner, patch: rename(inner.patch) })),
    made: made.map((repository) => ({ ...repository, keptPath: rename(repository.keptPath) })),
  };
}

/** A folder cannot be renamed onto one that has something in it. */
async function replace(files: Files, from: string, to: string): Promise<void> {
  if ((await files.info(to))?.kind !== 'directory') return files.rename(from, to);
  const old = `${from}.old`;
  await files.rename(to, old);
  await files.rename(from, to);
  await files.remove(old, { recursive: true });
}

async function removeStaged(files: Files, staged: string): Promise<void> {
  const slash = staged.lastIndexOf('/');
  const folder = staged.slice(0, slash);
  for (const { name } of await files.list(folder).catch(() => [])) {
    if (!name.startsWith(staged.slice(slash + 1))) continue;
    await files.remove(`${folder}/${name}`, { recursive: true }).catch(() => {});
  }
}
