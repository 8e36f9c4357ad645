// Computes checksums of the configuration and extensions of a project, to detect changes. Runs no code.
import { basename, join, relative } from 'node:path';
import { Fault } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';
import { createDigest } from '../support/digest.ts';
import { homeDirectory } from '../support/home-directory.ts';
import { findConfiguredPaths } from './configured-paths.ts';
import { findImports } from './find-imports.ts';
import { filterExisting, findProjectConfiguration } from './search-paths.ts';

export type InventoryFiles = Pick<Files, 'info' | 'list' | 'read' | 'realPath'>;

/** The state of a project at one point in time. */
export interface Inventory {
  /** Digest of all roots. Equal content gives an equal digest. */
  readonly digest: string;
  /** The checksum of every file, by its path with all links resolved. */
  readonly files: ReadonlyMap<string, string>;
  /** The checksum of every file or folder that is compared as a whole, by its absolute path. */
  readonly roots: ReadonlyMap<string, string>;
  /** Roots that are included only because an extension imports them. */
  readonly imports: readonly string[];
}

/** Only read by programs that Parley starts. A change of these files still requires a new decision. */
const EXTRA_FILES = ['.env'];
/** Every start in a trusted project reads all of these files. A project with more cannot be trusted permanently. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_ENTRIES = 20_000;
const READ_CHUNK_BYTES = 4 * 1024 * 1024;
const CONCURRENT_READS = 16;

/** Folders that contain only data of git. Files below them are never loaded, because they are in no inventory. */
const GIT_DATA = new Set(['objects', 'refs', 'logs', 'lfs', 'modules', 'worktrees']);
/** Below `.git` only these files are included. The others cannot be loaded, and change with every git command. */
const LOADABLE_FILE = /\.([cm]?[jt]sx?|json|node|wasm|mdc?)$/i;

/** Throws a Fault when there is too much data to be read at every start, or when a file cannot be read. */
export async function createInventory(files: InventoryFiles, cwd: string, home = homeDirectory()): Promise<Inventory> {
  const walk = new ChecksumWalk(files);
  const configured = await findConfiguredPaths(files, cwd, home);
  const found = await findProjectConfiguration(files, cwd);
  const extraFiles = await filterExisting(
    files,
    cwd,
    EXTRA_FILES.map((name) => join(cwd, name)),
  );
  const paths = new Set([...[...found, ...extraFiles].map((path) => join(cwd, path)), ...configured.paths]);
  const roots = new Map<string, string>();
  for (const path of [...paths].sort()) roots.set(path, await walk.checksum(path));
  const imports: string[] = [];
  for (const path of await findImports(files, configured.extensions)) {
    if (walk.files.has(await files.realPath(path))) continue;
    imports.push(path);
    roots.set(path, await walk.checksum(path));
  }
  const hash = createDigest();
  for (const [path, checksum] of roots) hash.update(`${relative(cwd, path)}\0${checksum}\0`);
  return { digest: hash.digest('hex'), files: walk.files, roots, imports };
}

export async function computeDigest(files: InventoryFiles, cwd: string): Promise<string> {
  return (await createInventory(files, cwd)).digest;
}

export function computeChecksum(bytes: Uint8Array): string {
  return createDigest().update(bytes).digest('hex');
}

interface WalkEntry {
  /** The path before links are resolved. */
  readonly path: string;
  /** With all links resolved. */
  readonly real: string;
  readonly isBelowGit: boolean;
  /** Directories of this root that were visited. A link to one of them is not followed again. */
  readonly visited: Set<string>;
}

/** Computes checksums of several roots. The limits apply to all roots together. */
export class ChecksumWalk {
  /** Checksums by path with all links resolved. */
  readonly files = new Map<string, string>();
  readonly #inputFiles: InventoryFiles;
  #entries = 0;
  #bytes = 0;

  constructor(inventoryFiles: InventoryFiles) {
    this.#inputFiles = inventoryFiles;
  }

  /** Covers a file, or everything in a folder: names, kinds, link targets and content. */
  async checksum(path: string): Promise<string> {
    const info = await this.#inputFiles.info(path, { follow: false });
    const walkEntry = {
      path,
      real: await this.#inputFiles.realPath(path),
      isBelowGit: false,
      visited: new Set<string>(),
    };
    return this.#checksumEntry(walkEntry, info?.kind === 'link');
  }

  async #checksumEntry(walkEntry: WalkEntry, isLink: boolean): Promise<string> {
    this.#addToTotals(walkEntry.path, 1, 0);
    const info = await this.#inputFiles.info(walkEntry.real);
    const content = await this.#checksumContent(walkEntry, info?.kind, info?.size ?? 0);
    // For a link, both its target path and the content of the target are included.
    return isLink ? computeChecksum(Buffer.from(`link\0${walkEntry.real}\0${content}`)) : content;
  }

  async #checksumContent(walkEntry: WalkEntry, kind: string | undefined, size: number): Promise<string> {
    if (kind === 'directory') return this.#checksumFolder(walkEntry);
    if (kind === 'file') return this.#checksumFile(walkEntry, size);
    return kind ?? 'nothing';
  }

  async #checksumFolder({ path, real, isBelowGit, visited }: WalkEntry): Promise<string> {
    if (visited.has(real)) return `again ${real}`;
    visited.add(real);
    const isGit = isBelowGit || basename(real) === '.git';
    const entries = (await this.#inputFiles.list(real))
      .filter(({ name, kind }) => !isGit || (kind === 'file' ? LOADABLE_FILE.test(name) : !GIT_DATA.has(name)))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const checksums = new Map<string, string>();
    const addChecksum = async ({ name, kind }: { name: string; kind: string }) => {
      const absolutePath = join(real, name);
      const realPath = kind === 'link' ? await this.#inputFiles.realPath(absolutePath) : absolutePath;
      const walkEntry = { path: join(path, name), real: realPath, isBelowGit: isGit, visited };
      checksums.set(name, await this.#checksumEntry(walkEntry, kind === 'link'));
    };
    const fileEntries = entries.filter(({ kind }) => kind === 'file');
    for (let at = 0; at < fileEntries.length; at += CONCURRENT_READS)
      await Promise.all(fileEntries.slice(at, at + CONCURRENT_READS).map(addChecksum));
    // Sequential, so that it is deterministic which of two links to the same folder is followed.
    for (const entry of entries) if (entry.kind !== 'file') await addChecksum(entry);
    const hash = createDigest();
    for (const { name, kind } of entries) hash.update(`${name}\0${kind}\0${checksums.get(name)}\0`);
    return hash.digest('hex');
  }

  async #checksumFile({ path, real }: WalkEntry, size: number): Promise<string> {
    this.#addToTotals(path, 0, size);
    const hash = createDigest();
    for (let start = 0; ; ) {
      const bytes = await this.#inputFiles.read(real, { start, length: READ_CHUNK_BYTES });
      hash.update(bytes);
      start += bytes.length;
      if (bytes.length < READ_CHUNK_BYTES) break;
    }
    const checksum = hash.digest('hex');
    this.files.set(real, checksum);
    return checksum;
  }

  #addToTotals(path: string, entries: number, bytes: number): void {
    this.#entries += entries;
    this.#bytes += bytes;
    if (this.#entries > MAX_ENTRIES) throw createTooLargeFault(`${MAX_ENTRIES} files and folders`, path);
    if (this.#bytes > MAX_BYTES) throw createTooLargeFault(`${MAX_BYTES / 1024 / 1024} MB`, path);
  }
}

function createTooLargeFault(limit: string, path: string): Fault {
  const remedy = 'Use --trust to trust it for one run, or move large files elsewhere.';
  return new Fault(
    'config',
    `The configuration and extensions of the project are more than ${limit} (reached at ${path}). ${remedy}`,
  );
}
