// The store's file: whole blocks of lines or nothing. Must not know what a line says.
import type { Files, OpenFile } from '../contracts/ports.ts';

export interface BlockFile {
  /** Resolves when the block is on the disk. When it rejects, nothing of the block is in the file. */
  append(block: Uint8Array): Promise<void>;
  /** Never rejects: what was promised is on the disk already. */
  close(): Promise<void>;
}

/** A file that comes to be with its first block. */
export function newBlockFile(files: Files, directory: string, file: string): BlockFile {
  let held: OpenFile | undefined;
  /** Everything up to here is whole and synced. */
  let good = 0;
  /** Something beyond `good` may be in the file. */
  let torn = false;

  async function opened(): Promise<OpenFile> {
    if (held) return held;
    await files.makeDirectory(directory, { mode: 0o700 });
    held = await files.open(file, 'create', { mode: 0o600 });
    return held;
  }

  async function retreat(to: OpenFile): Promise<void> {
    if (!torn) return;
    await to.truncate(good);
    torn = false;
  }

  return {
    async append(block) {
      const target = await opened();
      // What could not be cut off when it failed must go before anything follows it.
      await retreat(target);
      torn = true;
      try {
        await writeWhole(target, block);
        await target.sync();
        if (good === 0) await syncName(files, directory);
      } catch (error) {
        await retreat(target).catch(() => {});
        throw error;
      }
      torn = false;
      good += block.length;
    },
    async close() {
      const target = held;
      if (!target) return;
      held = undefined;
      await retreat(target).catch(() => {});
      await target.close().catch(() => {});
      // Never got its first block: an empty file would only puzzle whoever lists the sessions.
      if (good === 0) await files.remove(file).catch(() => {});
    },
  };
}

/** The system may take a part of what it is given, most likely just before it takes no more. */
async function writeWhole(target: OpenFile, block: Uint8Array): Promise<void> {
  for (let rest = block; rest.length > 0; ) {
    const taken = await target.append(rest);
    if (taken <= 0) throw new Error('the system took no bytes');
    rest = rest.subarray(taken);
  }
}

/** A new file's name survives a power cut only with its directory. Best effort: not every system can sync a directory. */
async function syncName(files: Files, directory: string): Promise<void> {
  try {
    const folder = await files.open(directory, 'read');
    await folder.sync().finally(() => folder.close());
  } catch {
    // The file's own sync carries the name along on the file systems that matter.
  }
}
