// First floor, core: isolated work in git worktrees, from the copy to the merge. The main tree is touched by the merge only.
import { Fault, messageOf } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import type { SubagentResult } from '../../../protocol/index.ts';
import { createGit } from '../../git/git.ts';
import type { ProcessMark } from '../spawner.ts';
import type { Captured, CaptureHow, Isolation, Merged, Workspace } from '../workspace.ts';
import { type BatchFolder, openBatchFolder } from './batch-folder.ts';
import { BRANCH_PREFIX } from './batch-notes.ts';
import { captureChange, commitPatch } from './capture.ts';
import { makeCopy, removeCopy } from './copy.ts';
import { planBranch } from './merge-branch.ts';
import { type Pile, planPatches } from './merge-patches.ts';
import { type Snapshot, takeSnapshot, type Workshop } from './snapshot.ts';
import { carryOut } from './undo-merge.ts';

export interface IsolationOptions {
  readonly ports: Ports;
  readonly process: ProcessMark;
  readonly worktrees: string;
  readonly merge: 'patch' | 'branch';
  /** Where the session works. */
  readonly cwd: string;
  /** Where patches are kept. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Throws a Fault that says why not. */
export async function beginIsolation(options: IsolationOptions): Promise<Isolation> {
  const { ports, cwd } = options;
  const git = createGit(ports, cwd);
  const [root = '', commonDirectory = '', prefix = ''] = await Promise.all(
    [['--show-toplevel'], ['--path-format=absolute', '--git-common-dir'], ['--show-prefix']].map((what) =>
      git.text(['rev-parse', ...what], { signal: options.signal }),
    ),
  );
  if (root === '') throw new Fault('refused', `${cwd} is not in a working tree.`);
  const place = await openBatchFolder({ ...options, root, commonDirectory });
  try {
    const shop: Workshop = { ports, scratch: `${place.path}/scratch`, signal: options.signal };
    return new Worktrees(options, place, { snapshot: await takeSnapshot(shop, root), commonDirectory, prefix });
  } catch (thrown) {
    await place.remove();
    throw thrown;
  }
}

class Worktrees implements Isolation {
  readonly #options: IsolationOptions;
  readonly #place: BatchFolder;
  readonly #snapshot: Snapshot;
  readonly #prefix: string;
  readonly #commonDirectory: string;
  readonly #branches = new Set<string>();
  /** Git keeps its list of worktrees in files that two must not change at once. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    options: IsolationOptions,
    place: BatchFolder,
    main: { snapshot: Snapshot; commonDirectory: string; prefix: string },
  ) {
    this.#options = options;
    this.#place = place;
    this.#snapshot = main.snapshot;
    this.#prefix = main.prefix;
    this.#commonDirectory = main.commonDirectory;
  }

  async enter(id: string): Promise<Workspace> {
    const { ports } = this.#options;
    // A name that no other worktree of the repository has, because git keeps its notes under it.
    const directory = `${this.#place.path}/${id}-${this.#place.path.slice(-8)}`;
    const leave = () => this.#inTurn(() => removeCopy(ports.files, this.#commonDirectory, directory));
    try {
      await this.#inTurn(() => makeCopy(this.#shop(this.#options.signal), this.#snapshot, directory));
      const cwd = `${directory}/${this.#prefix}`.replace(/\/$/, '');
      // A folder without tracked files is not in any tree.
      if (this.#prefix !== '') await ports.files.makeDirectory(cwd);
      return { cwd, leave, capture: (how) => this.#capture(id, directory, how) };
    } catch (thrown) {
      await leave();
      throw thrown;
    }
  }

  async merge(results: SubagentResult[]): Promise<Merged> {
    const isBranch = this.#options.merge === 'branch';
    const merged = isBranch ? await this.#mergeBranches(results) : await this.#mergeAll(results);
    // From here on they are the user's.
    this.#branches.clear();
    await this.#place.noteBranches([]);
    return merged;
  }

  async close(): Promise<void> {
    await this.#turn;
    const git = createGit(this.#options.ports, this.#snapshot.root);
    for (const branch of this.#branches) await git.run(['update-ref', '-d', `refs/heads/${branch}`]).catch(() => {});
    await this.#place.remove();
  }

  async #capture(id: string, directory: string, how: CaptureHow): Promise<Captured> {
    const { folder } = this.#options;
    const { patch, nested, made } = await captureChange(this.#shop(), this.#snapshot, directory, `${folder}/${id}`);
    const nestedPatches = nested.map((inner) => ({ path: inner.path, patchPath: inner.patch }));
    const more = {
      ...(nestedPatches.length > 0 ? { nestedPatches } : {}),
      ...(made.length > 0 ? { newRepositories: [...made] } : {}),
    };
    if (!how.asBranch || !patch) return { ...(patch ? { patchPath: patch } : {}), ...more };
    const branchName = await this.#branch(id, patch, await how.message(patch));
    return { ...(branchName ? { branchName } : {}), patchPath: patch, ...more };
  }

  /** `undefined` when the change needs something that is not committed; the patch is then all there is. */
  async #branch(id: string, patch: string, message: string): Promise<string | undefined> {
    const { root, head } = this.#snapshot;
    const git = createGit(this.#options.ports, root);
    try {
      const commit = await commitPatch(this.#shop(), git, { head, patch, message });
      const name = `${BRANCH_PREFIX}${id}`;
      this.#branches.add(name);
      await this.#place.noteBranches([...this.#branches]);
      await git.text(['update-ref', `refs/heads/${name}`, commit, '']);
      return name;
    } catch {
      return undefined;
    }
  }

  async #mergeAll(results: readonly SubagentResult[]): Promise<Merged> {
    const bad = results.filter(({ exitCode }) => exitCode !== 0);
    const kept = results.flatMap(({ patchPath, nestedPatches = [], newRepositories = [] }) => [
      ...(patchPath ? [patchPath] : []),
      ...nestedPatches.map((nested) => nested.patchPath),
      ...newRepositories.map((made) => made.keptPath),
    ]);
    if (bad.length > 0) return notApplied(`${bad.map(({ id }) => id).join(', ')} did not succeed`, kept);
    if (kept.length === 0) return complete('No changes to apply.');
    try {
      const plans = await planPatches(this.#shop(), this.#piles(results));
      if (plans && (await carryOut(this.#shop(), this.#place, plans))) return complete('Applied patches: yes');
      return notApplied('they do not fit on the working tree as it is now', kept);
    } catch (thrown) {
      return notApplied(messageOf(thrown), kept);
    }
  }

  #piles(results: readonly SubagentResult[]): Pile[] {
    const { root } = this.#snapshot;
    const made = results.flatMap(({ newRepositories = [] }) => newRepositories);
    const piles = new Map<string, string[]>(made.length > 0 ? [[root, []]] : []);
    const add = (at: string, patch: string) => piles.set(at, [...(piles.get(at) ?? []), patch]);
    for (const { patchPath, nestedPatches = [] } of results) {
      if (patchPath) add(root, patchPath);
      for (const nested of nestedPatches) add(`${root}/${nested.path}`, nested.patchPath);
    }
    return [...piles].map(([at, patches]) => ({ root: at, patches, ...(at === root ? { made } : {}) }));
  }

  /** One after the other, up to the first that does not fit: that one and those behind it keep their branches. */
  async #mergeBranches(results: SubagentResult[]): Promise<Merged> {
    const { root } = this.#snapshot;
    const git = createGit(this.#options.ports, root);
    const merged: string[] = [];
    const left: string[] = [];
    for (const result of results.filter(({ exitCode }) => exitCode === 0)) {
      const { branchName, patchPath } = result;
      const problem = left.length > 0 ? 'an earlier branch was not merged' : await this.#mergeOne(result);
      if (problem === undefined && branchName) {
        merged.push(branchName);
        await git.run(['update-ref', '-d', `refs/heads/${branchName}`]);
      }
      if (problem === undefined) continue;
      left.push(branchName ?? patchPath ?? result.id);
      result.error = `Merge failed: ${problem}`;
    }
    const lines = merged.length > 0 ? [`Merged ${merged.length} branches: ${merged.join(', ')}`] : [];
    if (left.length > 0) lines.push(`Not merged, to be handled by hand: ${left.join(', ')}`);
    return { text: lines.join('\n') || 'No changes to merge.', isComplete: left.length === 0 };
  }

  /** Why not; `undefined` when it is in, with what belongs to it in repositories inside. */
  async #mergeOne(result: SubagentResult): Promise<string | undefined> {
    const { branchName, patchPath, nestedPatches = [], newRepositories: made = [] } = result;
    const { root } = this.#snapshot;
    const shop = this.#shop();
    try {
      if (patchPath && !branchName) return 'the change builds on what is not committed; its patch is kept';
      const own = branchName ? await planBranch(shop, root, branchName) : [];
      if (!own) return `${branchName} does not fit`;
      const piles = nestedPatches.map(({ path, patchPath: patch }) => ({ root: `${root}/${path}`, patches: [patch] }));
      const inside = await planPatches(shop, made.length > 0 ? [...piles, { root, patches: [], made }] : piles);
      if (!inside) return 'the change of a repository inside does not fit';
      const isIn = await carryOut(shop, this.#place, [...inside, ...own]);
      return isIn ? undefined : `${branchName ?? result.id} could not be applied`;
    } catch (thrown) {
      return messageOf(thrown);
    }
  }

  #shop(signal?: AbortSignal): Workshop {
    return { ports: this.#options.ports, scratch: `${this.#place.path}/scratch`, signal };
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(act);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}

function complete(text: string): Merged {
  return { text, isComplete: true };
}

function notApplied(reason: string, patches: readonly string[]): Merged {
  const head = `<system-notification>Patches were not applied and must be handled manually.</system-notification>\nReason: ${reason}.`;
  const text = [head, ...patches.map((path) => `- ${path}`)].join('\n');
  return { text, isComplete: patches.length === 0 };
}
