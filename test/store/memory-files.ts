// Files in memory, for tests that need thousands of them: the part of the port that the jsonl store uses.
import type { FileInfo, Files, OpenFile } from '../../src/contracts/ports.ts';

export interface MemoryFiles extends Files {
  readonly contents: Map<string, Buffer>;
}

/** Everything in them was written at one moment. */
export function memoryFiles(modifiedMs = 0): MemoryFiles {
  const contents = new Map<string, Buffer>();
  const there = (path: string) => contents.get(path) ?? failed('ENOENT', path);

  /** Every content is an object of its own. */
  const marks = new WeakMap<Buffer, string>();
  let made = 0;
  const markOf = (content: Buffer) => {
    if (!marks.has(content)) {
      made += 1;
      marks.set(content, String(made));
    }
    return marks.get(content) ?? '';
  };

  const held = (path: string): OpenFile => ({
    size: async () => there(path).length,
    version: async () => ({ size: there(path).length, mark: markOf(there(path)), changedMs: modifiedMs }),
    readNow: (position, length) => there(path).subarray(position, position + length),
    read: async (position, length) => there(path).subarray(position, position + length),
    append: async (bytes) => {
      contents.set(path, Buffer.concat([there(path), bytes]));
      return bytes.length;
    },
    sync: async () => {},
    truncate: async (length) => void contents.set(path, there(path).subarray(0, length)),
    protect: async () => {},
    close: async () => {},
  });
  const info = async (path: string): Promise<FileInfo | undefined> => {
    const size = contents.get(path)?.length;
    return size === undefined ? undefined : { kind: 'file', size, modifiedMs, mode: 0o600 };
  };
  const used = {
    contents,
    info,
    resolve: async (path: string) => path,
    read: async (path: string) => there(path),
    rename: async (from: string, to: string) => {
      contents.set(to, there(from));
      contents.delete(from);
    },
    remove: async (path: string) => {
      there(path);
      contents.delete(path);
    },
    open: async (path: string, purpose: 'read' | 'append' | 'create') => {
      if (purpose === 'create' && contents.has(path)) failed('EEXIST', path);
      if (purpose === 'read') there(path);
      else if (!contents.has(path)) contents.set(path, Buffer.alloc(0));
      return held(path);
    },
    makeDirectory: async () => {},
  };
  return used as unknown as MemoryFiles;
}

function failed(code: string, path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code });
}
