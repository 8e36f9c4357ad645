// First floor, core: the notes in a batch's folder, for whoever finds them after their writer died. Writes nothing.
import { isRecord } from '../../../base/index.ts';
import type { Files } from '../../../contracts/index.ts';
import type { KeptRepository } from './new-repository.ts';

export const OWNER = 'owner.json';
export const BRANCHES = 'branches';
export const MERGE = 'merge';
export const CHANGES = 'changes';
export const BRANCH_PREFIX = 'parley/task/';

/** What a merge changes in one repository: enough to undo it. */
export interface MergeStep {
  readonly root: string;
  /** The trees of all files before and after. */
  readonly before: string;
  readonly after: string;
  /** Where a commit is made, too: what it goes on top of, the commit, and what is staged before and after. */
  readonly head?: string | undefined;
  readonly commit?: string | undefined;
  readonly staged?: readonly [before: string, after: string] | undefined;
  /** Repositories that are put where nothing was. */
  readonly placed?: readonly KeptRepository[] | undefined;
}

export interface MergeNotes {
  /** What is to be undone if we die now. On disk before anything is touched; nothing when all of it is done. */
  noteMerge(steps: readonly MergeStep[]): Promise<void>;
}

export interface FolderNotes {
  readonly owner: Readonly<Record<string, unknown>> | undefined;
  readonly branches: readonly string[];
  /** Files that hold captured changes of which nothing has been applied or reported. */
  readonly changes: readonly string[];
  readonly merge: readonly MergeStep[];
  /** When the merge was noted; 0 when none is. */
  readonly mergeMs: number;
}

/** Whatever is missing or was cut short says nothing. */
export async function readNotes(files: Files, path: string): Promise<FolderNotes> {
  const read = async (name: string): Promise<unknown> => {
    try {
      return JSON.parse(new TextDecoder().decode(await files.read(`${path}/${name}`)));
    } catch {
      return undefined;
    }
  };
  const [owner, branches, merge, changes] = await Promise.all([OWNER, BRANCHES, MERGE, CHANGES].map(read));
  const info = await files.info(`${path}/${MERGE}`).catch(() => undefined);
  return {
    mergeMs: info?.modifiedMs ?? 0,
    owner: isRecord(owner) ? owner : undefined,
    branches: Array.isArray(branches) ? branches.map(String).filter((name) => name.startsWith(BRANCH_PREFIX)) : [],
    changes: Array.isArray(changes) ? changes.map(String) : [],
    merge: Array.isArray(merge) ? (merge.filter(isRecord) as unknown as MergeStep[]) : [],
  };
}
