// Decides which paths of the file system are writable, read-only or hidden in the sandbox. Reads the file system, changes nothing.
import { dirname, join } from 'node:path';
import { Fault } from '../base/index.ts';
import type { FileKind, Files } from '../contracts/index.ts';
import { isInside } from '../support/path-checks.ts';
import { findSecrets } from './find-secrets.ts';
import { protectRepository } from './git-directory.ts';
import { isPlaceholder, type Placeholder } from './placeholders.ts';
import { PROTECTED_HOME_NAMES, PROTECTED_NAMES } from './protected-names.ts';
import type { SandboxOptions } from './sandbox-options.ts';

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

export interface MountPlan {
  /** Real paths. */
  readonly mounts: ReadonlyMap<string, MountKind>;
  readonly placeholders: readonly Placeholder[];
  readonly writableRoots: readonly string[];
}

type PlanOptions = Pick<
  SandboxOptions,
  'mode' | 'cwd' | 'writableRoots' | 'deniedReads' | 'home' | 'agentDirectory'
> & {
  readonly network: SandboxOptions['network'];
  readonly ports: Pick<SandboxOptions['ports'], 'files' | 'toolEnv'>;
};

export async function planMounts(options: PlanOptions): Promise<MountPlan> {
  const { files } = options.ports;
  const roots = options.mode === 'workspace-write' ? await findWritableRoots(options) : [];
  const planner = new Planner(files, roots);
  for (const root of roots) planner.mounts.set(root, 'writable');
  const home = await files.realPath(options.home);
  if (roots.length > 0) {
    const paths = [
      ...roots.flatMap((root) => PROTECTED_NAMES.map((name) => join(root, name))),
      ...PROTECTED_HOME_NAMES.map((name) => join(home, name)),
    ];
    for (const path of new Set(paths)) await planner.protect(path);
    for (const root of roots) await protectRepository(planner, root);
  }
  for (const [path, kind] of await findSecrets(options, home)) {
    if (!roots.includes(path)) planner.mounts.set(path, kind);
  }
  return { mounts: planner.mounts, placeholders: planner.placeholders, writableRoots: roots };
}

async function findWritableRoots({ cwd, writableRoots, ports: { files } }: PlanOptions): Promise<string[]> {
  const roots = new Set<string>();
  for (const path of [cwd, ...writableRoots]) {
    const root = await files.realPath(path);
    const isSystem = ['/', '/proc', '/sys', '/dev'].includes(root) || isInside('/proc', root) || isInside('/sys', root);
    if (isSystem) {
      const remedy = 'Start Parley in another directory, correct sandbox.writableRoots, or use --sandbox off.';
      throw new Fault('refused', `The sandbox cannot protect anything when ${root} is writable. ${remedy}`);
    }
    if ((await files.info(root))?.kind === 'directory') roots.add(root);
  }
  return [...roots];
}

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
