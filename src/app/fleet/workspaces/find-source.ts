// Finds out which repository, commit and remote a new session has, and refuses repositories that clients may not name.
import { isAbsolute, resolve } from 'node:path';
import { Fault } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { createGit } from '../../../core/git/git.ts';
import type { ControlRepository } from './control-repository.ts';
import { isAllowedRepository, isPath, parseRepository, removeCredentials } from './repository-url.ts';

export interface SourceOptions {
  readonly ports: Ports;
  /** A git URL, or the name of a remote. */
  readonly remote: string;
  /** What clients may name. Empty: only the repository of `ownCwd`. */
  readonly repositories: readonly string[];
  readonly ownCwd: string;
}

export interface WorkspaceSource {
  readonly repository: string;
  readonly remote: string;
  /** Of a repository on this machine. */
  readonly objects?: string | undefined;
  /** The commit that is checked out there. */
  readonly head?: string | undefined;
  /** The directory in the repository. */
  readonly path: string;
  readonly hasUncommittedChanges: boolean;
}

const COMMIT = /^[\da-f]{40}(?:[\da-f]{24})?$/;
const REF = /^(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)|[./]$))[\w][\w./-]{0,200}$/;

/** The repository that contains the directory. `undefined` if there is none. */
export async function findLocalSource(options: SourceOptions, directory: string): Promise<WorkspaceSource | undefined> {
  const git = createGit(options.ports, directory);
  const flags = ['--path-format=absolute', '--show-toplevel', '--git-common-dir', '--show-prefix'];
  const { code, stdout } = await git.run(['rev-parse', ...flags]);
  const [root = '', common = '', prefix = ''] = new TextDecoder().decode(stdout).split('\n');
  if (code !== 0 || root === '') return undefined;
  const head = await git.text(['rev-parse', '--verify', '-q', 'HEAD^{commit}']).catch(() => {
    throw new Fault('refused', `${root} has no commit yet, so no session can work on it in a fleet. Create one first.`);
  });
  const status = await git.run(['status', '--porcelain', '-z']);
  return {
    ...{ repository: root, objects: `${common}/objects`, head, path: prefix.replace(/\/$/, '') },
    remote: await findRemote(options, root),
    hasUncommittedChanges: status.stdout.length > 0,
  };
}

/** A repository that a client has named. */
export async function findNamedSource(
  options: SourceOptions,
  named: string,
  directory: string | undefined,
): Promise<WorkspaceSource> {
  const { files } = options.ports;
  const parsed = parseRepository(named);
  const repository = isPath(parsed) ? await files.realPath(parsed) : parsed;
  if (!(await isAllowed(options, repository))) {
    const remedy = 'Add it to the setting workspace.repositories of the server.';
    throw new Fault('refused', `Sessions may not be opened for the repository ${repository}. ${remedy}`);
  }
  const path = directory ?? '';
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (isAbsolute(path) || parts.includes('..'))
    throw new Fault('invalid_params', `With repository, cwd is a path in the repository (got ${JSON.stringify(path)})`);
  const isOwnRemote = isName(options.remote) && (!isPath(repository) || (await isBare(options, repository)));
  const remote = isOwnRemote ? repository : await findRemote(options, repository);
  return { repository, remote, path: parts.join('/'), hasUncommittedChanges: false };
}

/** Fetches what is missing. Returns the id of the commit; without `name` that of the default branch. */
export async function resolveCommit(
  control: ControlRepository,
  { repository, head }: WorkspaceSource,
  name: string | undefined,
): Promise<string> {
  if (name !== undefined && !COMMIT.test(name) && !REF.test(name))
    throw new Fault(
      'invalid_params',
      `commit must be a full commit id, a branch or a tag (got ${JSON.stringify(name)})`,
    );
  const branches = '+refs/heads/*:refs/heads/*';
  if (head !== undefined && name === undefined) {
    // So that the branches are known in the workspace. The objects are there already.
    await control.fetch('repository', [branches]);
    return head;
  }
  if (name !== undefined && COMMIT.test(name) && (await control.hasCommit(name))) return name;
  const refspecs = [branches, '+refs/tags/*:refs/tags/*', ...(name === undefined ? ['+HEAD:refs/parley/head'] : [])];
  await control.fetch('repository', refspecs);
  const candidates = name === undefined ? ['refs/parley/head'] : [`refs/heads/${name}`, `refs/tags/${name}`, name];
  for (const candidate of candidates) {
    const { code, stdout } = await control.run(['rev-parse', '--verify', '-q', `${candidate}^{commit}`]);
    if (code === 0) return new TextDecoder().decode(stdout).trim();
  }
  if (name !== undefined && COMMIT.test(name)) {
    // Of no branch and no tag. Some servers allow it.
    await control.fetch('repository', [name]).catch(() => {});
    if (await control.hasCommit(name)) return name;
  }
  throw new Fault('not_found', `The repository ${repository} has no commit ${name ?? 'HEAD'}.`);
}

async function isAllowed({ ports, repositories, ownCwd }: SourceOptions, repository: string): Promise<boolean> {
  if (repositories.length > 0) {
    const resolved = repositories.map((one) => (isPath(one) ? ports.files.realPath(one).catch(() => one) : one));
    return isAllowedRepository(repository, await Promise.all(resolved));
  }
  const git = createGit(ports, ownCwd);
  const own = await git.run(['rev-parse', '--show-toplevel']);
  if (own.code !== 0) return false;
  if (isPath(repository)) return repository === new TextDecoder().decode(own.stdout).trimEnd();
  const { stdout } = await git.run(['config', '--get-regexp', '^remote\\..*\\.url$']);
  const urls = new TextDecoder().decode(stdout).split('\n');
  return urls.some((line) => removeCredentials(line.replace(/^\S+ /, '')) === repository);
}

async function findRemote({ ports, remote }: SourceOptions, repository: string): Promise<string> {
  if (!isName(remote)) return parseRepository(remote);
  const { code, stdout } = await createGit(ports, repository).run(['remote', 'get-url', '--push', '--', remote]);
  const url = new TextDecoder().decode(stdout).trimEnd();
  if (code !== 0 || url === '') {
    const remedy = 'Add it there with git remote add, or set workspace.remote to a URL.';
    throw new Fault('refused', `The repository ${repository} has no remote ${remote} (workspace.remote). ${remedy}`);
  }
  const isRelative = !/^[\w.-]+@|:/.test(url) && !isAbsolute(url);
  return parseRepository(removeCredentials(isRelative ? resolve(repository, url) : url));
}

/** Clients push to it, so it is no repository that a user works in. */
async function isBare({ ports }: SourceOptions, repository: string): Promise<boolean> {
  const git = createGit(ports, repository);
  const { stdout } = await git.run(['rev-parse', '--is-bare-repository'], { env: { GIT_DIR: repository } });
  return new TextDecoder().decode(stdout).trim() === 'true';
}

function isName(remote: string): boolean {
  return /^[A-Za-z\d][\w.-]*$/.test(remote);
}
