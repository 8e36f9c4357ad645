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

/** Deeper nesting than anybody has on purpose. */
const DEEPEST = 5;

/** Changes nothing but the set of objects, where what is not referred to is swept away by git in time. */
export async function takeSnapshot(shop: Workshop, root: string, depth = 0): Promise<Snapshot> {
  const git = createGit(shop.ports, root);
  const { signal } = shop;
  const head = await git.text(['rev-parse', '--verify', '-q', 'HEAD^{commit}'], { signal }).catch(() => {
    throw new Fault('refused', `${root} has no commit yet.`);
  });
  const paths = depth < DEEPEST ? await nestedIn(shop, git, root) : [];
  const nested: { path: string; snapshot: Snapshot }[] = [];
  for (const path of paths) {
    const snapshot = await takeSnapshot(shop, `${root}/${path}`, depth + 1).catch(orNoCommit);
    if (snapshot) nested.push({ path, snapshot });
  }
  const index = await copyIndex(shop, git, root);
  const env = { GIT_INDEX_FILE: index };
  const written = await git.run(['write-tree'], { env, signal });
  const isMerging = written.code !== 0;
  if (isMerging) await git.text(['read-tree', head], { env, signal });
  const staged = isMerging
    ? await git.text(['rev-parse', `${head}^{tree}`], { signal })
    : new TextDecoder().decode(written.stdout).trim();
  const tree = await addAll(shop, git, index, paths);
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
  return addAll(shop, git, index, await nestedIn(shop, git, root));
}

async function addAll({ signal }: Workshop, git: Git, index: string, except: readonly string[]): Promise<string> {
  const env = { GIT_INDEX_FILE: index };
  const excluded = except.map((path) => `:(exclude,literal)${path}`);
  await git.text(['add', '-A', '--', '.', ...excluded], { env, signal });
  return git.text(['write-tree'], { env, signal });
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
export async function nestedIn(
  { ports, signal }: Pick<Workshop, 'ports' | 'signal'>,
  git: Git,
  root: string,
): Promise<string[]> {
  const listed = await git.text(['ls-files', '-s', '-z'], { signal });
  const links = listed
    .split('\0')
    .flatMap((line) => (line.startsWith('160000 ') ? [line.replace(/^[^\t]*\t/s, '')] : []));
  const untracked = await git.text(['ls-files', '--others', '--exclude-standard', '-z'], { signal });
  const embedded = untracked.split('\0').flatMap((path) => (path.endsWith('/') ? [path.slice(0, -1)] : []));
  const candidates = [...new Set([...links, ...embedded])];
  const isThere = await Promise.all(candidates.map((path) => ports.files.info(`${root}/${path}/.git`)));
  return candidates.filter((_, at) => isThere[at] !== undefined);
}
