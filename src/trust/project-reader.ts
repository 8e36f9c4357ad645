// Reads configuration of a trusted project. Refuses links to files outside the project, and files that differ from the trusted ones.
import { dirname, join } from 'node:path';
import { Fault } from '../base/index.ts';
import type { FileInfo, ResourceLocator } from '../contracts/index.ts';
import { isInside, resolveInside } from '../support/path-checks.ts';
import { findImports } from './find-imports.ts';
import { ChecksumWalk, computeChecksum, type Inventory, type InventoryFiles } from './inventory.ts';
import { findSharedSkillFolders, listConfigRoots } from './search-paths.ts';

export interface ProjectReaderOptions {
  readonly files: InventoryFiles;
  readonly cwd: string;
  /** The user's Parley directory, which may be inside the project. */
  readonly agentDirectory: string;
  readonly home: string;
  /** The files that were trusted. Absent when the project is trusted for this run regardless of its content. */
  readonly inventory?: Inventory | undefined;
  /** Called with one sentence for each file that is not used. */
  report(sentence: string): void;
}

export type ProjectReader = ResourceLocator['reader'] & Pick<ResourceLocator, 'verifyCode'>;

const TRUST_REMEDY = 'Run `parley trust` to accept the change.';

export function createProjectReader(options: ProjectReaderOptions): ProjectReader {
  const { files } = options;
  const policy = new ReadPolicy(options);
  return {
    list: (path) => files.list(path),
    async info(path, infoOptions): Promise<FileInfo | undefined> {
      const info = await files.info(path, infoOptions);
      if (info?.kind !== 'file' && info?.kind !== 'link') return info;
      const checked = await policy.check(path);
      if (!('reason' in checked)) return info;
      options.report(`${path} is not used: ${checked.reason}`);
      return undefined;
    },
    async read(path, range) {
      const checked = await policy.check(path);
      if ('reason' in checked) throw new Fault('refused', `${path} is not used: ${checked.reason}`);
      if (!checked.bytes) return files.read(checked.real, range);
      const { start = 0, length = Number.POSITIVE_INFINITY } = range ?? {};
      return checked.bytes.subarray(start, start + length);
    },
    verifyCode: (path) => policy.verifyCode(path),
  };
}

/** The path to read and, if it had to be hashed, the content; or the reason why the file is not used. */
type ReadCheck = { readonly real: string; readonly bytes?: Uint8Array } | { readonly reason: string };

class ReadPolicy {
  readonly #options: ProjectReaderOptions;
  #sharedFolders: Promise<readonly string[]> | undefined;

  constructor(options: ProjectReaderOptions) {
    this.#options = options;
  }

  async check(path: string): Promise<ReadCheck> {
    const { files, inventory } = this.#options;
    const root = await this.#findRoot(path);
    if (root === undefined) return { real: path };
    const linkProblem = root.directory && (await findLinkOutside(files, root.directory, path));
    if (linkProblem) return { reason: linkProblem };
    const real = await files.realPath(path);
    if (!inventory) return { real };
    const bytes = await files.read(real);
    const reason = describeChange(inventory.files.get(real), computeChecksum(bytes));
    return reason ? { reason: `it ${reason}. ${TRUST_REMEDY}` } : { real, bytes };
  }

  /** Checks the whole folder that contains the file, because code may load other files of it, and all files that it imports. */
  async verifyCode(path: string): Promise<void> {
    const { files, inventory } = this.#options;
    if (!inventory || this.#isUserPath(path)) return;
    const roots = [...inventory.roots.keys()].filter((root) => root === path || isInside(root, path));
    // The file was named by a flag or by the user's settings.
    if (roots.length === 0 && !(await this.#findRoot(path))) return;
    const walk = new ChecksumWalk(files);
    for (const root of [...roots, ...inventory.imports]) {
      if ((await walk.checksum(root)) !== inventory.roots.get(root))
        throw createChangedFault(path, root, walk, inventory);
    }
    for (const file of await findImports(files, [path])) {
      const trustedChecksum = inventory.files.get(await files.realPath(file));
      if (trustedChecksum === undefined)
        throw createRefusedFault(path, `${file} was not there when the project was trusted`);
    }
  }

  /** `undefined` when the path does not belong to the project. A link must not lead out of `directory`. */
  async #findRoot(path: string): Promise<{ directory?: string } | undefined> {
    const { cwd, inventory } = this.#options;
    const isBelow = (root: string) => path === root || isInside(root, path);
    if (this.#isUserPath(path)) return undefined;
    if (listConfigRoots(cwd).some(isBelow)) return { directory: cwd };
    this.#sharedFolders ??= findSharedSkillFolders(this.#options.files, cwd);
    const shared = (await this.#sharedFolders).find(isBelow);
    if (shared) return { directory: dirname(dirname(shared)) };
    if (![...(inventory?.roots.keys() ?? [])].some(isBelow)) return undefined;
    return isInside(cwd, path) ? { directory: cwd } : {};
  }

  /** If the home directory is the project, the user's own files in it do not belong to the project. */
  #isUserPath(path: string): boolean {
    const { agentDirectory, home } = this.#options;
    return isInside(agentDirectory, path) || isInside(join(home, '.agents/skills'), path);
  }
}

/** Describes the link, which may be a parent folder of the file. */
async function findLinkOutside(files: InventoryFiles, directory: string, path: string): Promise<string | undefined> {
  if ((await resolveInside(files, directory, path)) !== undefined) return undefined;
  let linkPath = path;
  while (
    isInside(directory, dirname(linkPath)) &&
    (await resolveInside(files, directory, dirname(linkPath))) === undefined
  ) {
    linkPath = dirname(linkPath);
  }
  return `${linkPath} is a link to ${await files.realPath(linkPath)}, outside ${directory}. Replace the link with a copy to use it.`;
}

function describeChange(trusted: string | undefined, now: string): string | undefined {
  if (trusted === now) return undefined;
  return trusted === undefined
    ? 'was not there when the project was trusted'
    : 'has changed since the project was trusted';
}

function createChangedFault(path: string, root: string, checksumWalk: ChecksumWalk, inventory: Inventory): Fault {
  for (const [file, checksum] of checksumWalk.files) {
    const reason = describeChange(inventory.files.get(file), checksum);
    if (reason) return createRefusedFault(path, `${file} ${reason}`);
  }
  return createRefusedFault(path, `${root} has changed since the project was trusted`);
}

function createRefusedFault(path: string, reason: string): Fault {
  return new Fault('refused', `${path} is not loaded: ${reason}. ${TRUST_REMEDY}`);
}
