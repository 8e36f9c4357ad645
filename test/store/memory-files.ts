// Files in memory for tests that need thousands of files. Implements the operations that the jsonl store uses.
import type { FileInfo, Files, OpenFile } from '../../src/contracts/ports.ts';

export interface MemoryFiles extends Files {
  readonly contents: Map<string, Buffer>;
}

/** All files have the same modification time. */
export function createMemoryFiles(modifiedMs = 0): MemoryFiles {
  const contents = new Map<string, Buffer>();
  const getContent = (path: string) => contents.get(path) ?? throwError('ENOENT', path);

  /** Each content buffer gets its own version tag. */
  const versionTags = new WeakMap<Buffer, string>();
  let tagCount = 0;
  const getVersionTag = (content: Buffer) => {
    if (!versionTags.has(content)) {
      tagCount += 1;
      versionTags.set(content, String(tagCount));
    }
    return versionTags.get(content) ?? '';
  };

  const createOpenFile = (path: string): OpenFile => ({
    size: async () => getContent(path).length,
    version: async () => ({
      size: getContent(path).length,
      versionTag: getVersionTag(getContent(path)),
      changedMs: modifiedMs,
    }),
    readSync: (position, length) => getContent(path).subarray(position, position + length),
    read: async (position, length) => getContent(path).subarray(position, position + length),
    append: async (bytes) => {
      contents.set(path, Buffer.concat([getContent(path), bytes]));
      return bytes.length;
    },
    sync: async () => {},
    truncate: async (length) => void contents.set(path, getContent(path).subarray(0, length)),
    restrictToOwner: async () => {},
    close: async () => {},
  });
  const info = async (path: string): Promise<FileInfo | undefined> => {
    const size = contents.get(path)?.length;
    return size === undefined ? undefined : { kind: 'file', size, modifiedMs, mode: 0o600 };
  };
  const operations = {
    contents,
    info,
    realPath: async (path: string) => path,
    read: async (path: string) => getContent(path),
    rename: async (from: string, to: string) => {
      contents.set(to, getContent(from));
      contents.delete(from);
    },
    remove: async (path: string) => {
      getContent(path);
      contents.delete(path);
    },
    open: async (path: string, purpose: 'read' | 'append' | 'create') => {
      if (purpose === 'create' && contents.has(path)) throwError('EEXIST', path);
      if (purpose === 'read') getContent(path);
      else if (!contents.has(path)) contents.set(path, Buffer.alloc(0));
      return createOpenFile(path);
    },
    makeDirectory: async () => {},
  };
  return operations as unknown as MemoryFiles;
}

function throwError(code: string, path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code });
}
