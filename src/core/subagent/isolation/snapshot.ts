// First floor, core: the exact state of a repository's working tree as objects: what is committed, staged, changed, new.
import { Fault } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { createGit, type Git } from '../../git/git.ts';

export interface Snapshot {
  /** The root of the working tree. */
  readonly root: string;
  /** The commit it stands on. */
  readonly head: string;
  /** The tree of what is staged; the commit's own where a merge is unfinished. */
  readonly staged: string;
  readonly isMerging: boolean;
  /** The tree of every file as it lies there, new ones included, ignored ones not. */
  readonly tree: string;
  /** Repositories inside this one, by their path in it. They are not part of the trees. */
  readonly nested: readonly { readonly path: string; readonly snapshot: Snapshot }[];
}

export interface Workshop {
  readonly ports: Ports;
  /** A private folder for indexes and other things that nobody keeps. */
  readonly scratch: string;
  readonly signal?: AbortSignal | undefined;
}

/** Limits only which nested repositories are copied; every nested repository is left out of the trees, however deep. */
const DEEPEST = 5;

/** Changes nothing but the set of objects, where what is not referred to is swept away by git in time. */
export async function takeSnapshot(shop: Workshop, root: string, depth = 0): Promise<Snapshot> {
  const git = createGit(shop.ports, root);
  const { signal } = shop;
  const head = await git.text(['rev-parse', '--verify', '-q', 'HEAD^{commit}'], { signal }).catch(() => {
    throw new Fault('refused', `${root} has no commit yet.`);
  });
  const index = await copyIndex(shop, git, root);
  const env = { GIT_INDEX_FILE: index };
  const written = await git.run(['write-tree'], { env, signal });
  const isMerging = written.code !== 0;
  if (isMerging) await git.text(['read-tree', head], { env, signal });
  const staged = isMerging
    ? await git.text(['rev-parse', `${head}^{tree}`], { signal })
    : new TextDecoder().decode(written.stdout).trim();
  const { tree, repositories } = await addAll(shop, git, root, index);
  const nested: { path: string; snapshot: Snapshot }[] = [];
  for (const path of depth < DEEPEST ? repositories : []) {
    const snapshot = await takeSnapshot(shop, `${root}/${path}`, depth + 1).catch(orNoCommit);
    if (snapshot) nested.push({ path, snapshot });
  }
  return { root, head, staged, isMerging, tree, nested };
}

function orNoCommit(thrown: unknown): undefined {
  // A repository that was only just made inside: there is nothing yet that could come back.
  if (thrown instanceof Fault && thrown.code === 'refused') return undefined;
  throw thrown;
}

/** The tree of every file as it lies there now, seen through a copy of the index. */
export async function currentTree(shop: Workshop, root: string): Promise<string> {
  const git = createGit(shop.ports, root);
  const index = await copyIndex(shop, git, root);
  return (await addAll(shop, git, root, index)).tree;
}

/**
 * Git looks into a nested repository that it adds, with the filters that are configured there: so none is added. They are
 * read from the index that the command uses, because a repository can prepare another one that names fewer. The list goes
 * through a file: arguments could hold neither every byte of a path nor any number of paths.
 */
async function addAll(
  shop: Workshop,
  git: Git,
  root: string,
  index: string,
): Promise<{ tree: string; repositories: string[] }> {
  const { ports, scratch, signal } = shop;
  const env = { GIT_INDEX_FILE: index };
  const { repositories, excluded } = await findNested(shop, git, root, env);
  const list = `${scratch}/paths-${ports.ids.uuid()}`;
  const lines = ['.', ...excluded.map((path) => `:(exclude,literal)${path}`)];
  await ports.files.write(list, Buffer.from(lines.join('\0'), 'latin1'), { mode: 0o600 });
  await git.text(['add', '-A', `--pathspec-from-file=${list}`, '--pathspec-file-nul'], { env, signal });
  return { tree: await git.text(['write-tree'], { env, signal }), repositories };
}

/**
 * So that the real one is neither changed nor locked. With its time: git believes what an index says of a file only when
 * the file is older than the index, and a copy that looks younger would hide what was changed a moment ago.
 */
async function copyIndex({ ports, scratch, signal }: Workshop, git: Git, root: string): Promise<string> {
  const said = await git.text(['rev-parse', '--git-path', 'index'], { signal });
  const path = said.startsWith('/') ? said : `${root}/${said}`;
  const copy = `${scratch}/index-${ports.ids.uuid()}`;
  if (!(await ports.files.info(path))) return copy;
  const command = { command: 'cp', args: ['-p', path, copy], cwd: scratch, env: ports.toolEnv };
  const { finished } = await ports.processes.spawn({ ...command, onOutput: () => {} });
  const { code } = await finished;
  if (code !== 0) throw new Fault('tool_failed', `Cannot copy ${path}`);
  return copy;
}

/** Submodules that are checked out, and repositories that lie about untracked. */
export async function nestedIn(shop: Pick<Workshop, 'ports' | 'signal'>, git: Git, root: string): Promise<string[]> {
  return (await findNested(shop, git, root)).repositories;
}

interface Nested {
  readonly repositories: string[];
  /** The same as bytes (latin1), and those whose path is not valid UTF-8: they cannot be opened here. */
  readonly excluded: string[];
}

async function findNested(
  { ports, signal }: Pick<Workshop, 'ports' | 'signal'>,
  git: Git,
  root: string,
  env?: Record<string, string>,
): Promise<Nested> {
  const listed = async (...args: string[]) => {
    const { code, stdout, stderr } = await git.run(['ls-files', '-z', ...args], { signal, env });
    if (code !== 0) throw new Fault('tool_failed', `git ls-files failed: ${stderr.trim() || `exit code ${code}`}`);
    return Buffer.from(stdout).toString('latin1').split('\0');
  };
  const links = (await listed('-s')).flatMap((line) =>
    line.startsWith('160000 ') ? [line.replace(/^[^\t]*\t/s, '')] : [],
  );
  const untracked = await listed('--others', '--exclude-standard');
  const embedded = untracked.flatMap((path) => (path.endsWith('/') ? [path.slice(0, -1)] : []));
  const found: Nested = { repositories: [], excluded: [] };
  for (const bytes of new Set([...links, ...embedded])) {
    const path = decoded(bytes);
    const isThere = path === undefined || (await ports.files.info(`${root}/${path}/.git`)) !== undefined;
    if (isThere) found.excluded.push(bytes);
    if (isThere && path !== undefined) found.repositories.push(path);
  }
  return found;
}

/** `undefined` when it is not valid UTF-8. */
function decoded(bytes: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
