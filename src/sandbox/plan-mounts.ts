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
