// First floor, core: the shelf for outputs that are too long to show. Beside the session file, or in a private folder.
import type { Artifacts, Files } from '../../contracts/index.ts';

export interface ArtifactShelf extends Artifacts {
  /** The directory itself, made when it is not there. */
  folder(): Promise<string>;
  /** The folder stays when the session ends. */
  keep(): void;
  /** Removes the private folder of a session that is not kept. */
  close(): Promise<void>;
}

export function createArtifactShelf(files: Files, sessionFile: string | undefined): ArtifactShelf {
  let directory: Promise<string> | undefined;
  let next: Promise<number> | undefined;
  let isKept = false;

  const open = (): Promise<string> => {
    directory ??= sessionFile
      ? (async () => {
          const path = sessionFile.replace(/\.jsonl$/, '');
          await files.makeDirectory(path, { mode: 0o700 });
          return path;
        })()
      : files.temporaryDirectory('parley-artifacts-');
    return directory;
  };
  const names = async (path: string) => (await files.list(path)).map((entry) => entry.name);

  return {
    async reserve(toolName) {
      const path = await open();
      // Numbers go on where an earlier process stopped; claimed one at a time.
      const mine = (next ?? names(path).then(firstFree)).then((n) => n);
      next = mine.then((n) => n + 1);
      const id = String(await mine);
      return { id, path: `${path}/${id}.${toolName.replace(/[^\w-]/g, '_')}.log` };
    },
    async find(id) {
      if (!/^\d+$/.test(id)) return undefined;
      if (!directory && !sessionFile) return undefined;
      const path = await (directory ?? Promise.resolve((sessionFile as string).replace(/\.jsonl$/, '')));
      const found = await names(path).catch(() => []);
      const name = found.find((candidate) => candidate.startsWith(`${id}.`));
      return name && `${path}/${name}`;
    },
    folder: open,
    keep() {
      isKept = true;
    },
    async close() {
      if (directory && !sessionFile && !isKept) await files.remove(await directory, { recursive: true });
    },
  };
}

function firstFree(names: readonly string[]): number {
  const taken = names.map((name) => Number.parseInt(name, 10)).filter((n) => Number.isInteger(n));
  return taken.length === 0 ? 0 : Math.max(...taken) + 1;
}
