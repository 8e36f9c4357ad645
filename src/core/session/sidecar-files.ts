// Reads and writes text files in the directory next to the session log.
import { getSystemErrorCode } from '../../base/index.ts';
import type { Files, SessionDirectory, SidecarFiles } from '../../contracts/index.ts';
import type { ArtifactStore } from './artifact-store.ts';

/** Without a log file all texts stay in memory. */
export function createSidecarFiles(
  files: Files,
  directory: SessionDirectory | undefined,
  artifacts: ArtifactStore,
): SidecarFiles {
  const cache = new Map<string, string>();
  return {
    async read(name) {
      const text = cache.get(name);
      if (text !== undefined || directory === undefined) return text;
      try {
        return new TextDecoder().decode(await files.read(`${await artifacts.findDirectory()}/${name}`));
      } catch (thrown) {
        if (getSystemErrorCode(thrown) === 'ENOENT') return undefined;
        throw thrown;
      }
    },
    async write(name, text) {
      const path = directory === undefined ? undefined : `${await artifacts.ensureDirectory()}/${name}`;
      if (path !== undefined) await files.replace(path, new TextEncoder().encode(text), { mode: 0o600 });
      await directory?.save?.();
      cache.set(name, text);
      return path;
    },
  };
}
