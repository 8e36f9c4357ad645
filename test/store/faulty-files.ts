// Real files with injected faults: the nth operation fails in a chosen way.
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { Files, OpenFile } from '../../src/contracts/ports.ts';

/**
 * - `fail`: an error, and nothing was done
 * - `late`: the operation was done, but an error is returned (like `fail` for an open)
 * - `torn`: a write is done partially and then fails; like `fail` for other operations
 * - `short`: a write is done partially and reports that; no error
 * - `crash`: like `torn`, and all later operations fail
 */
export type InjectedFault = 'fail' | 'late' | 'torn' | 'short' | 'crash';

export interface FaultyFiles extends Files {
  /** Number of calls per operation. */
  readonly counts: Record<string, number>;
  readonly total: number;
  /** Stops injecting faults. */
  stopFaults(): void;
  /** Closes files that faults left open. */
  closeLeakedFiles(): Promise<void>;
}

export function createFaultyFiles(plan: (operation: number, name: string) => InjectedFault | undefined): FaultyFiles {
  const real = createFiles();
  const counts: Record<string, number> = {};
  const opened = new Set<OpenFile>();
  let [operation, hasCrashed, hasStoppedFaults] = [0, false, false];

  /** `part` is the partial write. */
  async function attempt<T>(name: string, act: () => Promise<T>, part?: () => Promise<T>): Promise<T> {
    operation += 1;
    counts[name] = (counts[name] ?? 0) + 1;
    if (hasCrashed) throw createNoSpaceError(name);
    const fault = hasStoppedFaults ? undefined : plan(operation, name);
    if (fault === undefined || (fault === 'short' && !part)) return act();
    if (fault === 'short' && part) return part();
    if (fault === 'late' && !name.startsWith('open')) await act();
    else if (fault === 'torn' || fault === 'crash') await part?.();
    hasCrashed = fault === 'crash';
    throw createNoSpaceError(name);
  }

  const open: Files['open'] = async (path, purpose, options) => {
    const file = await attempt(`open ${purpose}`, () => real.open(path, purpose, options));
    opened.add(file);
    const wrapped: OpenFile = {
      size: () => attempt('size', () => file.size()),
      version: () => attempt('version', () => file.version()),
      readSync: (position, length) => file.readSync(position, length),
      read: (position, length) => attempt('read', () => file.read(position, length)),
      append: (bytes) =>
        attempt(
          'append',
          () => file.append(bytes),
          () => file.append(bytes.subarray(0, Math.ceil(bytes.length / 2))),
        ),
      sync: () => attempt(`sync ${purpose}`, () => file.sync()),
      truncate: (length) => attempt('truncate', () => file.truncate(length)),
      restrictToOwner: () => file.restrictToOwner(),
      close: () =>
        attempt('close', async () => {
          opened.delete(file);
          await file.close();
        }),
    };
    return wrapped;
  };
  return {
    ...real,
    open,
    info: (path, options) => attempt('info', () => real.info(path, options)),
    realPath: (path) => attempt('resolve', () => real.realPath(path)),
    list: (path) => attempt('list', () => real.list(path)),
    read: (path, range) => attempt('read file', () => real.read(path, range)),
    rename: (from, to) => attempt('rename', () => real.rename(from, to)),
    makeDirectory: (path, options) => attempt('makeDirectory', () => real.makeDirectory(path, options)),
    remove: (path, options) => attempt('remove', () => real.remove(path, options)),
    counts,
    get total() {
      return operation;
    },
    stopFaults() {
      hasStoppedFaults = true;
      hasCrashed = false;
    },
    async closeLeakedFiles() {
      await Promise.all([...opened].map((file) => file.close()));
    },
  };
}

function createNoSpaceError(name: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), { code: 'ENOSPC' });
}
