// Collects the mounts of a sandbox: which paths are writable, protected or hidden.
import { dirname, join } from 'node:path';
import { Fault } from '../base/index.ts';
import type { FileKind, Files } from '../contracts/index.ts';
import { isInside } from '../support/path-checks.ts';
import { GIT_PLACEHOLDER_NAME } from '../support/protected-paths.ts';
import { isPlaceholder, isPlaceholderFile, type Placeholder, type PlaceholderFile } from './placeholders.ts';

/** How a path appears in the sandbox. */
export type MountKind =
  /** The same files, writable. */
  | 'writable'
  /** A writable directory above a protected path. Linux allows to rename a directory that contains a mount point, but not a mount point. */
  | 'mount-point'
  | 'read-only'
  /** Visible, below a hidden directory. */
  | 'kept'
  | 'hidden-directory'
  | 'hidden-file'
  /** An empty read-only directory, in place of a protected name that does not exist. */
  | 'placeholder';

/** Collects the mounts. Directories are listed once. */
export class Planner {
  readonly mounts = new Map<string, MountKind>();
  /** By path. */
  readonly #placeholders = new Map<string, Placeholder & { readonly files: PlaceholderFile[] }>();
  readonly files: Files;
  readonly #roots: readonly string[];
  readonly #lists = new Map<string, Promise<ReadonlyMap<string, FileKind>>>();

  constructor(files: Files, roots: readonly string[]) {
    this.files = files;
    this.#roots = roots;
  }

  get placeholders(): readonly Placeholder[] {
    return [...this.#placeholders.values()];
  }

  list(directory: string): Promise<ReadonlyMap<string, FileKind>> {
    let entries = this.#lists.get(directory);
    if (!entries) {
      entries = this.files.list(directory).then((found) => new Map(found.map(({ name, kind }) => [name, kind])));
      this.#lists.set(directory, entries);
    }
    return entries;
  }

  /** The innermost writable directory that contains the path. */
  findRoot(path: string): string | undefined {
    return this.#roots.filter((root) => isInside(root, path)).sort((a, b) => b.length - a.length)[0];
  }

  /**
   * Makes the path read-only if it is in a writable directory. A missing path cannot be created: an empty directory stands for it, or a
   * file with `content`.
   */
  async protect(path: string, content?: string): Promise<void> {
    const root = this.findRoot(path);
    if (root === undefined || this.#roots.includes(path)) return;
    let parent = root;
    for (const name of path.slice(root.length + 1).split('/')) {
      const current = join(parent, name);
      const kind = (await this.list(parent)).get(name);
      if (kind === 'link') throw createLinkFault(current);
      const file = current === path && content !== undefined ? { path, content } : undefined;
      if (kind === undefined || (await this.#isPlaceholder(current, file))) return this.#addPlaceholder(current, file);
      if (current === path) this.mounts.set(path, 'read-only');
      else if (kind !== 'directory') return void this.mounts.set(current, 'read-only');
      else if (!this.mounts.has(current)) this.mounts.set(current, 'mount-point');
      parent = current;
    }
  }

  #isPlaceholder(path: string, file: PlaceholderFile | undefined): Promise<boolean> {
    return file ? isPlaceholderFile(this.files, file) : isPlaceholder(this.files, path);
  }

  #addPlaceholder(path: string, file: PlaceholderFile | undefined): void {
    if (this.mounts.has(path)) return;
    const directory = file ? join(dirname(path), GIT_PLACEHOLDER_NAME) : path;
    const placeholder = this.#placeholders.get(directory) ?? { path: directory, files: [] };
    this.#placeholders.set(directory, placeholder);
    this.mounts.set(directory, 'placeholder');
    if (!file) return;
    placeholder.files.push(file);
    this.mounts.set(path, 'read-only');
  }
}

/** Nothing can be mounted over a link, so a command could replace it. */
function createLinkFault(path: string): Fault {
  const remedy = `Replace the link by a directory or file, or use --sandbox off.`;
  return new Fault(
    'refused',
    `The sandbox cannot protect ${path}, because it is a symbolic link in ${dirname(path)}. ${remedy}`,
  );
}
