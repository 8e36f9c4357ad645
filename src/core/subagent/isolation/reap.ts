// First floor, core: clears away what processes that were killed left behind: merges half done, worktrees, branches, folders.
// What a living process holds is not touched.
import type { Ports } from '../../../contracts/index.ts';
import { createGit } from '../../git/git.ts';
import type { ProcessMark } from '../spawner.ts';
import { readNotes } from './batch-notes.ts';
import { forgetCopy } from './copy.ts';
import { undoMerge } from './undo-merge.ts';

/** Nobody takes longer from making the folder to writing the note. */
const NAMELESS_MS = 60_000;

/** In all repositories. Gives a sentence for each merge that was undone. */
export async function reapAll(ports: Ports, process: ProcessMark, worktrees: string): Promise<string[]> {
  const told: string[] = [];
  for (const { name, kind } of await ports.files.list(worktrees).catch(() => [])) {
    if (kind === 'directory') told.push(...(await reapHome(ports, process, `${worktrees}/${name}`)));
  }
  return told;
}

/** Of one repository. Never rejects: what cannot be cleared away now can be next time. */
export async function reapHome(ports: Ports, process: ProcessMark, home: string): Promise<string[]> {
  const { files } = ports;
  const told: string[] = [];
  for (const { name, kind } of await files.list(home).catch(() => [])) {
    const path = `${home}/${name}`;
    if (kind !== 'directory' || !(await isAbandoned(ports, process, path))) continue;
    try {
      told.push(...(await reapFolder(ports, path)));
    } catch (thrown) {
      ports.log('left for the next start', { path, error: String(thrown) });
    }
  }
  return told;
}

async function reapFolder(ports: Ports, path: string): Promise<string[]> {
  const { files } = ports;
  const { owner, branches, changes, merge, mergeMs } = await readNotes(files, path);
  const told: string[] = [];
  await files.makeDirectory(`${path}/scratch`, { mode: 0o700 });
  told.push(...(await undoMerge({ ports, scratch: `${path}/scratch` }, merge, mergeMs)));
  told.push(...(await keptChanges(ports, changes)));
  if (typeof owner?.commonDirectory === 'string') {
    for (const { name, kind } of await files.list(path)) {
      if (kind === 'directory') await forgetCopy(files, owner.commonDirectory, `${path}/${name}`);
    }
  }
  if (typeof owner?.root === 'string' && branches.length > 0) {
    const git = createGit(ports, owner.root);
    for (const branch of branches) await git.run(['update-ref', '-d', `refs/heads/${branch}`]);
  }
  await files.remove(path, { recursive: true });
  return told;
}

async function keptChanges({ files }: Ports, paths: readonly string[]): Promise<string[]> {
  const there: string[] = [];
  for (const path of paths) if (await files.info(path).catch(() => undefined)) there.push(path);
  if (there.length === 0) return [];
  return [
    `Changes of isolated tasks were not applied because the program was killed. They are kept: ${there.join(', ')}`,
  ];
}

async function isAbandoned({ files, clock }: Ports, process: ProcessMark, path: string): Promise<boolean> {
  const { owner } = await readNotes(files, path);
  if (typeof owner?.pid === 'number') {
    const startTime = typeof owner.startTime === 'number' ? owner.startTime : undefined;
    // What runs on another machine cannot be seen from here.
    return owner.host === process.self.host && !(await process.isAlive(owner.pid, startTime));
  }
  const info = await files.info(path).catch(() => undefined);
  return info !== undefined && clock.now() - info.modifiedMs > NAMELESS_MS;
}
