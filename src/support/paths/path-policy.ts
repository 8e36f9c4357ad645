// Decides which files the tools of a session may use: those in the working directory and in the listed directories.
import { basename, dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { FileAccess, Files, GuardFilesOptions, PathPolicy } from '../../contracts/index.ts';
import { resolveUserPath } from '../home-directory.ts';
import { findProtectedName, foldSpelling, PROTECTED_HOME_NAMES } from '../protected-paths.ts';
import { resolveDenied } from './resolve-denied.ts';

export interface PathPolicyOptions {
  /** Whether files outside the roots may be used. The other restrictions hold in every mode. */
  readonly mode: PathPolicy['mode'];
  readonly files: Pick<Files, 'realPath' | 'list'>;
  readonly cwd: string;
  readonly home: string;
  /** Besides the working directory. Paths may be relative to it, or begin with `~`. */
  readonly writableRoots: readonly string[];
  readonly readRoots: readonly string[];
  /** Files and directories of the session itself. They are not listed in messages. Called before every operation. */
  listReadRoots?: GuardFilesOptions['listReadRoots'] | undefined;
  /** Can be neither read nor changed, wherever they are. */
  readonly deniedReads: readonly string[];
  /** Whether configuration of other programs can be read and not changed: `PROTECTED_NAMES` and `PROTECTED_HOME_NAMES`. */
  readonly hasProtectedPaths: boolean;
  /** False in a read-only sandbox. */
  readonly canWrite: boolean;
  onWarning(message: string): void;
}

interface Roots {
  readonly cwd: string;
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  /** Folded by `foldSpelling`, like `homeProtected`. */
  readonly denied: readonly string[];
  readonly homeProtected: readonly string[];
}

/** They contain the environment and the memory of a process, and with them its API keys. */
const PROCESS_SECRETS = /^\/proc\/[^/]+\/(.+\/)?(environ|mem|auxv)$/;

/**
 * The links in the roots are resolved once. A root that is missing then and becomes a link later is not followed: a tool
 * could have created the link.
 */
export function createPathPolicy(options: PathPolicyOptions): PathPolicy {
  const { mode } = options;
  let roots: Roots | undefined;
  let resolving: Promise<Roots> | undefined;
  const sessionRoots = new Map<string, string>();
  const warned = new Set<string>();

  const warn = (realPath: string, access: FileAccess) => {
    const verb = access === 'write' ? 'write' : 'read';
    const directory = access === 'list' ? realPath : dirname(realPath);
    for (let parent = directory; ; parent = dirname(parent)) {
      if (warned.has(`${verb} ${parent}`)) return;
      if (dirname(parent) === parent) break;
    }
    warned.add(`${verb} ${directory}`);
    options.onWarning(`${verb} uses ${formatPath(directory)}, which is outside the working directory.`);
  };

  return {
    mode,
    async prepare() {
      resolving ??= resolveRoots(options);
      roots ??= await resolving;
      for (const path of (await options.listReadRoots?.()) ?? []) {
        if (!sessionRoots.has(path)) sessionRoots.set(path, await resolveRoot(options, roots.cwd, path, () => {}));
      }
    },
    check(realPath, access) {
      if (!roots) throw new Fault('internal', 'The path policy was used before prepare()');
      refuseSecrets(roots, realPath, access);
      if (access === 'write') refuseChanges(options, roots, realPath);
      if (mode === 'off' || isAllowed(roots, sessionRoots, realPath, access)) return;
      if (mode === 'enforce') throw createRefusal(options, roots, realPath, access);
      if (access !== 'inspect') warn(realPath, access);
    },
  };
}

async function resolveRoots(options: PathPolicyOptions): Promise<Roots> {
  const { files, cwd, home, onWarning } = options;
  const realCwd = await files.realPath(cwd);
  const resolveAll = (paths: readonly string[]) =>
    Promise.all(paths.map((path) => resolveRoot(options, realCwd, path, onWarning)));
  const writable = [realCwd, ...(await resolveAll(options.writableRoots))];
  const readable = await resolveAll(options.readRoots);
  const denied = await resolveDenied(
    files,
    options.deniedReads.map((path) => resolveUserPath(path, { cwd, home })),
  );
  const realHome = await files.realPath(home).catch(() => home);
  const homeProtected = PROTECTED_HOME_NAMES.map((name) => foldSpelling(`${realHome}/${name}`));
  return { cwd: realCwd, writable, readable, denied: denied.map(foldSpelling), homeProtected };
}

/**
 * A root below the working directory must not be a link that leads out of it: tools can create such a link, and would have access to
 * its target in the next session.
 */
async function resolveRoot(
  { files, cwd, home }: PathPolicyOptions,
  realCwd: string,
  path: string,
  onWarning: (message: string) => void,
): Promise<string> {
  const absolute = resolveUserPath(path, { cwd, home });
  const real = await files.realPath(absolute).catch(() => absolute);
  const isBelowCwd = isSameOrInside(cwd, absolute) || isSameOrInside(realCwd, absolute);
  if (!isBelowCwd || isSameOrInside(realCwd, real)) return real;
  onWarning(
    `${formatPath(path)} is a link out of the working directory and is ignored. List ${formatPath(real)} instead.`,
  );
  return realCwd;
}

function refuseSecrets({ denied }: Roots, realPath: string, access: FileAccess): void {
  const folded = foldSpelling(realPath);
  const isSecret = denied.some((path) => isSameOrInside(path, folded));
  if (!isSecret && !(denied.length > 0 && PROCESS_SECRETS.test(realPath))) return;
  const remedy = 'It may contain secrets. See sandbox.deniedReads.';
  throw new Fault('refused', `${formatAccess(access)}${formatPath(realPath)} may not be used by tools. ${remedy}`);
}

function refuseChanges({ canWrite, hasProtectedPaths }: PathPolicyOptions, roots: Roots, realPath: string): void {
  const path = formatPath(realPath);
  if (!canWrite) {
    const remedy = 'Set sandbox to workspace-write or off to allow changes.';
    throw new Fault('refused', `write: ${path} cannot be changed, because the sandbox is read-only. ${remedy}`);
  }
  if (!hasProtectedPaths) return;
  // The longest root: the working directory itself may be in a directory with a protected name, such as ~/.parley/worktrees.
  const matching = roots.writable.filter((root) => isSameOrInside(root, realPath)).sort((a, b) => b.length - a.length);
  const root = matching[0] ?? '';
  const folded = foldSpelling(realPath);
  // A name below the root: the working directory may be in ~/bin or ~/.config/nvim.
  const isHomeFile = roots.homeProtected.some(
    (path) => isSameOrInside(path, folded) && !isSameOrInside(path, foldSpelling(root)),
  );
  const name = findProtectedName(realPath.slice(root.length)) ?? (isHomeFile ? basename(realPath) : undefined);
  if (name === undefined) return;
  const reason = `${name} is protected, because other programs run what it contains`;
  throw new Fault('refused', `write: ${path} cannot be changed by tools: ${reason}. Change it yourself.`);
}

function isAllowed(
  { writable, readable }: Roots,
  sessionRoots: ReadonlyMap<string, string>,
  realPath: string,
  access: FileAccess,
): boolean {
  if (writable.some((root) => isSameOrInside(root, realPath))) return true;
  if (access === 'write') return false;
  return [...readable, ...sessionRoots.values()].some((root) => isSameOrInside(root, realPath));
}

function createRefusal(options: PathPolicyOptions, roots: Roots, realPath: string, access: FileAccess): Fault {
  const path = formatPath(realPath);
  const directory = formatPath(options.cwd);
  if (access === 'write' && roots.readable.some((root) => isSameOrInside(root, realPath))) {
    const remedy = 'Add the directory to sandbox.writableRoots to allow it.';
    return new Fault('refused', `write: ${path} may be read and not changed. ${remedy}`);
  }
  const listed = access === 'write' ? options.writableRoots : [...options.writableRoots, ...options.readRoots];
  const allowed = listed.length > 0 ? ` Allowed: ${[options.cwd, ...listed].map(formatPath).join(', ')}.` : '';
  const settings = access === 'write' ? 'sandbox.writableRoots' : 'paths.readRoots or sandbox.writableRoots';
  const remedy = `Add the directory to ${settings} to allow it.`;
  return new Fault(
    'refused',
    `${formatAccess(access)}${path} is outside the working directory ${directory}.${allowed} ${remedy}`,
  );
}

/** A tool that inspects a file wants to read or to write it; which of them is not known yet. */
function formatAccess(access: FileAccess): string {
  return access === 'inspect' ? '' : access === 'write' ? 'write: ' : 'read: ';
}

/** Both have all links resolved. */
function isSameOrInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

/** Control characters in a name must not look like another message. */
function formatPath(path: string): string {
  return /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u.test(path) ? path : JSON.stringify(path);
}
