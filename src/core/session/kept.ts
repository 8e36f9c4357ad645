// First floor, core: the texts that lie beside the log of one conversation. Knows nothing of what they say.
import { systemCode } from '../../base/index.ts';
import type { Files, Kept } from '../../contracts/index.ts';
import type { ArtifactShelf } from './artifacts.ts';

/** `file` is the log; without one everything stays in memory. */
export function createKept(files: Files, file: string | undefined, artifacts: ArtifactShelf): Kept {
  const known = new Map<string, string>();
  return {
    async read(name) {
      const text = known.get(name);
      if (text !== undefined || file === undefined) return text;
      try {
        return new TextDecoder().decode(await files.read(`${file.replace(/\.jsonl$/, '')}/${name}`));
      } catch (thrown) {
        if (systemCode(thrown) === 'ENOENT') return undefined;
        throw thrown;
      }
    },
    async write(name, text) {
      if (file !== undefined) {
        await files.replace(`${await artifacts.folder()}/${name}`, new TextEncoder().encode(text), { mode: 0o600 });
      }
      known.set(name, text);
    },
  };
}
