// Reads and writes text files in the directory next to the session log.
import { getSystemErrorCode } from '../../base/index.ts';
import type { Files, SidecarFiles } from '../../contracts/index.ts';
import type { ArtifactStore } from './artifact-store.ts';

/** Without a log file all texts stay in memory. */
export function createSidecarFiles(files: Files, logFile: string | undefined, artifacts: ArtifactStore): SidecarFiles {
  const cache = new Map<string, string>();
  return {
    async read(name) {
      const text = cache.get(name);
      if (text !== undefined || logFile === undefined) return text;
      try {
        return new TextDecoder().decode(await files.read(`${logFile.replace(/\.jsonl$/, '')}/${name}`));
      } catch (thrown) {
        if (getSystemErrorCode(thrown) === 'ENOENT') return undefined;
        throw thrown;
      }
    },
    async write(name, text) {
      const path = logFile === undefined ? undefined : `${await artifacts.ensureDirectory()}/${name}`;
      if (path !== undefined) await files.replace(path, new TextEncoder().encode(text), { mode: 0o600 });
      cache.set(name, text);
      return path;
    },
  };
}
