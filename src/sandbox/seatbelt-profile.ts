// Writes the profile for sandbox-exec of macOS from a mount plan. A pure function. The last rule that matches decides.
import { dirname } from 'node:path';
import { isInside } from '../support/path-checks.ts';
import type { MountKind } from './planner.ts';

export interface SeatbeltRequest {
  /** Real paths, as for bubblewrap. */
  readonly mounts: ReadonlyMap<string, MountKind>;
  /** Writable, and private to the session. */
  readonly temporary: string;
  /** `port`: of the proxy, the only one that may be connected to. */
  readonly network: 'off' | 'on' | { readonly port: number };
}

export interface SeatbeltProfile {
  readonly text: string;
  /** Values for `(param "NAME")`. Paths that are allowed are never part of the text, so they need no quoting. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Everything is denied that is not listed. Not listed on purpose: the keychain, the launch services and launchd, which start programs
 * outside the sandbox, Apple events, the pasteboard, preferences, and hard links, which give a protected file another path.
 */
const BASE = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* signal (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow ipc-posix-shm-read* (ipc-posix-name "apple.shm.notification_center"))
(allow file-read* file-map-executable)
(allow file-write-data file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))
(allow file-write-data (literal "/dev/stdout") (literal "/dev/stderr") (subpath "/dev/fd"))
(allow pseudo-tty)
(allow file-write-data file-ioctl (literal "/dev/ptmx"))
(allow file-write-data file-ioctl (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))`;

/** Users and groups, log, notifications, names of temporary directories, changes of files. */
const MACH_SERVICES = [
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
  'com.apple.system.logger',
  'com.apple.logd',
  'com.apple.system.notification_center',
  'com.apple.bsd.dirhelper',
  'com.apple.FSEvents',
];
/** Names of hosts and certificates. They connect to hosts themselves, so an allow-list must not include them. */
const NETWORK_MACH_SERVICES = [
  'com.apple.SystemConfiguration.configd',
  'com.apple.SystemConfiguration.DNSConfiguration',
  'com.apple.dnssd.service',
  'com.apple.networkd',
  'com.apple.trustd',
  'com.apple.trustd.agent',
];
/** In the hidden directory of sockets, but needed to resolve names. */
const RESOLVER_SOCKET = '/private/var/run/mDNSResponder';
const RESOLVER_FILE = '/private/var/run/resolv.conf';

export function buildSeatbeltProfile({ mounts, temporary, network }: SeatbeltRequest): SeatbeltProfile {
  const parameters = new Map<string, string>();
  const param = (path: string) => {
    const name = `PATH_${parameters.size}`;
    parameters.set(name, path);
    return `(param "${name}")`;
  };
  const sorted = [...mounts, [temporary, 'writable'] as const].sort(
    ([a], [b]) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1),
  );
  const lines = [
    BASE,
    lookUp(MACH_SERVICES),
    ...buildNetworkRules(network),
    // Outer paths first, so that the rule of an inner path decides.
    ...sorted.flatMap(([path, kind]) => buildRules(path, kind, param)),
    ...listVisibleParents(sorted).map((path) => `(allow file-read-metadata (literal ${param(path)}))`),
    ...listFixedDirectories(sorted).map((path) => `(deny file-write-unlink (regex #"^${spell(path)}$"))`),
    ...(network === 'on'
      ? [
          `(allow network-outbound (literal "${RESOLVER_SOCKET}"))`,
          `(allow file-read* (literal "${RESOLVER_SOCKET}") (literal "${RESOLVER_FILE}"))`,
        ]
      : []),
  ];
  return { text: `${lines.join('\n')}\n`, parameters };
}

function buildNetworkRules(network: SeatbeltRequest['network']): string[] {
  if (network === 'off') return [];
  if (network === 'on') return ['(allow network* system-socket)', lookUp(NETWORK_MACH_SERVICES)];
  return [`(allow network-outbound (remote tcp "localhost:${network.port}"))`];
}

function lookUp(services: readonly string[]): string {
  return `(allow mach-lookup ${services.map((name) => `(global-name "${name}")`).join(' ')})`;
}

function buildRules(path: string, kind: MountKind, param: (path: string) => string): string[] {
  switch (kind) {
    case 'writable':
      return [`(allow file-read* file-write* (subpath ${param(path)}))`];
    case 'kept':
      return [`(allow file-read* (subpath ${param(path)}))`];
    case 'read-only':
    case 'placeholder':
      return [`(deny file-write* ${matchTree(path)})`];
    case 'hidden-file':
    case 'hidden-directory':
      return [`(deny file-read* file-write* network-outbound ${matchTree(path)})`];
    case 'mount-point':
      // See `listFixedDirectories`.
      return [];
  }
}

/** The path and everything below it. Two expressions, because a dot may not match a line break in a file name. */
function matchTree(path: string): string {
  const spelled = spell(path);
  return `(regex #"^${spelled}$") (regex #"^${spelled}/")`;
}

/**
 * An expression for all spellings of a path on a file system that ignores case and the composition of accents. It can match more, which
 * only denies more. The result contains no quote, no backslash and no line break, whatever the path contains.
 */
export function spell(path: string): string {
  const composed = path.normalize('NFC');
  return composed.replace(/[^ -~]+|[ -~]/g, (text) => {
    if (/^[sk]$/i.test(text)) return `([${text.toLowerCase()}${text.toUpperCase()}]|[^ -~]+)`;
    if (/^[a-z]$/i.test(text)) return `[${text.toLowerCase()}${text.toUpperCase()}]`;
    if (/^[0-9/_ -]$/.test(text)) return text;
    if (text === '.') return '[.]';
    return /^[ -~]$/.test(text) ? '[^/]' : '[^/]*';
  });
}

type Mounts = readonly (readonly [path: string, kind: MountKind])[];

/** Programs ask for the properties of the directories above their working directory, also when these are hidden. */
function listVisibleParents(mounts: Mounts): string[] {
  const hidden = mounts.filter(([, kind]) => kind === 'hidden-directory').map(([path]) => path);
  const visible = mounts.filter(([, kind]) => kind === 'writable' || kind === 'kept');
  const parents = visible.flatMap(([path]) => listParents(path));
  return [...new Set(parents)].filter((path) => hidden.some((other) => other === path || isInside(other, path)));
}

/** Directories in writable ones that contain a path with a rule. If they could be renamed, the path would have no rule any more. */
function listFixedDirectories(mounts: Mounts): string[] {
  const writable = mounts.filter(([, kind]) => kind === 'writable').map(([path]) => path);
  const fixed = mounts.flatMap(([path, kind]) => [...(kind === 'writable' ? [path] : []), ...listParents(path)]);
  return [...new Set(fixed)].filter((path) => writable.some((root) => root === path || isInside(root, path))).sort();
}

/** Outermost last, without the root directory. */
function listParents(path: string): string[] {
  const parent = dirname(path);
  return parent === path || parent === '/' ? [] : [parent, ...listParents(parent)];
}
