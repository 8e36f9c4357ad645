// Isolates tasks in git worktrees and merges their changes. Only the merge changes the main tree.
import { Fault } from '../../../base/index.ts';
import type { Ports, ProcessIdentity } from '../../../contracts/index.ts';
import type { SubagentResult } from '../../../protocol/index.ts';
import { createGit, type Git } from '../../git/git.ts';
import { listChangeLocations, markAllUnapplied } from '../unapplied-changes.ts';
import type { CapturedChange, CaptureOptions, Isolation, MergeResult, Workspace } from '../workspace.ts';
import { type BatchFolder, createBatchFolder } from './batch-folder.ts';
import { BRANCH_PREFIX } from './batch-journal.ts';
import { commitPatch } from './capture-change.ts';
import { type ChangeFiles, createChangeFiles } from './change-files.ts';
import { mergeResults } from './merge-results.ts';
import { type GitScratch, type Snapshot, takeSnapshot } from './snapshot.ts';
import { applyToWorktree, createWorktree, removeWorktree } from './worktree.ts';

export interface IsolationOptions {
  readonly ports: Ports;
  readonly process: ProcessIdentity;
  readonly worktreesDirectory: string;
  readonly merge: 'patch' | 'branch';
  /** Working directory of the session. */
  readonly cwd: string;
  /** Folder for patches. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Throws a Fault when `cwd` is not in a git working tree. */
export async function beginIsolation(options: IsolationOptions): Promise<Isolation> {
  const { ports, cwd } = options;
  const git = createGit(ports, cwd);
  const [root = '', commonDirectory = '', prefix = ''] = await Promise.all(
    [['--show-toplevel'], ['--path-format=absolute', '--git-common-dir'], ['--show-prefix']].map((args) =>
      git.text(['rev-parse', ...args], { signal: options.signal }),
    ),
  );
  if (root === '') throw new Fault('refused', `${cwd} is not inside a git working tree.`);
  const batchFolder = await createBatchFolder({ ...options, root, commonDirectory });
  try {
    const gitScratch: GitScratch = { ports, scratchDirectory: `${batchFolder.path}/scratch`, signal: options.signal };
    return new WorktreeIsolation(options, batchFolder, {
      snapshot: await takeSnapshot(gitScratch, root),
      commonDirectory,
      prefix,
    });
  } catch (thrown) {
    await batchFolder.remove();
    throw thrown;
  }
}

class WorktreeIsolation implements Isolation {
  readonly #options: IsolationOptions;
  readonly #batchFolder: BatchFolder;
  readonly #snapshot: Snapshot;
  readonly #prefix: string;
  readonly #commonDirectory: string;
  readonly #branches = new Set<string>();
  /** Files that hold the change of a task, by task id. */
  readonly #changes = new Map<string, readonly string[]>();
  /** Serializes changes of git's list of worktrees, whose files must not be changed concurrently. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    options: IsolationOptions,
    batchFolder: BatchFolder,
    main: { snapshot: Snapshot; commonDirectory: string; prefix: string },
  ) {
    this.#options = options;
    this.#batchFolder = batchFolder;
    this.#snapshot = main.snapshot;
    this.#prefix = main.prefix;
    this.#commonDirectory = main.commonDirectory;
  }

  async createWorkspace(id: string, patch?: string): Promise<Workspace> {
    const { ports } = this.#options;
    // The name must be unique among the worktrees of the repository: git names its worktree entry after it.
    const directory = `${this.#batchFolder.path}/${id}-${this.#batchFolder.path.slice(-8)}`;
    const remove = () => this.#enqueue(() => removeWorktree(ports.files, this.#commonDirectory, directory));
    try {
      await this.#enqueue(() =>
        createWorktree(this.#createGitScratch(this.#options.signal), this.#snapshot, directory),
      );
      if (patch !== undefined) await applyToWorktree(this.#createGitScratch(), this.#snapshot, directory, patch);
      const cwd = `${directory}/${this.#prefix}`.replace(/\/$/, '');
      // Git trees do not contain empty folders.
      if (this.#prefix !== '') await ports.files.makeDirectory(cwd);
      const target = `${this.#options.folder}/${id}`;
      const change = createChangeFiles(this.#createGitScratch(), { snapshot: this.#snapshot, directory, target });
      return {
        cwd,
        remove,
        capture: (options) => this.#capture(id, change, options),
        discardCapture: () => change.discard(),
      };
    } catch (thrown) {
      await remove();
      throw thrown;
    }
  }

  async merge(results: SubagentResult[]): Promise<MergeResult> {
    await this.#clearRecordedChanges();
    const target = { root: this.#snapshot.root, gitScratch: this.#createGitScratch(), journal: this.#batchFolder };
    const merged = await mergeResults(target, this.#options.merge, results);
    await this.#releaseBranches().catch(() => {});
    return merged;
  }

  async skipMerge(results: SubagentResult[], reason: string): Promise<MergeResult> {
    await this.#clearRecordedChanges().catch(() => {});
    await this.#releaseBranches().catch(() => {});
    return markAllUnapplied(results, reason);
  }

  /** Changes that are applied or reported now must not be reported again by the next process. */
  async #clearRecordedChanges(): Promise<void> {
    if (this.#changes.size === 0) return;
    this.#changes.clear();
    await this.#batchFolder.recordChanges([]);
  }

  /** From now on the branches belong to the user and are not removed. */
  async #releaseBranches(): Promise<void> {
    if (this.#branches.size === 0) return;
    this.#branches.clear();
    await this.#batchFolder.recordBranches([]);
  }

  async close(): Promise<void> {
    await this.#queue;
    const git = createGit(this.#options.ports, this.#snapshot.root);
    for (const branch of this.#branches) await git.run(['update-ref', '-d', `refs/heads/${branch}`]).catch(() => {});
    await this.#batchFolder.remove();
  }

  async #capture(id: string, change: ChangeFiles, options: CaptureOptions): Promise<CapturedChange> {
    const { patch, nestedPatches: nested, newRepositories } = await change.capture();
    const nestedPatches = nested.map((inner) => ({ path: inner.path, patchPath: inner.patch }));
    const nestedFields = {
      ...(nestedPatches.length > 0 ? { nestedPatches } : {}),
      ...(newRepositories.length > 0 ? { newRepositories: [...newRepositories] } : {}),
    };
    this.#changes.set(id, listChangeLocations({ patchPath: patch, ...nestedFields }));
    // The record is only needed if this process is killed. A failure to write it does not affect the capture.
    await this.#batchFolder.recordChanges([...this.#changes.values()].flat()).catch(() => {});
    if (!options.asBranch || !patch) return { ...(patch ? { patchPath: patch } : {}), ...nestedFields };
    const branchName = await this.#createBranch(id, patch, await options.createMessage(patch));
    return { ...(branchName ? { branchName } : {}), patchPath: patch, ...nestedFields };
  }

  /** `undefined` when the change depends on uncommitted changes. Then only the patch exists. */
  async #createBranch(id: string, patch: string, message: string): Promise<string | undefined> {
    const { root, head } = this.#snapshot;
    const git = createGit(this.#options.ports, root);
    let name: string | undefined;
    try {
      const commit = await commitPatch(this.#createGitScratch(), git, { head, patch, message });
      name = await findFreeBranchName(git, `${BRANCH_PREFIX}${id}`);
      this.#branches.add(name);
      await this.#batchFolder.recordBranches([...this.#branches]);
      await git.text(['update-ref', `refs/heads/${name}`, commit, '']);
      return name;
    } catch {
      if (name !== undefined) this.#branches.delete(name);
      return undefined;
    }
  }

  #createGitScratch(signal?: AbortSignal): GitScratch {
    return { ports: this.#options.ports, scratchDirectory: `${this.#batchFolder.path}/scratch`, signal };
  }

  #enqueue<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(operation);
    this.#queue = result.catch(() => {});
    return result;
  }
}

/** A branch with the requested name may exist from earlier unmerged work. It belongs to the user. */
async function findFreeBranchName(git: Git, requestedName: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? requestedName : `${requestedName}-${n}`;
    const { code } = await git.run(['rev-parse', '--verify', '-q', `refs/heads/${name}`]);
    if (code !== 0) return name;
  }
}
