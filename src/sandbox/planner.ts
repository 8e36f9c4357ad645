// Collects the mounts of a sandbox: which paths are writable, protected or hidden.
import { dirname, join } from 'node:path';
import { Fault } from '../base/index.ts';
import type { FileKind, Files } from '../contracts/index.ts';
import { isInside } from '../support/path-checks.ts';
import { isPlaceholder, type Placeholder } from './placeholders.ts';

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
  readonly placeholders: Placeholder[] = [];
  readonly files: Files;
  readonly #roots: readonly string[];
  readonly #lists = new Map<string, Promise<ReadonlyMap<string, FileKind>>>();

  constructor(files: Files, roots: readonly string[]) {
    this.files = files;
    this.#roots = roots;
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

  /** Makes the path read-only if it is in a writable directory. A missing path cannot be created. */
  async protect(path: string, content?: string): Promise<void> {
    const root = this.findRoot(path);
    if (root === undefined || this.#roots.includes(path)) return;
    let parent = root;
    for (const name of path.slice(root.length + 1).split('/')) {
      const current = join(parent, name);
      const kind = (await this.list(parent)).get(name);
      if (kind === 'link') throw createLinkFault(current);
      const placeholder = { path: current, content: current === path ? content : undefined };
      if (kind === undefined || (await isPlaceholder(this.files, placeholder)))
        return this.#addPlaceholder(placeholder);
      if (current === path) this.mounts.set(path, 'read-only');
      else if (kind !== 'directory') return void this.mounts.set(current, 'read-only');
      else if (!this.mounts.has(current)) this.mounts.set(current, 'mount-point');
      parent = current;
    }
  }

  #addPlaceholder(placeholder: Placeholder): void {
    const { path, content } = placeholder;
    if (this.mounts.has(path)) return;
    this.placeholders.push(placeholder);
    this.mounts.set(path, content === undefined ? 'placeholder' : 'read-only');
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
