// Real files that fail on purpose: the nth thing asked of the system goes wrong in a chosen way.
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { Files, OpenFile } from '../../src/contracts/ports.ts';

/**
 * - `fail`: an error, and nothing was done
 * - `late`: it was done, and yet an error comes back (an open that failed gave nothing, so there it is as `fail`)
 * - `torn`: a write does a part and then fails; otherwise as `fail`
 * - `short`: a write does a part and says so; no error
 * - `crash`: as `torn`, and from then on nothing works any more
 */
export type Mishap = 'fail' | 'late' | 'torn' | 'short' | 'crash';

export interface FaultyFiles extends Files {
  /** How often each operation was asked for. */
  readonly counts: Record<string, number>;
  readonly total: number;
  /** From now on everything works. */
  heal(): void;
  /** Closes what mishaps left open. */
  release(): Promise<void>;
}

export function faultyFiles(plan: (operation: number, name: string) => Mishap | undefined): FaultyFiles {
  const real = createFiles();
  const counts: Record<string, number> = {};
  const opened = new Set<OpenFile>();
  let [operation, dead, healed] = [0, false, false];

  /** `part` is what a write that breaks off does instead of its whole. */
  async function attempt<T>(name: string, act: () => Promise<T>, part?: () => Promise<T>): Promise<T> {
    operation += 1;
    counts[name] = (counts[name] ?? 0) + 1;
    if (dead) throw noSpace(name);
    const mishap = healed ? undefined : plan(operation, name);
    if (mishap === undefined || (mishap === 'short' && !part)) return act();
    if (mishap === 'short' && part) return part();
    if (mishap === 'late' && !name.startsWith('open')) await act();
    else if (mishap === 'torn' || mishap === 'crash') await part?.();
    dead = mishap === 'crash';
    throw noSpace(name);
  }

  const open: Files['open'] = async (path, purpose, options) => {
    const file = await attempt(`open ${purpose}`, () => real.open(path, purpose, options));
    opened.add(file);
    const wrapped: OpenFile = {
      size: () => attempt('size', () => file.size()),
      version: () => attempt('version', () => file.version()),
      readNow: (position, length) => file.readNow(position, length),
      read: (position, length) => attempt('read', () => file.read(position, length)),
      append: (bytes) =>
        attempt(
          'append',
          () => file.append(bytes),
          () => file.append(bytes.subarray(0, Math.ceil(bytes.length / 2))),
        ),
      sync: () => attempt(`sync ${purpose}`, () => file.sync()),
      truncate: (length) => attempt('truncate', () => file.truncate(length)),
      protect: () => file.protect(),
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
    resolve: (path) => attempt('resolve', () => real.resolve(path)),
    list: (path) => attempt('list', () => real.list(path)),
    read: (path, range) => attempt('read file', () => real.read(path, range)),
    rename: (from, to) => attempt('rename', () => real.rename(from, to)),
    makeDirectory: (path, options) => attempt('makeDirectory', () => real.makeDirectory(path, options)),
    remove: (path, options) => attempt('remove', () => real.remove(path, options)),
    counts,
    get total() {
      return operation;
    },
    heal() {
      healed = true;
      dead = false;
    },
    async release() {
      await Promise.all([...opened].map((file) => file.close()));
    },
  };
}

function noSpace(name: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), { code: 'ENOSPC' });
}
