// Searches bubblewrap and tries it: many systems forbid the namespaces that it needs.
import { delimiter, isAbsolute, join } from 'node:path';
import type { Files, Ports } from '../contracts/index.ts';
import { isInside } from '../support/path-checks.ts';
import { buildNamespaceArguments } from './bwrap-arguments.ts';
import { createProbeCache, runToEnd, type SandboxProblem } from './probe-program.ts';

export interface Bwrap {
  readonly path: string;
  readonly canDisableUserNamespaces: boolean;
}

type BwrapPorts = Pick<Ports, 'files' | 'processes' | 'toolEnv'>;

const DIRECTORIES = ['/usr/bin', '/usr/local/bin', '/bin'];
const probeOnce = createProbeCache<Bwrap>();

/** A program in a writable directory is never used: a command could have put it there. */
export async function findBwrap(ports: BwrapPorts, writableRoots: readonly string[]): Promise<Bwrap | SandboxProblem> {
  const listed = (ports.toolEnv.PATH ?? '').split(delimiter).filter((directory) => isAbsolute(directory));
  for (const directory of new Set([...DIRECTORIES, ...listed])) {
    const path = await ports.files.realPath(join(directory, 'bwrap')).catch(() => undefined);
    if (path === undefined || writableRoots.some((root) => isInside(root, path))) continue;
    const info = await ports.files.info(path).catch(() => undefined);
    if (info?.kind === 'file' && (info.mode & 0o111) !== 0) return probeOnce(ports, path, () => tryBwrap(ports, path));
  }
  return {
    reason: 'bubblewrap (bwrap) is not installed',
    remedy:
      'Install it (apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap), or use --sandbox off.',
  };
}

/** A real run with the namespaces of every command. bubblewrap starts itself, because it is the one program that surely exists. */
async function tryBwrap(ports: BwrapPorts, path: string): Promise<Bwrap | SandboxProblem> {
  const run = (canDisableUserNamespaces: boolean) => {
    const namespaces = buildNamespaceArguments({ hasNetwork: false, canDisableUserNamespaces });
    return runToEnd(ports, path, [...namespaces, '--', path, '--version']);
  };
  if ((await run(true)).code === 0) return { path, canDisableUserNamespaces: true };
  // Older than 0.8, or setuid.
  const second = await run(false);
  if (second.code === 0) return { path, canDisableUserNamespaces: false };
  return {
    reason: `${path} failed: ${second.output || `exit code ${second.code}`}`,
    remedy: await findRemedy(ports.files),
  };
}

async function findRemedy(files: Files): Promise<string> {
  const off = 'or use --sandbox off.';
  if ((await readFlag(files, '/proc/sys/kernel/apparmor_restrict_unprivileged_userns')) === '1')
    return `AppArmor forbids user namespaces: add a profile for bwrap with the rule \`userns,\` in /etc/apparmor.d (see docs/sandbox.md), ${off}`;
  if ((await readFlag(files, '/proc/sys/kernel/unprivileged_userns_clone')) === '0')
    return `Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, ${off}`;
  if ((await readFlag(files, '/proc/sys/user/max_user_namespaces')) === '0')
    return `Allow user namespaces: sysctl user.max_user_namespaces=10000, ${off}`;
  const container = await Promise.all(
    ['/.dockerenv', '/run/.containerenv'].map((path) => files.info(path).catch(() => undefined)),
  );
  if (container.some(Boolean))
    return `This container forbids user namespaces: start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined, or let the container be the sandbox and use --sandbox off.`;
  return `Allow unprivileged user namespaces (see docs/sandbox.md), ${off}`;
}

async function readFlag(files: Files, path: string): Promise<string | undefined> {
  return files.read(path).then(
    (bytes) => Buffer.from(bytes).toString('utf8').trim(),
    () => undefined,
  );
}
