// Checksums of the configuration and extensions of a project, by which a change is detected. Runs nothing, and reads only what is hashed.
import { createHash } from 'node:crypto';
import { basename, join, relative } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { Files } from '../../contracts/index.ts';
import { homeDirectory } from '../home.ts';
import { findImports } from './imports.ts';
import { findNamed } from './named-paths.ts';
import { findConfiguration, present } from './search-paths.ts';

export type Reading = Pick<Files, 'info' | 'list' | 'read' | 'resolve'>;

/** What was there at one moment. */
export interface Inventory {
  /** Over all roots: the same content gives the same digest. */
  readonly digest: string;
  /** The checksum of every file, by its path with all links resolved. */
  readonly files: ReadonlyMap<string, string>;
  /** The checksum of every file or folder that counts as a whole, by its absolute path. */
  readonly roots: ReadonlyMap<string, string>;
  /** Those of the roots that only an import of an extension leads to. */
  readonly imports: readonly string[];
}

/** Read by nobody here yet, or only through others; a change of these is a change of what was trusted all the same. */
const BESIDE = ['.mcp.json', '.env'];
/** A start of a trusted project reads all of it. What is larger cannot be trusted for good. */
const MOST_BYTES = 128 * 1024 * 1024;
const MOST_ENTRIES = 20_000;
const READ_STEP = 4 * 1024 * 1024;
const AT_ONCE = 16;

/** Folders of git's own with nothing but its data. Nothing below them is ever loaded, since it is not in any inventory. */
const GIT_DATA = new Set(['objects', 'refs', 'logs', 'lfs', 'modules', 'worktrees']);
/** Below `.git` only these can be loaded; the rest changes with every call of git. */
const LOADABLE = /\.([cm]?[jt]sx?|json|node|wasm|mdc?)$/i;

/** Throws a Fault when there is more than can be read at every start, or when something cannot be read. */
export async function takeInventory(files: Reading, cwd: string, home = homeDirectory()): Promise<Inventory> {
  const walk = new Walk(files);
  const named = await findNamed(files, cwd, home);
  const found = await findConfiguration(files, cwd);
  const beside = await present(
    files,
    cwd,
    BESIDE.map((name) => join(cwd, name)),
  );
  const paths = new Set([...[...found, ...beside].map((path) => join(cwd, path)), ...named.paths]);
  const roots = new Map<string, string>();
  for (const path of [...paths].sort()) roots.set(path, await walk.checksum(path));
  const imports: string[] = [];
  for (const path of await findImports(files, named.extensions)) {
    if (walk.files.has(await files.resolve(path))) continue;
    imports.push(path);
    roots.set(path, await walk.checksum(path));
  }
  const hash = createHash('sha256');
  for (const [path, checksum] of roots) hash.update(`${relative(cwd, path)}\0${checksum}\0`);
  return { digest: hash.digest('hex'), files: walk.files, roots, imports };
}

export async function digestOf(files: Reading, cwd: string): Promise<string> {
  return (await takeInventory(files, cwd)).digest;
}

export function checksumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

interface Spot {
  /** As it is reached. */
  readonly path: string;
  /** With all links resolved. */
  readonly real: string;
  readonly isBelowGit: boolean;
  /** Directories of this root that were looked into. A link that leads back to one of them ends there. */
  readonly seen: Set<string>;
}

/** Counts over all roots that it is asked for. */
export class Walk {
  /** By their path with all links resolved. */
  readonly files = new Map<string, string>();
  readonly #reading: Reading;
  #entries = 0;
  #bytes = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Of a file or of everything in a folder: names, kinds, where links lead, and content. */
  async checksum(path: string): Promise<string> {
    const info = await this.#reading.info(path, { follow: false });
    const spot = { path, real: await this.#reading.resolve(path), isBelowGit: false, seen: new Set<string>() };
    return this.#checksum(spot, info?.kind === 'link');
  }

  async #checksum(spot: Spot, isLink: boolean): Promise<string> {
    this.#count(spot.path, 1, 0);
    const info = await this.#reading.info(spot.real);
    const content = await this.#content(spot, info?.kind, info?.size ?? 0);
    // Behind a link, where it leads and what is there both count.
    return isLink ? checksumOf(Buffer.from(`link\0${spot.real}\0${content}`)) : content;
  }

  async #content(spot: Spot, kind: string | undefined, size: number): Promise<string> {
    if (kind === 'directory') return this.#folder(spot);
    if (kind === 'file') return this.#file(spot, size);
    return kind ?? 'nothing';
  }

  async #folder({ path, real, isBelowGit, seen }: Spot): Promise<string> {
    if (seen.has(real)) return `again ${real}`;
    seen.add(real);
    const isGit = isBelowGit || basename(real) === '.git';
    const entries = (await this.#reading.list(real))
      .filter(({ name, kind }) => !isGit || (kind === 'file' ? LOADABLE.test(name) : !GIT_DATA.has(name)))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    const checksums = new Map<string, string>();
    const take = async ({ name, kind }: { name: string; kind: string }) => {
      const whole = join(real, name);
      const inner = kind === 'link' ? await this.#reading.resolve(whole) : whole;
      const spot = { path: join(path, name), real: inner, isBelowGit: isGit, seen };
      checksums.set(name, await this.#checksum(spot, kind === 'link'));
    };
    const plain = entries.filter(({ kind }) => kind === 'file');
    for (let at = 0; at < plain.length; at += AT_ONCE) await Promise.all(plain.slice(at, at + AT_ONCE).map(take));
    // One after the other, so that which of two links to one folder is followed does not depend on chance.
    for (const entry of entries) if (entry.kind !== 'file') await take(entry);
    const hash = createHash('sha256');
    for (const { name, kind } of entries) hash.update(`${name}\0${kind}\0${checksums.get(name)}\0`);
    return hash.digest('hex');
  }

  async #file({ path, real }: Spot, size: number): Promise<string> {
    this.#count(path, 0, size);
    const hash = createHash('sha256');
    for (let start = 0; ; ) {
      const bytes = await this.#reading.read(real, { start, length: READ_STEP });
      hash.update(bytes);
      start += bytes.length;
      if (bytes.length < READ_STEP) break;
    }
    const checksum = hash.digest('hex');
    this.files.set(real, checksum);
    return checksum;
  }

  #count(path: string, entries: number, bytes: number): void {
    this.#entries += entries;
    this.#bytes += bytes;
    if (this.#entries > MOST_ENTRIES) throw tooMuch(`${MOST_ENTRIES} files and folders`, path);
    if (this.#bytes > MOST_BYTES) throw tooMuch(`${MOST_BYTES / 1024 / 1024} MB`, path);
  }
}

function tooMuch(limit: string, path: string): Fault {
  const remedy = 'Start with --trust to trust it for one run, or move what is large elsewhere.';
  return new Fault(
    'config',
    `The configuration and extensions of the project are more than ${limit} (reached at ${path}). ${remedy}`,
  );
}
