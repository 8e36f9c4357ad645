// First floor, core: isolated work in git worktrees, from the copy to the merge. The main tree is touched by the merge only.
import { Fault, messageOf } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import type { SubagentResult } from '../../../protocol/index.ts';
import { createGit, type Git } from '../../git/git.ts';
import type { ProcessMark } from '../spawner.ts';
import { keptIn, markApplied, markUnapplied, withhold } from '../unapplied.ts';
import type { Captured, CaptureHow, Isolation, Merged, Workspace } from '../workspace.ts';
import { type BatchFolder, openBatchFolder } from './batch-folder.ts';
import { BRANCH_PREFIX } from './batch-notes.ts';
import { commitPatch } from './capture.ts';
import { makeCopy, removeCopy } from './copy.ts';
import { createKeptChange, type KeptChange } from './kept-change.ts';
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
  /** By the id of the task: the files that hold its change. */
  readonly #changes = new Map<string, readonly string[]>();
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
      const target = `${this.#options.folder}/${id}`;
      const change = createKeptChange(this.#shop(), { snapshot: this.#snapshot, directory, target });
      return { cwd, leave, capture: (how) => this.#capture(id, change, how), discard: () => change.discard() };
    } catch (thrown) {
      await leave();
      throw thrown;
    }
  }

  async merge(results: SubagentResult[]): Promise<Merged> {
    const isBranch = this.#options.merge === 'branch';
    await this.#forgetChanges();
    const merged = isBranch ? await this.#mergeBranches(results) : await this.#mergeAll(results);
    await this.#handOver().catch(() => {});
    return merged;
  }

  async keep(results: SubagentResult[], reason: string): Promise<Merged> {
    await this.#forgetChanges().catch(() => {});
    await this.#handOver().catch(() => {});
    return withhold(results, reason);
  }

  /** What is applied or reported now needs no report by the next process. */
  async #forgetChanges(): Promise<void> {
    if (this.#changes.size === 0) return;
    this.#changes.clear();
    await this.#place.noteChanges([]);
  }

  /** From here on the branches belong to the user, and are not removed. */
  async #handOver(): Promise<void> {
    if (this.#branches.size === 0) return;
    this.#branches.clear();
    await this.#place.noteBranches([]);
  }

  async close(): Promise<void> {
    await this.#turn;
    const git = createGit(this.#options.ports, this.#snapshot.root);
    for (const branch of this.#branches) await git.run(['update-ref', '-d', `refs/heads/${branch}`]).catch(() => {});
    await this.#place.remove();
  }

  async #capture(id: string, change: KeptChange, how: CaptureHow): Promise<Captured> {
    const { patch, nested, made } = await change.take();
    const nestedPatches = nested.map((inner) => ({ path: inner.path, patchPath: inner.patch }));
    const more = {
      ...(nestedPatches.length > 0 ? { nestedPatches } : {}),
      ...(made.length > 0 ? { newRepositories: [...made] } : {}),
    };
    this.#changes.set(id, keptIn({ patchPath: patch, ...more }));
    // The note is for the case that this process is killed. Without it the change is captured all the same.
    await this.#place.noteChanges([...this.#changes.values()].flat()).catch(() => {});
    if (!how.asBranch || !patch) return { ...(patch ? { patchPath: patch } : {}), ...more };
    const branchName = await this.#branch(id, patch, await how.message(patch));
    return { ...(branchName ? { branchName } : {}), patchPath: patch, ...more };
  }

  /** `undefined` when the change needs something that is not committed; the patch is then all there is. */
  async #branch(id: string, patch: string, message: string): Promise<string | undefined> {
    const { root, head } = this.#snapshot;
    const git = createGit(this.#options.ports, root);
    let name: string | undefined;
    try {
      const commit = await commitPatch(this.#shop(), git, { head, patch, message });
      name = await freeBranch(git, `${BRANCH_PREFIX}${id}`);
      this.#branches.add(name);
      await this.#place.noteBranches([...this.#branches]);
      await git.text(['update-ref', `refs/heads/${name}`, commit, '']);
      return name;
    } catch {
      if (name !== undefined) this.#branches.delete(name);
      return undefined;
    }
  }

  async #mergeAll(results: readonly SubagentResult[]): Promise<Merged> {
    const bad = results.filter(({ exitCode }) => exitCode !== 0);
    if (bad.length > 0) return withhold(results, `${bad.map(named).join(', ')} did not succeed`);
    if (results.flatMap(keptIn).length === 0) return { text: 'No changes to apply.', isComplete: true };
    try {
      const plans = await planPatches(this.#shop(), this.#piles(results));
      const isApplied = plans && (await carryOut(this.#shop(), this.#place, plans));
      if (!isApplied) return withhold(results, 'they do not fit on the working tree as it is now');
      markApplied(results);
      return { text: 'Applied patches: yes', isComplete: true };
    } catch (thrown) {
      return withhold(results, messageOf(thrown));
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
    const left: SubagentResult[] = [];
    const changed = results.filter((result) => keptIn(result).length > 0);
    for (const result of changed.filter(({ exitCode }) => exitCode === 0)) {
      const { branchName } = result;
      const problem = left.length > 0 ? 'an earlier branch was not merged' : await this.#mergeOne(result);
      if (problem !== undefined) {
        left.push(result);
        markUnapplied(result, `Merge failed: ${problem}`);
        continue;
      }
      markApplied([result]);
      if (!branchName) continue;
      merged.push(branchName);
      await git.run(['update-ref', '-d', `refs/heads/${branchName}`]).catch(() => {});
    }
    const bad = changed.filter(({ exitCode }) => exitCode !== 0);
    for (const result of bad) markUnapplied(result, 'Merge failed: the task did not succeed');
    const lines = merged.length > 0 ? [`Merged ${merged.length} branches: ${merged.join(', ')}`] : [];
    const byHand = left.map(({ branchName, patchPath, id }) => branchName ?? patchPath ?? id);
    if (left.length > 0) lines.push(`Not merged, to be handled by hand: ${byHand.join(', ')}`);
    if (bad.length > 0) lines.push(`Kept of tasks that did not succeed: ${bad.flatMap(keptIn).join(', ')}`);
    return { text: lines.join('\n') || 'No changes to merge.', isComplete: left.length + bad.length === 0 };
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

/** A branch of this name may be left from work that was not merged. It belongs to the user. */
async function freeBranch(git: Git, wanted: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    const { code } = await git.run(['rev-parse', '--verify', '-q', `refs/heads/${name}`]);
    if (code !== 0) return name;
  }
}

/** With the budget, where it is the cause: the task itself made no mistake. */
function named({ id, abortReason, error }: SubagentResult): string {
  return abortReason === 'budget_exceeded' && error !== undefined ? `${id} (${error})` : id;
}
