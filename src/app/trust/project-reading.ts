// Reads configuration of a trusted project. A file that is linked from outside the project, or differs from what was trusted, is not used.
import { dirname, join } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { FileInfo, Places } from '../../contracts/index.ts';
import { isInside, resolveInside } from '../../core/resources/own-files.ts';
import { findImports } from './imports.ts';
import { checksumOf, type Inventory, type Reading, Walk } from './inventory.ts';
import { ownRoots, sharedRoots } from './search-paths.ts';

export interface ProjectReadingOptions {
  readonly files: Reading;
  readonly cwd: string;
  /** The user's own directory, which may lie in the project. */
  readonly agentDirectory: string;
  readonly home: string;
  /** What was trusted; absent when the project is trusted for this run, whatever it holds. */
  readonly inventory?: Inventory | undefined;
  /** Gets one sentence for each file that is not used. */
  report(sentence: string): void;
}

export type ProjectReading = Places['reading'] & Pick<Places, 'verifyCode'>;

const REMEDY = 'Run `parley trust` if you know the change.';

export function createProjectReading(options: ProjectReadingOptions): ProjectReading {
  const { files } = options;
  const rules = new Rules(options);
  return {
    list: (path) => files.list(path),
    async info(path, how): Promise<FileInfo | undefined> {
      const info = await files.info(path, how);
      if (info?.kind !== 'file' && info?.kind !== 'link') return info;
      const verdict = await rules.judge(path);
      if (!('reason' in verdict)) return info;
      options.report(`${path} is not used: ${verdict.reason}`);
      return undefined;
    },
    async read(path, range) {
      const verdict = await rules.judge(path);
      if ('reason' in verdict) throw new Fault('refused', `${path} is not used: ${verdict.reason}`);
      if (!verdict.bytes) return files.read(verdict.real, range);
      const { start = 0, length = Number.POSITIVE_INFINITY } = range ?? {};
      return verdict.bytes.subarray(start, start + length);
    },
    verifyCode: (path) => rules.verifyCode(path),
  };
}

/** Where to read it, and what was read where it had to be hashed. */
type Verdict = { readonly real: string; readonly bytes?: Uint8Array } | { readonly reason: string };

class Rules {
  readonly #options: ProjectReadingOptions;
  #shared: Promise<readonly string[]> | undefined;

  constructor(options: ProjectReadingOptions) {
    this.#options = options;
  }

  async judge(path: string): Promise<Verdict> {
    const { files, inventory } = this.#options;
    const root = await this.#rootOf(path);
    if (root === undefined) return { real: path };
    const outside = root.directory && (await linkOut(files, root.directory, path));
    if (outside) return { reason: outside };
    const real = await files.resolve(path);
    if (!inventory) return { real };
    const bytes = await files.read(real);
    const reason = difference(inventory.files.get(real), checksumOf(bytes));
    return reason ? { reason: `it ${reason}. ${REMEDY}` } : { real, bytes };
  }

  /** The folder that it is found in as a whole, because code may load its neighbours; and everything that it imports. */
  async verifyCode(path: string): Promise<void> {
    const { files, inventory } = this.#options;
    if (!inventory || this.#isUsers(path)) return;
    const roots = [...inventory.roots.keys()].filter((root) => root === path || isInside(root, path));
    // Named by a flag or by the user's own settings.
    if (roots.length === 0 && !(await this.#rootOf(path))) return;
    const walk = new Walk(files);
    for (const root of [...roots, ...inventory.imports]) {
      if ((await walk.checksum(root)) !== inventory.roots.get(root)) throw changed(path, root, walk, inventory);
    }
    for (const file of await findImports(files, [path])) {
      const known = inventory.files.get(await files.resolve(file));
      if (known === undefined) throw refusal(path, `${file} was not there when the project was trusted`);
    }
  }

  /** `undefined` when it is not the project's. `directory` is what a link must not lead out of. */
  async #rootOf(path: string): Promise<{ directory?: string } | undefined> {
    const { cwd, inventory } = this.#options;
    const below = (root: string) => path === root || isInside(root, path);
    if (this.#isUsers(path)) return undefined;
    if (ownRoots(cwd).some(below)) return { directory: cwd };
    this.#shared ??= sharedRoots(this.#options.files, cwd);
    const shared = (await this.#shared).find(below);
    if (shared) return { directory: dirname(dirname(shared)) };
    if (![...(inventory?.roots.keys() ?? [])].some(below)) return undefined;
    return isInside(cwd, path) ? { directory: cwd } : {};
  }

  /** The home directory may itself be the project: what is the user's own stays it. */
  #isUsers(path: string): boolean {
    const { agentDirectory, home } = this.#options;
    return isInside(agentDirectory, path) || isInside(join(home, '.agents/skills'), path);
  }
}

/** Names the link, which may be a folder on the way to the file. */
async function linkOut(files: Reading, directory: string, path: string): Promise<string | undefined> {
  if ((await resolveInside(files, directory, path)) !== undefined) return undefined;
  let at = path;
  while (isInside(directory, dirname(at)) && (await resolveInside(files, directory, dirname(at))) === undefined) {
    at = dirname(at);
  }
  return `${at} is a link to ${await files.resolve(at)}, outside ${directory}. Put a copy in its place to use it.`;
}

function difference(trusted: string | undefined, now: string): string | undefined {
  if (trusted === now) return undefined;
  return trusted === undefined
    ? 'was not there when the project was trusted'
    : 'has changed since the project was trusted';
}

function changed(path: string, root: string, walk: Walk, inventory: Inventory): Fault {
  for (const [file, checksum] of walk.files) {
    const reason = difference(inventory.files.get(file), checksum);
    if (reason) return refusal(path, `${file} ${reason}`);
  }
  return refusal(path, `${root} has changed since the project was trusted`);
}

function refusal(path: string, reason: string): Fault {
  return new Fault('refused', `${path} is not loaded: ${reason}. ${REMEDY}`);
}
