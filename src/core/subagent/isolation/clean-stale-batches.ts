// Cleans up after killed processes: undoes interrupted merges, removes worktrees, branches and folders.
// Skips the folders of processes that are still alive.
import type { Ports, ProcessIdentity } from '../../../contracts/index.ts';
import { createGit } from '../../git/git.ts';
import { readBatchJournal } from './batch-journal.ts';
import { undoMerge } from './undo-merge.ts';
import { unregisterWorktree } from './worktree.ts';

/** A folder without an owner file is stale after this time. A process writes that file right after creating the folder. */
const MAX_UNOWNED_AGE_MS = 60_000;

/** Cleans all repositories. Returns a message for each undone merge and for saved changes. */
export async function cleanStaleBatches(
  ports: Ports,
  process: ProcessIdentity,
  worktreesDirectory: string,
): Promise<string[]> {
  const messages: string[] = [];
  for (const { name, kind } of await ports.files.list(worktreesDirectory).catch(() => [])) {
    if (kind === 'directory')
      messages.push(...(await cleanRepositoryBatches(ports, process, `${worktreesDirectory}/${name}`)));
  }
  return messages;
}

/** Cleans one repository. Never rejects: a folder that cannot be removed is tried again at the next start. */
export async function cleanRepositoryBatches(
  ports: Ports,
  process: ProcessIdentity,
  repositoryFolder: string,
): Promise<string[]> {
  const { files } = ports;
  const messages: string[] = [];
  for (const { name, kind } of await files.list(repositoryFolder).catch(() => [])) {
    const path = `${repositoryFolder}/${name}`;
    if (kind !== 'directory' || !(await isAbandoned(ports, process, path))) continue;
    try {
      messages.push(...(await cleanBatchFolder(ports, path)));
    } catch (thrown) {
      ports.log('stale worktree not removed, will be retried at the next start', { path, error: String(thrown) });
    }
  }
  return messages;
}

async function cleanBatchFolder(ports: Ports, path: string): Promise<string[]> {
  const { files } = ports;
  const { owner, branches, changes, merge, mergeRecordedMs } = await readBatchJournal(files, path);
  const messages: string[] = [];
  await files.makeDirectory(`${path}/scratch`, { mode: 0o700 });
  messages.push(...(await undoMerge({ ports, scratchDirectory: `${path}/scratch` }, merge, mergeRecordedMs)));
  messages.push(...(await describeSavedChanges(ports, changes)));
  if (typeof owner?.commonDirectory === 'string') {
    for (const { name, kind } of await files.list(path)) {
      if (kind === 'directory') await unregisterWorktree(files, owner.commonDirectory, `${path}/${name}`);
    }
  }
  if (typeof owner?.root === 'string' && branches.length > 0) {
    const git = createGit(ports, owner.root);
    for (const branch of branches) await git.run(['update-ref', '-d', `refs/heads/${branch}`]);
  }
  await files.remove(path, { recursive: true });
  return messages;
}

async function describeSavedChanges({ files }: Ports, paths: readonly string[]): Promise<string[]> {
  const existing: string[] = [];
  for (const path of paths) if (await files.info(path).catch(() => undefined)) existing.push(path);
  if (existing.length === 0) return [];
  return [
    `Changes of isolated tasks were not applied because the program was killed. They are kept: ${existing.join(', ')}`,
  ];
}

async function isAbandoned({ files, clock }: Ports, process: ProcessIdentity, path: string): Promise<boolean> {
  const { owner } = await readBatchJournal(files, path);
  if (typeof owner?.pid === 'number') {
    const startTime = typeof owner.startTime === 'number' ? owner.startTime : undefined;
    // A process on another machine cannot be checked, so its folder counts as in use.
    return owner.host === process.self.host && !(await process.isAlive(owner.pid, startTime));
  }
  const info = await files.info(path).catch(() => undefined);
  return info !== undefined && clock.now() - info.modifiedMs > MAX_UNOWNED_AGE_MS;
}
