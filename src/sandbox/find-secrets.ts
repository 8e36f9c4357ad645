// Finds the files, directories and sockets that commands in the sandbox may not see.
import { basename, dirname, join } from 'node:path';
import type { FileKind, Files } from '../contracts/index.ts';
import { isInside } from '../support/path-checks.ts';
import { AGENT_DIRECTORIES, SECRET_HOME_PATHS, SECRET_SYSTEM_PATHS } from '../support/protected-paths.ts';
import type { MountKind } from './planner.ts';
import { isProcessMark } from './process-mark.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { KEPT_PATHS, SOCKET_DIRECTORIES, SOCKET_VARIABLES } from './socket-paths.ts';

/** Root may change the settings of the kernel without a capability. */
const KERNEL_SETTINGS = '/proc/sys';

type Options = Pick<SandboxOptions, 'deniedReads' | 'agentDirectory' | 'network'> & {
  temporaryDirectory?: SandboxOptions['temporaryDirectory'];
  readonly ports: Pick<SandboxOptions['ports'], 'files' | 'toolEnv'> &
    Partial<Pick<SandboxOptions['ports'], 'platform'>>;
};

/** Real paths, so that a secret behind a link is hidden where it is. */
export async function findSecrets(options: Options, home: string): Promise<Map<string, MountKind>> {
  const { files, toolEnv } = options.ports;
  const systemPaths = files.userId === 0 ? SECRET_SYSTEM_PATHS.map((path) => path.slice(1)) : [];
  const [inHome, inSystem, sockets, privateDirectories, keptPaths] = await Promise.all([
    findExisting(files, home, [...AGENT_DIRECTORIES, ...SECRET_HOME_PATHS]),
    systemPaths.length > 0 ? findExisting(files, '/', systemPaths) : [],
    listSockets(files),
    listPrivateDirectories(options),
    listKeptPaths(options),
  ]);
  const named = [
    ...SOCKET_DIRECTORIES,
    options.agentDirectory,
    ...options.deniedReads,
    ...listSocketVariables(toolEnv),
  ];
  const mounts = new Map<string, MountKind>();
  const hide = async (path: string) => {
    const info = await files.info(path).catch(() => undefined);
    if (!info) return undefined;
    const real = await files.realPath(path);
    mounts.set(real, info.kind === 'directory' ? 'hidden-directory' : 'hidden-file');
    return info.kind === 'directory' ? real : undefined;
  };
  const hideAll = async (path: string) => {
    const directory = await hide(path);
    if (directory === undefined || SOCKET_DIRECTORIES.includes(path)) return;
    await Promise.all((await listLinkedFiles(files, directory)).map(hide));
  };
  await Promise.all([...new Set([...inHome, ...inSystem, ...named, ...sockets, ...privateDirectories])].map(hideAll));
  for (const path of keptPaths) mounts.set(path, 'kept');
  if (files.userId === 0 && options.ports.platform === 'linux') mounts.set(KERNEL_SETTINGS, 'kept');
  return mounts;
}

/** Lists each directory once instead of asking for each path: most of the paths do not exist. */
async function findExisting(files: Files, base: string, paths: readonly string[]): Promise<string[]> {
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const [name = '', ...rest] = path.split('/');
    byName.set(name, [...(byName.get(name) ?? []), rest.join('/')]);
  }
  const entries = await files.list(base).catch((): { name: string; kind: FileKind }[] => []);
  const found = await Promise.all(
    entries.map(async ({ name }): Promise<string[]> => {
      const rests = byName.get(name);
      if (!rests) return [];
      const path = join(base, name);
      return rests.includes('') ? [path] : findExisting(files, path, rests);
    }),
  );
  return found.flat();
}

/** Many users keep such files in another directory, and only links to them where programs expect them. Links to directories stay. */
async function listLinkedFiles(files: Files, directory: string): Promise<string[]> {
  const entries = await files.list(directory).catch((): { name: string; kind: FileKind }[] => []);
  const targets = await Promise.all(
    entries.filter(({ kind }) => kind === 'link').map(({ name }) => files.realPath(join(directory, name))),
  );
  const infos = await Promise.all(targets.map((target) => files.info(target).catch(() => undefined)));
  return targets.filter((target, index) => infos[index]?.kind === 'file' && !isSystemFile(target));
}

/** Hiding a program or a certificate that everybody has protects nothing. */
function isSystemFile(path: string): boolean {
  return ['/usr', '/etc', '/nix', '/opt', '/bin', '/lib'].some((directory) => isInside(directory, path));
}

function listSocketVariables(env: Readonly<Record<string, string>>): string[] {
  return SOCKET_VARIABLES.flatMap((name) => {
    const path = /(?:^|unix:(?:\/\/)?(?:path=)?)(\/[^,;:]+)/.exec(env[name] ?? '')?.[1];
    return path === undefined ? [] : [path];
  });
}

/** The sockets that other processes have bound to a path, where the system lists them (Linux). */
async function listSockets(files: Files): Promise<string[]> {
  const text = await files.read('/proc/net/unix').then(
    (bytes) => Buffer.from(bytes).toString('utf8'),
    () => '',
  );
  const paths = text.split('\n').flatMap((line) => /^\S+: (?:\S+ ){5} *\d+ (\/.+)$/.exec(line)?.[1] ?? []);
  return paths.filter((path) => !['/tmp', ...SOCKET_DIRECTORIES].some((directory) => isInside(directory, path)));
}

/** Of other sessions. `/tmp` is replaced as a whole. */
async function listPrivateDirectories({ temporaryDirectory, ports: { files } }: Options): Promise<string[]> {
  const own = await temporaryDirectory?.();
  if (own === undefined || isInside('/tmp', own)) return [];
  const entries = await files.list(dirname(own)).catch((): { name: string; kind: FileKind }[] => []);
  const others = entries.filter(({ name, kind }) => kind === 'directory' && name !== basename(own));
  return others.filter(({ name }) => isProcessMark(name)).map(({ name }) => join(dirname(own), name));
}

async function listKeptPaths({ network, ports: { files } }: Options): Promise<string[]> {
  // With a network the name servers must be known; on many systems the file is a link into /run.
  const candidates = network === 'on' ? [...KEPT_PATHS, await files.realPath('/etc/resolv.conf')] : KEPT_PATHS;
  const kept = candidates.filter((path) => SOCKET_DIRECTORIES.some((directory) => isInside(directory, path)));
  const infos = await Promise.all(kept.map((path) => files.info(path).catch(() => undefined)));
  return kept.filter((_, index) => infos[index] !== undefined);
}
