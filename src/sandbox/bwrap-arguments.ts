// Builds the arguments of bubblewrap from a mount plan. A pure function.
import { isInside } from '../support/path-checks.ts';
import { INFO_DESCRIPTOR } from './namespace-end.ts';
import type { MountPlan } from './plan-mounts.ts';
import type { MountKind } from './planner.ts';

export interface BwrapRequest {
  readonly plan: Pick<MountPlan, 'mounts'>;
  readonly directories: PrivateDirectories;
  readonly hasNetwork: boolean;
  /** bubblewrap 0.8 and newer, when it is not installed setuid. */
  readonly canDisableUserNamespaces: boolean;
  /** The socket of the proxy and its path inside. */
  readonly socket?: { readonly outside: string; readonly inside: string } | undefined;
  /** A program that is visible at its path, also in a hidden directory. */
  readonly runtime?: string | undefined;
  readonly cwd: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Parts of the private directory of a session. */
export interface PrivateDirectories {
  /** `/tmp` inside. */
  readonly temporary: string;
  readonly emptyFile: string;
}

const REPLACED_DIRECTORIES = ['/tmp', '/dev', '/proc'];

/**
 * New namespaces for everything. The user namespace is created for root, too: root then has no capability, and no right that depends
 * on one. `--new-session` separates the command from a terminal.
 */
export function buildNamespaceArguments({
  hasNetwork,
  canDisableUserNamespaces,
}: Pick<BwrapRequest, 'hasNetwork' | 'canDisableUserNamespaces'>): string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...(canDisableUserNamespaces ? ['--disable-userns'] : []),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
  ];
}

export function buildBwrapArguments(request: BwrapRequest): string[] {
  const { plan, directories, cwd, command, args } = request;
  const mounts = selectMounts(plan.mounts);
  const hidden = mounts.filter(([, kind]) => kind === 'hidden-directory').map(([path]) => path);
  return [
    ...buildNamespaceArguments(request),
    ...['--bind', directories.temporary, '/tmp'],
    ...mounts.flatMap(([path, kind]) => buildMount(path, kind, directories)),
    ...(request.runtime === undefined ? [] : ['--ro-bind', request.runtime, request.runtime]),
    // Last, because mount points inside them have to be created first.
    ...hidden.flatMap((path) => ['--remount-ro', path]),
    ...(request.socket ? ['--bind', request.socket.outside, request.socket.inside] : []),
    ...['--info-fd', String(INFO_DESCRIPTOR), '--chdir', cwd, '--', command, ...args],
  ];
}

/**
 * Outer paths first, because a mount hides what was mounted below it. Inside hidden directories only what must be visible. Placeholders
 * last: they contain no mounts, and bubblewrap reads the list of mounts for each of the others.
 */
function selectMounts(mounts: ReadonlyMap<string, MountKind>): [string, MountKind][] {
  const sorted = [...mounts].sort(([a], [b]) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  const selected = sorted.filter(([path, kind]) => {
    if (kind === 'writable' || kind === 'kept') return true;
    const [parent, parentKind] = sorted.findLast(([other]) => isInside(other, path)) ?? ['/'];
    if (parentKind === 'hidden-directory') return false;
    // Replaced as a whole: it has no such file, unless a writable directory was mounted below it.
    return !REPLACED_DIRECTORIES.some((directory) => isInside(directory, path) && !isInside(directory, parent));
  });
  const isPlaceholder = ([, kind]: [string, MountKind]) => kind === 'placeholder';
  return [...selected.filter((mount) => !isPlaceholder(mount)), ...selected.filter(isPlaceholder)];
}

function buildMount(path: string, kind: MountKind, { emptyFile }: PrivateDirectories): string[] {
  switch (kind) {
    case 'writable':
    case 'mount-point':
      return ['--bind', path, path];
    case 'read-only':
    case 'kept':
      return ['--ro-bind', path, path];
    case 'placeholder':
      // Not a read-only mount, which takes ten times as long: what is written there is gone after the command.
      return ['--perms', '0555', '--tmpfs', path];
    case 'hidden-file':
      return ['--ro-bind', emptyFile, path];
    case 'hidden-directory':
      return ['--tmpfs', path];
  }
}
