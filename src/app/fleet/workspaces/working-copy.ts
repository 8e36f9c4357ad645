// The working copy of a session on this machine: created at a commit, restored from a snapshot, and recorded as a snapshot.
import { dirname } from 'node:path';
import { Fault } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { createGit, type Git } from '../../../core/git/git.ts';
import { commitTree } from '../../../core/subagent/isolation/capture-change.ts';
import { copyIndex, writeTreeOfAllFiles } from '../../../core/subagent/isolation/snapshot.ts';
import type { ControlRepository } from './control-repository.ts';
import { removeCredentials } from './repository-url.ts';
import type { WorkspaceFacts } from './workspace-facts.ts';

/** The state of a working copy. */
export type RecordedState = Pick<WorkspaceFacts, 'head' | 'branch' | 'snapshot'>;

export interface WorkingCopyOptions {
  readonly ports: Ports;
  /** The directory of the session, which contains the working copy and files about it. */
  readonly directory: string;
  readonly name: string;
}

const CLONE_MS = 600_000;

export class WorkingCopy {
  readonly root: string;
  readonly #options: WorkingCopyOptions;
  readonly #git: Git;
  /** Size and time of the index of the repository from which that of the snapshots was copied. */
  #copiedIndex: string | undefined;

  constructor(options: WorkingCopyOptions) {
    this.#options = options;
    this.root = `${options.directory}/${options.name}`;
    this.#git = withRepository(createGit(options.ports, this.root), this.root);
  }

  get objects(): string {
    return `${this.root}/.git/objects`;
  }

  /** Replaces what is in the directory. The commits must be in the control repository. */
  async create(control: ControlRepository, state: RecordedState, origin: string): Promise<void> {
    const { ports, directory } = this.#options;
    const { files, ids } = ports;
    const created = new WorkingCopy({ ports, directory, name: `new-${ids.uuid()}` });
    await files.makeDirectory(directory, { mode: 0o700 });
    try {
      await created.#checkOut(control, state, origin);
      await this.remove();
      await files.rename(created.root, this.root);
    } catch (thrown) {
      await created.remove().catch(() => {});
      throw thrown;
    }
  }

  async remove(): Promise<void> {
    await this.#options.ports.files.remove(this.root, { recursive: true }).catch((thrown: unknown) => {
      if ((thrown as { code?: unknown }).code !== 'ENOENT') throw thrown;
    });
  }

  async #checkOut(
    control: ControlRepository,
    { head, branch, snapshot }: RecordedState,
    origin: string,
  ): Promise<void> {
    const { ports } = this.#options;
    const outside = createGit(ports, dirname(this.root));
    // Objects are linked, not copied. No template: it could contain hooks.
    const flags = ['-q', '--local', '--no-checkout', '--no-tags', '--template=', '--origin=origin'];
    await outside.text(['clone', ...flags, '--', control.path, this.root], { timeoutMs: CLONE_MS });
    const git = this.#git;
    await git.text(['config', 'remote.origin.url', removeCredentials(origin)]);
    await git.text(['update-ref', '--no-deref', 'HEAD', head]);
    if (branch !== undefined) {
      await git.text(['update-ref', branch, head]);
      await git.text(['symbolic-ref', 'HEAD', branch]);
    }
    await git.text(['read-tree', snapshot], { timeoutMs: CLONE_MS });
    await git.text(['checkout-index', '-a', '-f', '-q'], { timeoutMs: CLONE_MS });
    if (snapshot !== head) await git.text(['read-tree', head]);
    // Exits with an error when files differ from the index.
    await git.run(['update-index', '-q', '--refresh']);
  }

  /** Writes the files as a commit. Changes no file, no ref and no index of the repository. */
  async record(base: string): Promise<RecordedState> {
    await this.#checkRepository();
    const { ports, directory } = this.#options;
    const scratchDirectory = `${directory}/scratch-${ports.ids.uuid()}`;
    await ports.files.makeDirectory(scratchDirectory, { mode: 0o700 });
    try {
      const git = this.#git;
      const [found, ref] = [
        await git.run(['rev-parse', '--verify', '-q', 'HEAD^{commit}']),
        await git.run(['symbolic-ref', '-q', 'HEAD']),
      ];
      // On a new branch without commits.
      const head = decode(found.stdout) || base;
      const branch = found.code === 0 && ref.code === 0 ? decode(ref.stdout) : undefined;
      const scratch = { ports, scratchDirectory };
      const index = `${directory}/index`;
      await this.#refreshIndex(scratch, index);
      const { tree } = await writeTreeOfAllFiles(scratch, git, this.root, index);
      const isUnchanged = tree === (await git.text(['rev-parse', `${head}^{tree}`]));
      const snapshot = isUnchanged ? head : await commitTree(git, tree, head, 'Work in progress of a Parley session');
      return { head, snapshot, ...(branch?.startsWith('refs/heads/') ? { branch } : {}) };
    } finally {
      await ports.files.remove(scratchDirectory, { recursive: true }).catch(() => {});
    }
  }

  /** The index of the snapshots is kept, so that only changed files are read. It follows that of the repository, which lists ignored files that are tracked. */
  async #refreshIndex(scratch: { ports: Ports; scratchDirectory: string }, index: string): Promise<void> {
    const { files } = scratch.ports;
    const info = await files.info(`${this.root}/.git/index`);
    const version = info ? `${info.size} ${info.modifiedMs}` : '';
    if (this.#copiedIndex === version && (await files.info(index))) return;
    // The lock is left by a process that was killed.
    for (const path of [index, `${index}.lock`]) await files.remove(path).catch(() => {});
    const copy = await copyIndex(scratch, this.#git, this.root);
    if (info) await files.rename(copy, index);
    this.#copiedIndex = version;
  }

  /** A tool may have replaced the repository by a reference to another one, whose commits would be pushed. */
  async #checkRepository(): Promise<void> {
    const { files } = this.#options.ports;
    const [directory, other] = await Promise.all([
      files.info(`${this.root}/.git`, { follow: false }),
      files.info(`${this.root}/.git/commondir`, { follow: false }),
    ]);
    if (directory?.kind === 'directory' && !other) return;
    throw new Fault('refused', `${this.root} is no longer the git repository that Parley has created.`);
  }
}

/** Without it, git would use a repository of a parent directory if that of the workspace was removed. */
function withRepository(git: Git, root: string): Git {
  const env = { GIT_DIR: `${root}/.git`, GIT_WORK_TREE: root };
  return {
    run: (args, options) => git.run(args, { ...options, env: { ...env, ...options?.env } }),
    text: (args, options) => git.text(args, { ...options, env: { ...env, ...options?.env } }),
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).trimEnd();
}
