// Creates the folder for the worktrees of one task call, with journal files about its owner, branches, changes and merge.
// If this process is killed, a later process uses the journal to clean up.
import { fnv1a } from '../../../base/fnv1a.ts';
import type { Ports, ProcessIdentity } from '../../../contracts/index.ts';
import { BRANCHES_FILE, CHANGES_FILE, MERGE_FILE, type MergeJournal, OWNER_FILE } from './batch-journal.ts';
import { cleanRepositoryBatches } from './clean-stale-batches.ts';

export interface BatchFolder extends MergeJournal {
  readonly path: string;
  /** Branches that the next process deletes if this one is killed. Must be called before the branches are created. */
  recordBranches(names: readonly string[]): Promise<void>;
  /** Files with captured changes, so that the next start can report them if this process is killed. */
  recordChanges(paths: readonly string[]): Promise<void>;
  remove(): Promise<void>;
}

export interface BatchFolderOptions {
  readonly ports: Ports;
  readonly process: ProcessIdentity;
  /** Parent folder of all worktrees of this user. */
  readonly worktreesDirectory: string;
  /** The root of the main working tree. */
  readonly root: string;
  /** The `.git` directory that all worktrees of a repository share. */
  readonly commonDirectory: string;
}

export async function createBatchFolder(options: BatchFolderOptions): Promise<BatchFolder> {
  const { ports, process, worktreesDirectory, root, commonDirectory } = options;
  const { files } = ports;
  const repositoryFolder = `${worktreesDirectory}/${createRepositoryKey(commonDirectory)}`;
  await files.makeDirectory(repositoryFolder, { mode: 0o700 });
  await cleanRepositoryBatches(ports, process, repositoryFolder);
  const path = `${repositoryFolder}/${ports.ids.uuid()}`;
  await files.makeDirectory(path, { mode: 0o700 });
  await files.makeDirectory(`${path}/scratch`, { mode: 0o700 });
  const write = (name: string, value: unknown) =>
    files.replace(`${path}/${name}`, new TextEncoder().encode(JSON.stringify(value)), { mode: 0o600 });
  await write(OWNER_FILE, { ...process.self, root, commonDirectory });
  let isMerging = false;
  return {
    path,
    recordBranches: (names) => write(BRANCHES_FILE, names),
    recordChanges: (paths) => write(CHANGES_FILE, paths),
    async recordMerge(steps) {
      isMerging = steps.length > 0;
      if (isMerging) await write(MERGE_FILE, steps);
      else await files.remove(`${path}/${MERGE_FILE}`).catch(() => {});
    },
    async remove() {
      // An unfinished merge could not be undone. Keep the journal: the next process tries again.
      if (!isMerging) await files.remove(path, { recursive: true }).catch(() => {});
    },
  };
}

/** The last segment of the path and an FNV-1a hash of the whole path, which keeps equal segments apart. */
function createRepositoryKey(path: string): string {
  const name = path.replace(/\/\.git$/, '').replace(/^.*\//s, '');
  return `${name.replace(/[^\w.-]/g, '_').slice(-40)}-${fnv1a(path).toString(16).padStart(8, '0')}`;
}
