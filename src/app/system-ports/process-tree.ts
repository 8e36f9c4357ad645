// The app's real processes: finding and ending what belongs to us. Never signals a process that is neither tagged nor in a
// group we made.
import { readdir, readFile } from 'node:fs/promises';
import { systemCode } from '../../base/fault.ts';

/** Names the agent in the environment of every child, so that descendants that left their group are still known. */
export const TREE_VARIABLE = 'PARLEY_PROCESS_TREE';
/** The same for one spawn. */
export const CALL_VARIABLE = 'PARLEY_PROCESS_CALL';

const READERS = 8;

/**
 * Kills what carries `NAME=value` in the environment it was started with, as far as the system shows it (Linux does), and
 * tells how many there were. What forked meanwhile is found by the next sweep: call again until it answers 0.
 */
export async function sweepTagged(tag: string): Promise<number> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  let found = 0;
  const reader = async () => {
    for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
      // The signal follows its check with nothing between, so that the number cannot have changed hands.
      if (pid !== process.pid && (await isTagged(pid, tag)) && signal(pid, 'SIGKILL')) found += 1;
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  return found;
}

async function isTagged(pid: number, tag: string): Promise<boolean> {
  // Gone, another user's, or a zombie: nothing to read.
  const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
  return environment?.includes(`${tag}\0`) ?? false;
}

/** Kills the group of a leader that may still run. */
export function killGroup(leader: number): void {
  signal(-leader, 'SIGKILL');
}

/**
 * Kills what a finished leader left in its group. A group keeps its leader's number taken, so a living process with that
 * number means that the group ended long ago and the number went to a stranger.
 */
export function killLeftovers(leader: number): void {
  if (!signal(leader, 0)) signal(-leader, 'SIGKILL');
}

export function hasLeftovers(leader: number): boolean {
  return !signal(leader, 0) && signal(-leader, 0);
}

/** Whether there was somebody to receive it, willing or not. */
function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
