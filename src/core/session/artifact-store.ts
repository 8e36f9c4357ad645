// Stores tool outputs that are too long for the conversation: next to the session file, or in a temporary directory.
import type { Artifacts, FileKind, Files, SessionDirectory } from '../../contracts/index.ts';

export interface ArtifactStore extends Artifacts {
  /** Returns the directory and creates it if it is missing. */
  ensureDirectory(): Promise<string>;
  /** `undefined` when the session has no file and nothing was stored. */
  findDirectory(): Promise<string | undefined>;
  /** Keeps the directory when the session closes. */
  retain(): void;
  /** Removes the temporary directory of a session without a file, unless `retain` was called. */
  close(): Promise<void>;
}

export function createArtifactStore(files: Files, ownDirectory: SessionDirectory | undefined): ArtifactStore {
  let directory: Promise<string> | undefined;
  let next: Promise<number> | undefined;
  let isRetained = false;

  const createDirectory = async (): Promise<string> => {
    if (!ownDirectory) return files.makeTemporaryDirectory('parley-artifacts-');
    const { path } = ownDirectory;
    await ownDirectory.restore?.();
    await files.makeDirectory(path, { mode: 0o700 });
    return path;
  };
  const ensureDirectory = (): Promise<string> => {
    // After a failure, for example on a full disk, the next call tries again.
    directory ??= createDirectory().catch((thrown: unknown) => {
      directory = undefined;
      throw thrown;
    });
    return directory;
  };
  const findDirectory = async () => {
    await ownDirectory?.restore?.();
    return directory ?? ownDirectory?.path;
  };
  const list = async (path: string, isWanted: (kind: FileKind) => boolean) =>
    (await files.list(path)).filter(({ kind }) => isWanted(kind)).map(({ name }) => name);

  return {
    async reserve(toolName) {
      const path = await ensureDirectory();
      // Continues the numbers of an earlier process. Chained promises, so that parallel calls get different numbers.
      const claimed = next ?? list(path, () => true).then(findNextNumber);
      const following = claimed.then((n) => n + 1);
      next = following;
      // After a failure the next call lists the directory again.
      following.catch(() => {
        if (next === following) next = undefined;
      });
      const id = String(await claimed);
      return { id, path: `${path}/${id}.${toolName.replace(/[^\w-]/g, '_')}.log` };
    },
    async find(id) {
      if (!/^\d+$/.test(id)) return undefined;
      const path = await findDirectory();
      if (path === undefined) return undefined;
      // Not links: they may lead to any file.
      const names = await list(path, (kind) => kind === 'file').catch(() => []);
      const name = names.find((candidate) => candidate.startsWith(`${id}.`));
      return name && `${path}/${name}`;
    },
    ensureDirectory,
    findDirectory,
    retain() {
      isRetained = true;
    },
    async close() {
      if (directory && !ownDirectory && !isRetained) await files.remove(await directory, { recursive: true });
    },
  };
}

function findNextNumber(names: readonly string[]): number {
  const taken = names.map((name) => Number.parseInt(name, 10)).filter((n) => Number.isInteger(n));
  return taken.length === 0 ? 0 : Math.max(...taken) + 1;
}
