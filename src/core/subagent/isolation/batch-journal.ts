// File names and types of the journal in a batch folder, and reading it. A later process uses it to clean up after a killed one.
import { isRecord } from '../../../base/index.ts';
import type { Files } from '../../../contracts/index.ts';
import type { SavedRepository } from './saved-repository.ts';

export const OWNER_FILE = 'owner.json';
export const BRANCHES_FILE = 'branches';
export const MERGE_FILE = 'merge';
export const CHANGES_FILE = 'changes';
export const BRANCH_PREFIX = 'parley/task/';

/** Changes of a merge in one repository, complete enough to undo them. */
export interface MergeStep {
  readonly root: string;
  /** Git trees of all files before and after the merge. */
  readonly before: string;
  readonly after: string;
  /** Set when the merge creates a commit: its parent, the commit, and the trees of the index before and after. */
  readonly head?: string | undefined;
  readonly commit?: string | undefined;
  readonly staged?: readonly [before: string, after: string] | undefined;
  /** New repositories, copied to paths where nothing existed. */
  readonly placed?: readonly SavedRepository[] | undefined;
}

export interface MergeJournal {
  /** Steps to undo if this process is killed. Written to disk before any file changes. An empty list means that the merge is finished. */
  recordMerge(steps: readonly MergeStep[]): Promise<void>;
}

export interface BatchJournal {
  readonly owner: Readonly<Record<string, unknown>> | undefined;
  readonly branches: readonly string[];
  /** Files with captured changes that have been neither applied nor reported. */
  readonly changes: readonly string[];
  readonly merge: readonly MergeStep[];
  /** When the merge was recorded; 0 when there is no merge. */
  readonly mergeRecordedMs: number;
}

/** Ignores missing and truncated files. */
export async function readBatchJournal(files: Files, path: string): Promise<BatchJournal> {
  const read = async (name: string): Promise<unknown> => {
    try {
      return JSON.parse(new TextDecoder().decode(await files.read(`${path}/${name}`)));
    } catch {
      return undefined;
    }
  };
  const [owner, branches, merge, changes] = await Promise.all(
    [OWNER_FILE, BRANCHES_FILE, MERGE_FILE, CHANGES_FILE].map(read),
  );
  const info = await files.info(`${path}/${MERGE_FILE}`).catch(() => undefined);
  return {
    mergeRecordedMs: info?.modifiedMs ?? 0,
    owner: isRecord(owner) ? owner : undefined,
    branches: Array.isArray(branches) ? branches.map(String).filter((name) => name.startsWith(BRANCH_PREFIX)) : [],
    changes: Array.isArray(changes) ? changes.map(String) : [],
    merge: Array.isArray(merge) ? (merge.filter(isRecord) as unknown as MergeStep[]) : [],
  };
}
