// Records the exact state of a working tree as git objects: committed, staged, changed and new files.
import { Fault } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { buildProgramPath, createGit, type Git } from '../../git/git.ts';

export interface Snapshot {
  /** The root of the working tree. */
  readonly root: string;
  /** The commit that HEAD points to. */
  readonly head: string;
  /** The tree of the index; the tree of `head` while a merge is unfinished. */
  readonly staged: string;
  readonly isMerging: boolean;
  /** The tree of all files on disk, with untracked files, without ignored ones. */
  readonly tree: string;
  /** Nested repositories with their relative paths. They are not part of the trees. */
  readonly nested: readonly { readonly path: string; readonly snapshot: Snapshot }[];
}

export interface GitScratch {
  readonly ports: Ports;
  /** A private folder for temporary files such as index copies. */
  readonly scratchDirectory: string;
  readonly signal?: AbortSignal | undefined;
}

/** Limits which nested repositories are copied. Nested repositories of every depth are left out of the trees. */
const MAX_NESTED_DEPTH = 5;

/** Writes only to the object database. Git garbage-collects unreferenced objects later. */
export async function takeSnapshot(gitScratch: GitScratch, root: string, depth = 0): Promise<Snapshot> {
  const git = createGit(gitScratch.ports, root);
  const { signal } = gitScratch;
  const head = await git.text(['rev-parse', '--verify', '-q', 'HEAD^{commit}'], { signal }).catch(() => {
    throw new Fault('refused', `${root} has no commit yet.`);
  });
  const index = await copyIndex(gitScratch, git, root);
  const env = { GIT_INDEX_FILE: index };
  const written = await git.run(['write-tree'], { env, signal });
  const isMerging = written.code !== 0;
  if (isMerging) await git.text(['read-tree', head], { env, signal });
  const staged = isMerging
    ? await git.text(['rev-parse', `${head}^{tree}`], { signal })
    : new TextDecoder().decode(written.stdout).trim();
  const { tree, repositories } = await writeTreeOfAllFiles(gitScratch, git, root, index);
  const nested: { path: string; snapshot: Snapshot }[] = [];
  for (const path of depth < MAX_NESTED_DEPTH ? repositories : []) {
    const snapshot = await takeSnapshot(gitScratch, `${root}/${path}`, depth + 1).catch(ignoreMissingCommit);
    if (snapshot) nested.push({ path, snapshot });
  }
  return { root, head, staged, isMerging, tree, nested };
}

function ignoreMissingCommit(thrown: unknown): undefined {
  // A new nested repository without a commit: there is no state to restore.
  if (thrown instanceof Fault && thrown.code === 'refused') return undefined;
  throw thrown;
}

/** Writes the tree of all files on disk, using a copy of the index. */
export async function writeCurrentTree(gitScratch: GitScratch, root: string): Promise<string> {
  const git = createGit(gitScratch.ports, root);
  const index = await copyIndex(gitScratch, git, root);
  return (await writeTreeOfAllFiles(gitScratch, git, root, index)).tree;
}

/**
 * Nested repositories are excluded, because `git add` would run the filters that are configured in them. They are listed
 * from the same index that the command uses: a repository can prepare another index that lists fewer of them. The list is
 * passed in a file, because arguments are limited in size and cannot hold every byte of a path.
 */
export async function writeTreeOfAllFiles(
  gitScratch: GitScratch,
  git: Git,
  root: string,
  index: string,
): Promise<{ tree: string; repositories: string[] }> {
  const { ports, scratchDirectory, signal } = gitScratch;
  // A nested repository may be hostile: its core.worktree can name any directory, whose files would be added.
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: root };
  const { repositories, excluded } = await findNestedRepositories(gitScratch, git, root, env);
  const list = `${scratchDirectory}/paths-${ports.ids.uuid()}`;
  const lines = ['.', ...excluded.map((path) => `:(exclude,literal)${path}`)];
  await ports.files.write(list, Buffer.from(lines.join('\0'), 'latin1'), { mode: 0o600 });
  await git.text(['add', '-A', `--pathspec-from-file=${list}`, '--pathspec-file-nul'], { env, signal });
  return { tree: await git.text(['write-tree'], { env, signal }), repositories };
}

/**
 * Works on a copy so that the real index is neither changed nor locked. The copy keeps the modification time (`cp -p`): git
 * trusts an index entry only when the file is older than the index. A newer copy would hide recent changes.
 */
export async function copyIndex(
  { ports, scratchDirectory, signal }: GitScratch,
  git: Git,
  root: string,
): Promise<string> {
  const indexPath = await git.text(['rev-parse', '--git-path', 'index'], { signal });
  const path = indexPath.startsWith('/') ? indexPath : `${root}/${indexPath}`;
  const copy = `${scratchDirectory}/index-${ports.ids.uuid()}`;
  if (!(await ports.files.info(path))) return copy;
  const env = { ...ports.toolEnv, PATH: buildProgramPath(ports.toolEnv, root) };
  const command = { command: 'cp', args: ['-p', path, copy], cwd: scratchDirectory, env };
  const { finished } = await ports.processes.spawn({ ...command, onOutput: () => {} });
  const { code } = await finished;
  if (code !== 0) throw new Fault('tool_failed', `Cannot copy ${path}`);
  return copy;
}

/** Checked-out submodules and untracked repositories. */
export async function listNestedRepositories(
  gitScratch: Pick<GitScratch, 'ports' | 'signal'>,
  git: Git,
  root: string,
): Promise<string[]> {
  return (await findNestedRepositories(gitScratch, git, root)).repositories;
}

interface NestedRepositories {
  readonly repositories: string[];
  /** The same paths as bytes (latin1), plus paths that are not valid UTF-8, which cannot be opened. */
  readonly excluded: string[];
}

async function findNestedRepositories(
  { ports, signal }: Pick<GitScratch, 'ports' | 'signal'>,
  git: Git,
  root: string,
  env?: Record<string, string>,
): Promise<NestedRepositories> {
  const listFiles = async (...args: string[]) => {
    const { code, stdout, stderr } = await git.run(['ls-files', '-z', ...args], { signal, env });
    if (code !== 0) throw new Fault('tool_failed', `git ls-files failed: ${stderr.trim() || `exit code ${code}`}`);
    return Buffer.from(stdout).toString('latin1').split('\0');
  };
  const links = (await listFiles('-s')).flatMap((line) =>
    line.startsWith('160000 ') ? [line.replace(/^[^\t]*\t/s, '')] : [],
  );
  const untracked = await listFiles('--others', '--exclude-standard');
  const embedded = untracked.flatMap((path) => (path.endsWith('/') ? [path.slice(0, -1)] : []));
  const found: NestedRepositories = { repositories: [], excluded: [] };
  for (const bytes of new Set([...links, ...embedded])) {
    const path = decodeUtf8(bytes);
    const exists = path === undefined || (await ports.files.info(`${root}/${path}/.git`)) !== undefined;
    if (exists) found.excluded.push(bytes);
    if (exists && path !== undefined) found.repositories.push(path);
  }
  return found;
}

/** `undefined` when it is not valid UTF-8. */
function decodeUtf8(bytes: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
