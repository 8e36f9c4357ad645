// First floor, core: the folder in which the copies of one call lie, with notes that say whose it is and what is being done.
// Whoever finds them after we died can clear everything away.
import type { Ports } from '../../../contracts/index.ts';
import type { ProcessMark } from '../spawner.ts';
import { BRANCHES, CHANGES, MERGE, type MergeNotes, OWNER } from './batch-notes.ts';
import { reapHome } from './reap.ts';

export interface BatchFolder extends MergeNotes {
  readonly path: string;
  /** Branches that are not wanted if we die now. Written before they are made. */
  noteBranches(names: readonly string[]): Promise<void>;
  /** Files with captured changes, so that the next start can report them if this process is killed. */
  noteChanges(paths: readonly string[]): Promise<void>;
  remove(): Promise<void>;
}

export interface FolderOptions {
  readonly ports: Ports;
  readonly process: ProcessMark;
  /** Of all worktrees of this user. */
  readonly worktrees: string;
  /** The root of the main working tree. */
  readonly root: string;
  /** What all worktrees of a repository share. */
  readonly commonDirectory: string;
}

export async function openBatchFolder(options: FolderOptions): Promise<BatchFolder> {
  const { ports, process, worktrees, root, commonDirectory } = options;
  const { files } = ports;
  const home = `${worktrees}/${keyOf(commonDirectory)}`;
  await files.makeDirectory(home, { mode: 0o700 });
  await reapHome(ports, process, home);
  const path = `${home}/${ports.ids.uuid()}`;
  await files.makeDirectory(path, { mode: 0o700 });
  await files.makeDirectory(`${path}/scratch`, { mode: 0o700 });
  const write = (name: string, value: unknown) =>
    files.replace(`${path}/${name}`, new TextEncoder().encode(JSON.stringify(value)), { mode: 0o600 });
  await write(OWNER, { ...process.self, root, commonDirectory });
  let isMerging = false;
  return {
    path,
    noteBranches: (names) => write(BRANCHES, names),
    noteChanges: (paths) => write(CHANGES, paths),
    async noteMerge(steps) {
      isMerging = steps.length > 0;
      if (isMerging) await write(MERGE, steps);
      else await files.remove(`${path}/${MERGE}`).catch(() => {});
    },
    async remove() {
      // What could not be put back is tried again by whoever starts next.
      if (!isMerging) await files.remove(path, { recursive: true }).catch(() => {});
    },
  };
}

/** The end of the path, which tells most, and a number that tells it from others with the same end (FNV-1a). */
function keyOf(path: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(path)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  const name = path.replace(/\/\.git$/, '').replace(/^.*\//s, '');
  return `${name.replace(/[^\w.-]/g, '_').slice(-40)}-${hash.toString(16).padStart(8, '0')}`;
}
