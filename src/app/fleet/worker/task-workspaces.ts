// Copies of repositories in which tasks run. Each is a clone of its own, so that nothing of the original is changed.
import { Fault, getErrorMessage } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { createGit, type Git, type GitOptions } from '../../../core/git/git.ts';
import { tryApply, writePatch } from '../../../core/subagent/isolation/capture-change.ts';
import { type GitScratch, writeCurrentTree } from '../../../core/subagent/isolation/snapshot.ts';

export interface WorkspaceRequest {
  /** Directory or URL. Absent: an empty directory. */
  readonly repository?: string | undefined;
  readonly commit?: string | undefined;
  /** The change of an earlier workspace of the same task. */
  readonly patch?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

export interface TaskWorkspace {
  readonly cwd: string;
  /** The commit that the work began with. */
  readonly commit: string | undefined;
  /** The change since then, as a binary unified diff. `undefined` when nothing was changed. */
  createPatch(): Promise<Uint8Array | undefined>;
  /** Never rejects. */
  remove(): Promise<void>;
}

export interface TaskWorkspaces {
  open(request: WorkspaceRequest): Promise<TaskWorkspace>;
}

type WorkspacePorts = GitScratch['ports'];

/** Hooks, filters and helpers of a repository never run, see `createGit`. Git asks no questions. */
const NETWORK = {
  GIT_ALLOW_PROTOCOL: 'file:https:http:ssh:git',
  GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
};
const CLONE_TIMEOUT_MS = 3_600_000;
/** Git knows the empty tree without storing it. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** `directory` belongs to this process. */
export function createTaskWorkspaces(ports: Ports, directory: string): TaskWorkspaces {
  const { files, ids } = ports;
  return {
    async open(request) {
      const root = `${directory}/${ids.uuid()}`;
      const [cwd, scratchDirectory] = [`${root}/work`, `${root}/scratch`];
      const remove = () => files.remove(root, { recursive: true }).catch(() => {});
      try {
        for (const path of [directory, root, cwd, scratchDirectory]) await files.makeDirectory(path, { mode: 0o700 });
        const scratch: GitScratch = { ports, scratchDirectory, signal: request.signal };
        const commit = await fill(scratch, cwd, request);
        const tree = commit === undefined ? EMPTY_TREE : `${commit}^{tree}`;
        const base = await createGit(ports, cwd).text(['rev-parse', '--verify', '-q', tree]);
        return { cwd, commit, remove, createPatch: () => createPatch({ ports, scratchDirectory }, cwd, base) };
      } catch (thrown) {
        await remove();
        throw thrown;
      }
    },
  };
}

/** Removes the workspaces of workers that have ended. */
export async function removeOldWorkspaces(
  { files }: Pick<Ports, 'files'>,
  parent: string,
  isAlive: (name: string) => Promise<boolean>,
): Promise<void> {
  for (const { name } of await files.list(parent).catch(() => [])) {
    if (!(await isAlive(name))) await files.remove(`${parent}/${name}`, { recursive: true }).catch(() => {});
  }
}

/** Returns the commit. */
async function fill(scratch: GitScratch, cwd: string, request: WorkspaceRequest): Promise<string | undefined> {
  const { repository, commit, patch, signal } = request;
  const { ports, scratchDirectory } = scratch;
  const git = createGit(ports, cwd);
  const options: GitOptions = { signal, timeoutMs: CLONE_TIMEOUT_MS, env: NETWORK };
  const found = repository === undefined ? undefined : await clone(git, repository, commit, options);
  if (found === undefined) await git.text(['init', '-q', '--template='], { signal });
  if (patch === undefined) return found;
  const file = `${scratchDirectory}/restored.patch`;
  await ports.files.write(file, patch, { mode: 0o600 });
  if (await tryApply(git, ['--binary', file])) return found;
  throw new Fault('refused', 'The work of the worker that has ended cannot be restored: its patch does not apply.');
}

async function clone(git: Git, repository: string, commit: string | undefined, options: GitOptions): Promise<string> {
  try {
    // Objects are copied: a tool could change those of the original through a link.
    const flags = ['-q', '--no-checkout', '--no-hardlinks', '--template='];
    await git.text(['clone', ...flags, '--', repository, '.'], options);
    const hash = await findCommit(git, commit, options);
    await git.text(['checkout', '-q', '--detach', hash], options);
    return hash;
  } catch (thrown) {
    if (options.signal?.aborted) throw thrown;
    const label = hidePassword(repository);
    const message = getErrorMessage(thrown).replaceAll(repository, label);
    throw new Fault('tool_failed', `Cannot clone ${label}: ${message}`);
  }
}

/** A branch of the original is a remote branch of the clone. */
async function findCommit(git: Git, commit: string | undefined, options: GitOptions): Promise<string> {
  const find = (name: string) =>
    git.text(['rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`], options).catch(() => undefined);
  if (commit === undefined) return git.text(['rev-parse', '--verify', 'HEAD^{commit}'], options);
  const known = (await find(`refs/remotes/origin/${commit}`)) ?? (await find(commit));
  if (known !== undefined) return known;
  // A commit that no branch contains.
  await git.text(['fetch', '-q', '--end-of-options', 'origin', commit], options);
  return git.text(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'], options);
}

async function createPatch(
  { ports, scratchDirectory }: { ports: WorkspacePorts; scratchDirectory: string },
  cwd: string,
  base: string,
): Promise<Uint8Array | undefined> {
  const git = createGit(ports, cwd);
  const tree = await writeCurrentTree({ ports, scratchDirectory }, cwd);
  const file = `${scratchDirectory}/${ports.ids.uuid()}.patch`;
  const written = await writePatch({ ports }, git, [base, tree], file);
  if (written === undefined) return undefined;
  const bytes = await ports.files.read(written);
  await ports.files.remove(written);
  return bytes;
}

function hidePassword(repository: string): string {
  return repository.replace(/^([a-z][a-z+.-]*:\/\/)[^@/]*@/i, '$1');
}
