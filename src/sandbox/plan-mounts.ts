// Decides which paths of the file system are writable, read-only or hidden in the sandbox. Reads the file system, changes nothing.
import { join } from 'node:path';
import { Fault } from '../base/index.ts';
import { isInside } from '../support/path-checks.ts';
import { PROTECTED_HOME_NAMES, PROTECTED_NAMES } from '../support/protected-paths.ts';
import { findSecrets } from './find-secrets.ts';
import { protectRepository } from './git-directory.ts';
import type { Placeholder } from './placeholders.ts';
import { type MountKind, Planner } from './planner.ts';
import type { SandboxOptions } from './sandbox-options.ts';

export interface MountPlan {
  /** Real paths. */
  readonly mounts: ReadonlyMap<string, MountKind>;
  readonly placeholders: readonly Placeholder[];
  readonly writableRoots: readonly string[];
}

type PlanOptions = Pick<
  SandboxOptions,
  'mode' | 'cwd' | 'writableRoots' | 'deniedReads' | 'home' | 'agentDirectory' | 'programPaths'
> & {
  readonly network: SandboxOptions['network'];
  readonly ports: Pick<SandboxOptions['ports'], 'files' | 'toolEnv'>;
};

export async function planMounts(options: PlanOptions): Promise<MountPlan> {
  const { files } = options.ports;
  const [roots, home, cwd] = await Promise.all([
    findWritableRoots(options),
    files.realPath(options.home),
    files.realPath(options.cwd),
  ]);
  const planner = new Planner(files, roots);
  for (const root of roots) planner.mounts.set(root, 'writable');
  // Visible, even if it is in a directory that is replaced or hidden.
  if (roots.length === 0 && !isSystemDirectory(cwd)) planner.mounts.set(cwd, 'kept');
  const [secrets] = await Promise.all([findSecrets(options, home), protectNames(planner, roots, options, home)]);
  for (const [path, kind] of secrets) {
    if (!roots.includes(path)) planner.mounts.set(path, kind);
  }
  return { mounts: planner.mounts, placeholders: planner.placeholders, writableRoots: roots };
}

async function protectNames(
  planner: Planner,
  roots: readonly string[],
  { programPaths, ports: { files } }: PlanOptions,
  home: string,
): Promise<void> {
  if (roots.length === 0) return;
  const paths = [
    ...roots.flatMap((root) => PROTECTED_NAMES.map((name) => join(root, name))),
    ...PROTECTED_HOME_NAMES.map((name) => join(home, name)),
    ...(await Promise.all(programPaths.map((path) => files.realPath(path)))),
  ];
  for (const path of new Set(paths)) await planner.protect(path);
  for (const root of roots) await protectRepository(planner, root);
}

function isSystemDirectory(path: string): boolean {
  return ['/', '/proc', '/sys', '/dev'].includes(path) || isInside('/proc', path) || isInside('/sys', path);
}

async function findWritableRoots({ mode, cwd, writableRoots, ports: { files } }: PlanOptions): Promise<string[]> {
  if (mode === 'read-only') return [];
  const roots = new Set<string>();
  for (const path of [cwd, ...writableRoots]) {
    const root = await files.realPath(path);
    if (isSystemDirectory(root)) {
      const remedy = 'Start Parley in another directory, correct sandbox.writableRoots, or use --sandbox off.';
      throw new Fault('refused', `The sandbox cannot protect anything when ${root} is writable. ${remedy}`);
    }
    if ((await files.info(root))?.kind === 'directory') roots.add(root);
  }
  return [...roots];
}
