// Files whose operations wait for other files, which are loaded or prepared first.
import type { Files } from '../contracts/ports.ts';

/** `load` is called at every operation. The user id is that of `known`, because it cannot be awaited. */
export function forwardFiles(load: () => Promise<Files>, known?: Pick<Files, 'userId'>): Files {
  return {
    get userId() {
      return known?.userId;
    },
    info: async (path, options) => (await load()).info(path, options),
    realPath: async (path) => (await load()).realPath(path),
    list: async (directory) => (await load()).list(directory),
    read: async (path, range) => (await load()).read(path, range),
    write: async (path, bytes, options) => (await load()).write(path, bytes, options),
    replace: async (path, bytes, options) => (await load()).replace(path, bytes, options),
    rename: async (from, to) => (await load()).rename(from, to),
    makeDirectory: async (path, options) => (await load()).makeDirectory(path, options),
    makeTemporaryDirectory: async (prefix) => (await load()).makeTemporaryDirectory(prefix),
    remove: async (path, options) => (await load()).remove(path, options),
    open: async (path, purpose, options) => (await load()).open(path, purpose, options),
    withAccessCheck: (check, options) =>
      forwardFiles(async () => (await load()).withAccessCheck(check, options), known),
  };
}
